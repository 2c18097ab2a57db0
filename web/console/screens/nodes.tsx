import { useQuery } from '@tanstack/react-query';
import { Badge, Card, Facts } from '../../parts/screen.tsx';
import { type Column, codeColumn, textColumn, timeColumn } from '../lists/columns.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { reach } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Controller } from '../types.ts';
import { words } from './running-words.ts';

const { nodes: more } = words;

const columns: readonly Column<Controller>[] = [
  textColumn('name', texts.name, { cell: ({ name }) => <strong>{name}</strong> }),
  {
    name: 'state',
    title: texts.people.state,
    cell: ({ isOnline }) => (
      <Badge kind={isOnline ? 'good' : 'bad'}>{isOnline ? more.online : more.offline}</Badge>
    ),
    text: ({ isOnline }) => (isOnline ? 'online' : 'offline'),
  },
  textColumn('version', more.version),
  codeColumn('ctrlAddress', texts.attempts.address),
  timeColumn('lastJoinedAt', more.started),
  timeColumn('updatedAt', more.seen, { isPrecise: true }),
];

/** How often the nodes are read again. They announce every ten seconds that they run. */
const every = 10_000;

export function NodesScreen() {
  return (
    <ListScreen
      screen="nodes"
      lead={more.text}
      below={<Health />}
      path="controllers"
      columns={columns}
      defaultSort="name asc"
      interval={every}
      empty={[more.nothing]}
    />
  );
}

interface HealthChecks {
  readonly healthy: boolean;
  readonly checks: readonly { readonly id: string; readonly healthy: boolean }[];
}

/** Health of the node that answers. Null: this listener does not serve the checks. */
function Health() {
  const query = useQuery({
    queryKey: ['health'],
    async queryFn({ signal }): Promise<{ readonly found: HealthChecks | null }> {
      // 503 is an answer too: its body has the fault.
      const response = await reach('/health-checks', { credentials: 'omit', signal });
      const { data = null } = response.status === 404 ? {} : await response.json();
      return { found: data };
    },
    refetchInterval: every,
  });
  return (
    <Card id="health" title={more.health}>
      <Loaded query={query}>
        {({ found }) =>
          found === null ? (
            <p>{more.notServed}</p>
          ) : (
            <Facts
              facts={found.checks.map(({ id, healthy }) => [
                id,
                <Badge key={id} kind={healthy ? 'good' : 'bad'}>
                  {healthy ? more.passes : more.fails}
                </Badge>,
              ])}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
