import { useQuery } from '@tanstack/react-query';
import { Badge, Card, Empty, Facts, Screen } from '../../parts/screen.tsx';
import { type Column, DataList } from '../lists/data-list.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { reach } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Controller } from '../types.ts';
import { words } from './running-words.ts';

const { nodes: more } = words;

const columns: readonly Column<Controller>[] = [
  {
    name: 'name',
    title: texts.people.name,
    sort: 'name',
    cell: ({ name }) => <strong>{name}</strong>,
    text: ({ name }) => name,
  },
  {
    name: 'state',
    title: texts.people.state,
    cell: ({ isOnline }) => (
      <Badge kind={isOnline ? 'good' : 'bad'}>{isOnline ? more.online : more.offline}</Badge>
    ),
    text: ({ isOnline }) => (isOnline ? 'online' : 'offline'),
  },
  {
    name: 'version',
    title: more.version,
    sort: 'version',
    cell: ({ version }) => version,
    text: ({ version }) => version,
  },
  {
    name: 'address',
    title: texts.person.address,
    sort: 'ctrlAddress',
    cell: ({ ctrlAddress }) => <code>{ctrlAddress}</code>,
    text: ({ ctrlAddress }) => ctrlAddress,
  },
  {
    name: 'lastJoinedAt',
    title: more.started,
    sort: 'lastJoinedAt',
    cell: ({ lastJoinedAt }) => <Time at={lastJoinedAt} />,
    text: ({ lastJoinedAt }) => lastJoinedAt,
  },
  {
    name: 'updatedAt',
    title: more.seen,
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Time at={updatedAt} isPrecise />,
    text: ({ updatedAt }) => updatedAt,
  },
];

/** How often the nodes are read again. They announce every ten seconds that they run. */
const every = 10_000;

export function NodesScreen() {
  return (
    <Screen title={texts.screens.health} lead={more.text}>
      <Health />
      <DataList
        path="controllers"
        caption={texts.screens.health}
        columns={columns}
        keyOf={({ id }) => id}
        filter=""
        defaultSort="name asc"
        interval={every}
        empty={<Empty title={more.nothing} />}
      />
    </Screen>
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
      // 503 is an answer too: it says what is wrong.
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
