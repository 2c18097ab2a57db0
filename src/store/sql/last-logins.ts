// The last login of each identity, application and program, and what the client said of itself, written in the step that
// opens the session: that costs a login no further commit, and no round trip.

import type { ApiSession } from '../../model/api-session.ts';
import { type ClientInfo, withoutVersion } from '../../model/client-info.ts';
import type { NewProgram } from '../../model/last-login.ts';
import { lastLoginListFields } from '../../model/list-fields.ts';
import { HOUR, MINUTE, type Millis } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import type { LastLoginStore, ListedLastLogin } from '../contracts/last-logins.ts';
import { excluded, insertOr, integerOrNull, reader } from './codec.ts';
import { concern } from './concern.ts';
import { among, type Intent, run, type SqlRow } from './intent.ts';
import { listSource } from './list-source.ts';

const listed = listSource('last_logins', lastLoginListFields, { identity: 'JOIN', inOrder: ['lastAt'] });
const listedOf = reader<ListedLastLogin>()(
  'id identityId clientId program? operatingSystem? ipAddress firstAt lastAt identityName',
);

export const lastLogins = concern<LastLoginStore>()({
  methods: ({ list }) => ({ list: (query) => list(listed, query, listedOf) }),
});

/** Of one identity: otherwise a person who can log in could fill the store. */
const mostKept = 50;
/** Logins that follow one another change nothing, so that those of one identity do not wait for one another. */
const precision: Millis = MINUTE;
/** How many characters of an id say whose program it is. The others are of the application. */
const programLength = 16;
const idLength = 24;

/** A column of a statement: the rows of an identity as one text, which saves a statement. */
export function knownLoginsSql(identityId: string): string {
  return `(SELECT string_agg(id || ' ' || first_at || ' ' || last_at, ',') FROM last_logins
    WHERE last_logins.identity_id = ${identityId}) AS known_logins`;
}

interface KnownLogin {
  readonly id: string;
  readonly firstAt: Millis;
  readonly lastAt: Millis;
}

/**
 * Stores that an identity has logged in.
 * @param known what `knownLoginsSql` returned
 * @returns the program if it is new; null if not, and for the very first login
 */
export function* keepLogin(
  known: unknown,
  session: Pick<
    ApiSession,
    'identityId' | 'clientId' | 'program' | 'operatingSystem' | 'loginIpAddress' | 'ipAddress'
  >,
  now: Millis,
): Intent<NewProgram | null> {
  const { identityId, clientId, program, operatingSystem } = session;
  const ipAddress = session.loginIpAddress ?? session.ipAddress;
  const logins = knownLoginsOf(known);
  const ofProgram = sha256(JSON.stringify([identityId, withoutVersion(program), operatingSystem]));
  const programId = ofProgram.slice(0, programLength);
  const id = programId + sha256(clientId).slice(0, idLength - programLength);
  const same = logins.find((login) => login.id === id);
  if (same !== undefined && now < same.lastAt + precision) return null;
  yield* insertOr(
    'last_logins',
    { ...{ id, identityId, clientId, program, operatingSystem, ipAddress }, firstAt: now, lastAt: now },
    `ON CONFLICT (id) DO UPDATE SET ${excluded('program ip_address last_at')}`,
  );
  if (same !== undefined) return null;
  const surplus = logins.toSorted((one, other) => other.lastAt - one.lastAt).slice(mostKept - 1);
  if (surplus.length > 0)
    yield* run`DELETE FROM last_logins WHERE id IN ${among(surplus.map((login) => login.id))}`;
  const since = new Map<string, Millis>();
  for (const login of logins) {
    const of = login.id.slice(0, programLength);
    since.set(of, Math.min(login.firstAt, since.get(of) ?? login.firstAt));
  }
  if (logins.length === 0 || since.has(programId)) return null;
  const newWithinHour = [...since.values()].filter((firstAt) => firstAt > now - HOUR).length;
  return { program, operatingSystem, ipAddress, newWithinHour };
}

/** The rows of `knownLoginsSql`, without those that were first seen just now. */
export function loginsBefore(known: unknown, now: Millis): string {
  const earlier = String(known ?? '').split(',');
  return earlier.filter((login) => login.split(' ')[1] !== String(now)).join(',');
}

function knownLoginsOf(known: unknown): readonly KnownLogin[] {
  if (typeof known !== 'string' || known === '') return [];
  return known.split(',').map((login) => {
    const [id = '', firstAt, lastAt] = login.split(' ');
    return { id, firstAt: Number(firstAt), lastAt: Number(lastAt) };
  });
}

/** Stores the report of a client, replacing earlier ones. Writes nothing if it is the same. */
export function* keepClientInfo(identityId: string, info: ClientInfo | undefined): Intent<void> {
  if (info === undefined) return;
  yield* insertOr(
    'client_info',
    { identityId, ...info },
    `ON CONFLICT (identity_id) DO UPDATE SET ${excluded('env_info sdk_info')}
     WHERE client_info.env_info <> excluded.env_info OR client_info.sdk_info <> excluded.sdk_info`,
  );
}

/**
 * Stores when an identity logged in. Only once an hour, because every login would otherwise rewrite its row.
 * @param row with the identity's `last_login_at`
 */
export function* keepLastLogin(identityId: string, row: SqlRow, now: Millis): Intent<void> {
  const last = integerOrNull(row, 'last_login_at');
  if (last !== null && last > now - HOUR) return;
  yield* run('UPDATE identities SET last_login_at = ? WHERE id = ?', now, identityId);
}

export const clientInfoOf = reader<ClientInfo>()('envInfo:json sdkInfo:json');

export const findClientInfoSql = 'SELECT * FROM client_info WHERE identity_id = ?';
