import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { identityEntity } from '../../../src/model/entities/identity.ts';
import { Badge } from '../../parts/screen.tsx';
import { anyOf, before, contains, idIs } from '../filter.ts';
import { useNames } from '../forms/names.ts';
import { type Column, codeColumn, fieldColumn, PersonLink } from '../lists/columns.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { choiceOf, type Filter, useFilter } from '../lists/filters.tsx';
import { ListScreen } from '../lists/list-screen.tsx';
import { PickBar, pickColumn, usePicking } from '../lists/picking.tsx';
import { useIsAdmin } from '../me.ts';
import { Time } from '../parts/time.tsx';
import { list, quoted } from '../session/api.ts';
import { fieldWords } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import type { Authenticator, Identity } from '../types.ts';
import { useAttempt } from './attempt.tsx';
import { ManyPeople } from './people/many-people.tsx';
import { StoppedJobs } from './people/many-stopped.tsx';
import { StateBadge } from './person.tsx';

const { people: words } = texts;

export const stateColumn: Column<Identity> = {
  name: 'state',
  title: words.state,
  cell: (person) => <StateBadge person={person} />,
  text: ({ disabled }) => (disabled ? 'disabled' : 'enabled'),
};

export const policyColumn: Column<Identity> = {
  ...fieldColumn<Identity>(identityEntity, 'authPolicyId', ({ authPolicyId, authPolicy }) => (
    <Link to="/policies/$id" params={{ id: authPolicyId }}>
      {authPolicy.name}
    </Link>
  )),
  sort: null,
  text: ({ authPolicy }) => authPolicy.name,
};

/** The second factor of a person. */
export const factorColumn: Column<Identity> = {
  name: 'factor',
  title: words.factor,
  cell: ({ isMfaEnabled, hasPasskey }) =>
    [isMfaEnabled ? words.factors.app : [], hasPasskey ? words.factors.passkey : []].flat().join(', ') ||
    words.factors.none,
  text: ({ isMfaEnabled, hasPasskey }) =>
    [isMfaEnabled ? 'app' : [], hasPasskey ? 'passkey' : []].flat().join(' '),
};

const columns: readonly Column<Identity>[] = [
  fieldColumn(identityEntity, 'name', (person) => (
    <>
      <PersonLink of={person} /> {person.isAdmin && <Badge>{texts.administrator}</Badge>}
      {[...new Set([person.email, person.externalId])].map(
        (text) =>
          text !== null && (
            <span key={text} className="hint block">
              {text}
            </span>
          ),
      )}
    </>
  )),
  stateColumn,
  fieldColumn(identityEntity, 'type'),
  fieldColumn(identityEntity, 'roleAttributes', ({ roleAttributes }) => <Attributes of={roleAttributes} />),
  policyColumn,
  factorColumn,
  fieldColumn(identityEntity, 'lastLoginAt', ({ lastLoginAt }) =>
    lastLoginAt === null ? texts.never : <Time at={lastLoginAt} />,
  ),
  { ...codeColumn('email', fieldWords('identity').labels.email ?? ''), cell: null },
  { ...codeColumn('externalId', fieldWords('identity').labels.externalId ?? ''), cell: null },
  { ...codeColumn('id', texts.person.id, null), cell: null },
];

/** As links to all who have one of them. */
function Attributes({ of }: { of: readonly string[] }) {
  return of.map((role, at) => (
    <Fragment key={role}>
      {at > 0 && ' '}
      <Link to="/people" search={{ role }}>
        {role}
      </Link>
    </Fragment>
  ));
}

export function PeopleScreen() {
  const [address] = useListAddress();
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
  const isAdmin = useIsAdmin();
  const policy = choiceOf('authPolicyId', words.policy, useNames('auth-policy'));
  const filtersWith = (ids: readonly string[]): readonly Filter[] => [
    {
      name: 'q',
      label: texts.search,
      hint: words.findText,
      where: (text) => matching(text.trim(), ids),
    },
    ...ofState,
    { ...policy, name: 'policy' },
    ...ofUse,
  ];
  const filters = filtersWith(owners.data ?? []);
  // What is picked before the owners are known stays.
  const picking = usePicking(useFilter(filters), useFilter(filtersWith([])));
  return (
    <ListScreen<Identity>
      screen="people"
      tools={
        isAdmin && (
          <span className="buttons">
            <Link to="/people/new" className="button main" id="create">
              {words.create}
            </Link>
            <Link to="/people/import" className="button plain" id="import">
              {words.import}
            </Link>
          </span>
        )
      }
      filters={filters}
      above={
        <>
          {looksLikeReference(q) && <AttemptOf reference={q} />}
          <StoppedJobs />
        </>
      }
      path="identities"
      columns={isAdmin ? [pickColumn<Identity>(picking), ...columns] : columns}
      listTools={(found) =>
        isAdmin && (
          <PickBar picking={picking} found={found}>
            <ManyPeople
              selection={picking.selection}
              count={picking.countOf(found.total)}
              gone={picking.clear}
            />
          </PickBar>
        )
      }
      defaultSort="name asc"
      empty={[words.noPerson, words.noPersonText]}
    />
  );
}

function matching(q: string, owners: readonly string[]): string | null {
  if (q === '') return null;
  const fields = ['name', 'externalId', 'email'].map((field) => contains(field, q));
  const owned = owners.length === 0 ? null : `id in [${owners.map(quoted).join(', ')}]`;
  return anyOf(...fields, idIs('id', q), owned);
}

const stateFilters: Readonly<Record<string, string>> = {
  enabled: 'disabledAt = null',
  disabled: 'disabledAt != null',
};

const factorFilters: Readonly<Record<string, string>> = {
  app: 'isMfaEnabled = true',
  passkey: 'hasPasskey = true',
  none: 'isMfaEnabled = false and hasPasskey = false',
};

const { labels, choices } = fieldWords('identity');

const ofState: readonly Filter[] = [
  {
    name: 'state',
    label: words.state,
    choices: { enabled: words.enabled, disabled: words.disabled },
    where: (state) => stateFilters[state] ?? null,
  },
  choiceOf('type', labels.type ?? '', choices.type ?? {}),
  { name: 'role', label: words.role, where: (role) => `roleAttributes contains ${quoted(role)}` },
];

const ofUse: readonly Filter[] = [
  {
    name: 'factor',
    label: words.factor,
    choices: words.factors,
    where: (factor) => factorFilters[factor] ?? null,
  },
  {
    name: 'seen',
    label: words.seen,
    choices: words.seenBefore,
    where: (days) => (days === 'never' ? 'lastLoginAt = null' : before('lastLoginAt', Number(days))),
  },
];

/** Reference ids are short and in one case. Dashes help when reading them out. */
function looksLikeReference(text: string): boolean {
  return /^[0-9a-z-]{8,14}$/i.test(text);
}

/** Leads from the id that a refused person reads out to what happened. */
function AttemptOf({ reference }: { reference: string }) {
  const query = useAttempt(reference);
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
          <PersonLink of={identity} />
        </>
      )}
    </p>
  );
}
