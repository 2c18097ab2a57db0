import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { identityEntity } from '../../../src/model/entities/identity.ts';
import { Badge } from '../../parts/screen.tsx';
import { allOf, before, contains, equal, looksLikeId } from '../filter.ts';
import { useNames } from '../forms/names.ts';
import { type Column, codeColumn, fieldColumn, PersonLink } from '../lists/columns.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { ChoiceFilter, TextFilter } from '../lists/filters.tsx';
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
  const filter = filterOf(q, owners.data ?? [], address);
  const picking = usePicking(filter);
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
      filters={
        <>
          <TextFilter name="q" label={texts.search} hint={words.findText} />
          <ChoiceFilter
            name="state"
            label={words.state}
            choices={{ enabled: words.enabled, disabled: words.disabled }}
          />
          <ChoiceFilter name="type" {...typeWords} />
          <TextFilter name="role" label={words.role} />
          <ChoiceFilter name="policy" label={words.policy} choices={useNames('auth-policy')} />
          <ChoiceFilter name="factor" label={words.factor} choices={words.factors} />
          <ChoiceFilter name="seen" label={words.seen} choices={words.seenBefore} />
        </>
      }
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
      filter={filter}
      defaultSort="name asc"
      empty={[words.noPerson, words.noPersonText]}
    />
  );
}

function filterOf(
  q: string,
  owners: readonly string[],
  { state, policy, role, type, factor, seen }: Readonly<Record<string, string | undefined>>,
): string {
  const others = [
    { enabled: 'disabledAt = null', disabled: 'disabledAt != null' }[state ?? ''] ?? null,
    equal('type', type),
    equal('authPolicyId', policy),
    role === undefined || role === '' ? null : `roleAttributes contains ${quoted(role)}`,
    factorFilters[factor ?? ''] ?? null,
    seen === 'never' ? 'lastLoginAt = null' : before('lastLoginAt', Number(seen)),
  ];
  if (q === '') return allOf(...others);
  const matches = [
    contains('name', q),
    contains('externalId', q),
    contains('email', q),
    looksLikeId(q) ? equal('id', q) : null,
    owners.length === 0 ? null : `id in [${owners.map(quoted).join(', ')}]`,
  ].filter((one) => one !== null);
  return allOf(matches.join(' or '), ...others);
}

const factorFilters: Readonly<Record<string, string>> = {
  app: 'isMfaEnabled = true',
  passkey: 'hasPasskey = true',
  none: 'isMfaEnabled = false and hasPasskey = false',
};

const { labels, choices } = fieldWords('identity');
const typeWords = { label: labels.type ?? '', choices: choices.type ?? {} };

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
