import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge, Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains, equal, looksLikeId } from '../filter.ts';
import { type Column, DataList, useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../lists/filters.tsx';
import { useIsAdmin } from '../me.ts';
import { list, quoted, read } from '../session/api.ts';
import { named, texts } from '../texts/texts.ts';
import type { Authenticator, Identity, LoginAttempt } from '../types.ts';
import { usePolicyNames } from './people/policy-names.ts';
import { words as more } from './people/words.ts';
import { StateBadge } from './person.tsx';

const { people: words } = texts;

const columns: readonly Column<Identity>[] = [
  {
    name: 'name',
    title: words.name,
    sort: 'name',
    cell: ({ id, name, isAdmin }) => (
      <>
        <Link to="/people/$id" params={{ id }}>
          {name}
        </Link>{' '}
        {isAdmin && <Badge>{texts.who.administrator}</Badge>}
      </>
    ),
    text: ({ name }) => name,
  },
  {
    name: 'state',
    title: words.state,
    cell: (person) => <StateBadge person={person} />,
    text: ({ disabled }) => (disabled ? 'disabled' : 'enabled'),
  },
  {
    name: 'type',
    title: words.type,
    sort: 'type',
    cell: ({ typeId }) => named(more.types, typeId),
    text: ({ typeId }) => typeId,
  },
  {
    name: 'policy',
    title: words.policy,
    cell: ({ authPolicyId, authPolicy }) => (
      <Link to="/policies/$id" params={{ id: authPolicyId }}>
        {authPolicy.name}
      </Link>
    ),
    text: ({ authPolicy }) => authPolicy.name,
  },
  {
    name: 'externalId',
    title: words.externalId,
    sort: 'externalId',
    cell: ({ externalId }) => externalId !== null && <code>{externalId}</code>,
    text: ({ externalId }) => externalId ?? '',
  },
  {
    name: 'id',
    title: texts.person.id,
    cell: ({ id }) => <code>{id}</code>,
    text: ({ id }) => id,
  },
];

export function PeopleScreen() {
  const [address] = useListAddress();
  const isAdmin = useIsAdmin();
  const q = (address.q ?? '').trim();
  const owners = useQuery({
    queryKey: ['owners of user names', q],
    enabled: q !== '',
    queryFn: async ({ signal }) => {
      const filter = `username icontains ${quoted(q)}`;
      const { items } = await list<Authenticator>('authenticators', { filter, limit: 50 }, signal);
      return [...new Set(items.map(({ identityId }) => identityId))];
    },
  });
  return (
    <Screen
      title={texts.screens.people}
      tools={
        isAdmin && (
          <Link to="/people/new" className="button main" id="new-person">
            {words.create}
          </Link>
        )
      }
    >
      <Filters>
        <TextFilter name="q" label={texts.search} hint={words.findText} />
        <ChoiceFilter
          name="state"
          label={words.state}
          choices={{ enabled: words.enabled, disabled: words.disabled }}
        />
        <TextFilter name="role" label={words.role} />
        <ChoiceFilter name="policy" label={words.policy} choices={usePolicyNames()} />
      </Filters>
      {looksLikeReference(q) && <AttemptOf reference={q} />}
      <DataList
        path="identities"
        caption={texts.screens.people}
        columns={columns}
        keyOf={({ id }) => id}
        filter={filterOf(q, owners.data ?? [], address)}
        defaultSort="name asc"
        empty={
          <Empty title={words.nobody}>
            <p>{words.nobodyText}</p>
          </Empty>
        }
      />
    </Screen>
  );
}

function filterOf(
  q: string,
  owners: readonly string[],
  { state, policy, role }: Readonly<Record<string, string | undefined>>,
): string {
  const stateIs = { enabled: 'disabledAt = null', disabled: 'disabledAt != null' }[state ?? ''] ?? null;
  const policyIs = equal('authPolicyId', policy);
  const hasRole = role === undefined || role === '' ? null : `roleAttributes contains ${quoted(role)}`;
  if (q === '') return allOf(stateIs, policyIs, hasRole);
  const matches = [
    contains('name', q),
    contains('externalId', q),
    looksLikeId(q) ? equal('id', q) : null,
    owners.length === 0 ? null : `id in [${owners.map(quoted).join(', ')}]`,
  ].filter((one) => one !== null);
  return allOf(matches.join(' or '), stateIs, policyIs, hasRole);
}

/** Reference ids are short and in one case. Dashes help when reading them out. */
function looksLikeReference(text: string): boolean {
  return /^[0-9a-z-]{8,14}$/i.test(text);
}

/** Leads from the id that a refused person reads out to what happened. */
function AttemptOf({ reference }: { readonly reference: string }) {
  const query = useQuery({
    queryKey: ['attempt', reference],
    queryFn: ({ signal }) =>
      read<{ readonly reference: string; readonly attempts: readonly LoginAttempt[] }>(
        `login-attempts/${encodeURIComponent(reference)}`,
        signal,
      ),
  });
  const found = query.data;
  if (found === undefined) return null;
  const identity = found.attempts.find((attempt) => attempt.identity !== null)?.identity ?? null;
  return (
    <p className="note" id="found-attempt">
      <Link to="/attempts/$id" params={{ id: found.reference }}>
        {words.attemptFound(found.reference)}
      </Link>
      {identity !== null && (
        <>
          {' · '}
          <Link to="/people/$id" params={{ id: identity.id }}>
            {identity.name}
          </Link>
        </>
      )}
    </p>
  );
}
