// One person: can they sign in, and if not, why; and the remedies.

import { Link, useParams } from '@tanstack/react-router';
import { identityEntity } from '../../../src/model/entities/identity.ts';
import { setApart } from '../../../src/pages/texts/both-languages.ts';
import { CopyButton } from '../../parts/keep.tsx';
import { timeText } from '../../parts/language.ts';
import { Badge, Card, Facts } from '../../parts/screen.tsx';
import { useNames } from '../forms/names.ts';
import { factsOf } from '../lists/columns.tsx';
import { useIsAdmin, useMe } from '../me.ts';
import { LoadedScreen } from '../parts/loaded.tsx';
import { useList, useRead } from '../queries.ts';
import { valueText } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import type { ApiSession, AuthPolicy, IdentityDetail } from '../types.ts';
import { policySentences } from '../words.ts';
import { PersonEnrollments } from './people/person-enrollments.tsx';
import { words as more } from './people/words.ts';
import { PersonActions } from './person-actions.tsx';
import { PersonAttempts } from './person-attempts.tsx';
import { lockEnd, PersonAuthenticators } from './person-authenticators.tsx';
import { PersonBrowsers, PersonPrograms, PersonSessions } from './person-sessions.tsx';
import { PersonVerdict } from './person-verdict.tsx';

const { person: words } = texts;

export function PersonScreen() {
  const { id = '' } = useParams({ strict: false });
  const isAdmin = useIsAdmin();
  const query = useRead<IdentityDetail>(`identities/${encodeURIComponent(id)}`);
  return (
    <LoadedScreen
      query={query}
      list="people"
      title={({ name }) => name}
      tools={() =>
        isAdmin && (
          <Link to="/people/$id/edit" params={{ id }} className="button plain" id="edit">
            {more.edit}
          </Link>
        )
      }
    >
      {(person) => <PersonView person={person} />}
    </LoadedScreen>
  );
}

function PersonView({ person }: { person: IdentityDetail }) {
  const me = useMe().data;
  const { id } = person;
  const sessions = useList<ApiSession>(`identities/${id}/api-sessions`, {
    sort: 'lastActivityAt desc',
    limit: 50,
  });
  return (
    <>
      <p className="badges">
        <Badge>{valueText('identity', 'type', person.typeId)}</Badge>
        {person.isAdmin && <Badge>{texts.administrator}</Badge>}
        {person.permissions.map((permission) => (
          <Badge key={permission}>{texts.who[permission]}</Badge>
        ))}
        {person.id === me?.id && <Badge>{texts.who.you}</Badge>}
      </p>
      <PersonVerdict id={person.id} />
      <PersonActions person={person} sessions={sessions.data?.total ?? 0} />
      <div className="columns">
        <PersonFacts person={person} />
        <PersonAuthenticators person={person} />
      </div>
      <PersonEnrollments person={person} />
      <PersonAttempts id={id} />
      <PersonSessions person={person} query={sessions} />
      <PersonBrowsers person={person} />
      <PersonPrograms id={id} />
    </>
  );
}

function PersonFacts({ person }: { person: IdentityDetail }) {
  const policy = useRead<AuthPolicy>(`auth-policies/${person.authPolicyId}`);
  const names = useNames('ext-jwt-signer');
  const sentences = policy.data === undefined ? [] : policySentences(policy.data, names);
  return (
    <Card
      id="facts"
      title={words.facts}
      tools={
        <Link to="/audit" search={{ person: person.id }}>
          {more.audit}
        </Link>
      }
    >
      <Facts
        facts={[
          [texts.people.state, <StateBadge key="state" person={person} />],
          [words.locked, lockText(person)],
          person.passwordMustChange ? [texts.newPassword, more.mustChangeYes] : null,
          [
            texts.people.policy,
            <>
              <Link to="/policies/$id" params={{ id: person.authPolicyId }}>
                {person.authPolicy.name}
              </Link>
              <span className="hint">{whyPolicy(person, policy.data)}</span>
              {sentences.map((sentence) => (
                <span className="hint" key={sentence}>
                  {sentence}
                </span>
              ))}
            </>,
          ],
          [
            words.id,
            <>
              <code>{person.id}</code> <CopyButton text={person.id} />
            </>,
          ],
          machineText(person) === '' ? null : [more.machine, machineText(person)],
          ...factsOf(identityEntity, person, [
            'lastLoginAt',
            'externalId',
            ...(person.email === null ? [] : ['email', 'emailVerified']),
            ...['roleAttributes', 'tags'],
          ]),
        ]}
      />
    </Card>
  );
}

/** Why the person has the policy, with the role attributes that it is assigned to. */
function whyPolicy(
  { authPolicyFrom, roleAttributes }: IdentityDetail,
  policy: AuthPolicy | undefined,
): string {
  const why = valueText('identity', 'authPolicyFrom', authPolicyFrom);
  const shared = policy?.assignTo.filter((one) => roleAttributes.includes(one)) ?? [];
  return authPolicyFrom === 'roleAttributes' ? setApart(`${why}: ${shared.join(', ')}`) : why;
}

export function StateBadge({ person }: { person: Pick<IdentityDetail, 'disabled' | 'disabledUntil'> }) {
  const { people } = texts;
  if (!person.disabled) return <Badge kind="good">{people.enabled}</Badge>;
  const until = person.disabledUntil;
  return <Badge kind="bad">{until === null ? people.disabled : people.disabledUntil(timeText(until))}</Badge>;
}

/** The device and the program of the last sign-in, in their own words. */
function machineText({ envInfo, sdkInfo }: IdentityDetail): string {
  const { hostname, os, osRelease, osVersion, arch } = envInfo;
  const { appId, appVersion, type, version } = sdkInfo;
  const said = [[hostname], [os, osRelease ?? osVersion, arch], [appId, appVersion], [type, version]];
  return said
    .map((words) => words.filter(Boolean).join(' '))
    .filter(Boolean)
    .join(' · ');
}

function lockText({ lockedUntil: { password, totp } }: IdentityDetail): string {
  const locks = [
    password === null ? null : words.lockedPassword(lockEnd(password)),
    totp === null ? null : words.lockedTotp(lockEnd(totp)),
  ].filter((lock) => lock !== null);
  return locks.length === 0 ? words.notLocked : locks.join('; ');
}
