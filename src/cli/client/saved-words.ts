import { type Millis, SECOND } from '../../platform/clock.ts';
import { asList, asObject, textField } from '../../platform/formats/json-shape.ts';
import { withinTime } from '../../platform/within-time.ts';
import type { CliPorts } from '../terminal/ports.ts';
import { connectionOf, isFresh, savedLogin } from './connection/connection.ts';
import { credentialsStore, type SavedLogin } from './connection/credentials-store.ts';
import type { HttpsClient } from './connection/https-client.ts';
import { loginWord } from './connection/several-logins.ts';
import { entityNamed } from './entities/entities.ts';
import { filterText } from './entities/lookup.ts';

/** The person waits with a finger on the key. */
const usualPatience: Millis = 1.5 * SECOND;
const most = 100;

/** Words for the saved logins: the addresses, and the identities that are logged in there. */
export async function loginWords(ports: CliPorts): Promise<readonly string[]> {
  try {
    const logins = Object.values((await credentialsStore(ports).read()).logins);
    return [...new Set(logins.map(({ url }) => url)), ...logins.map(loginWord)];
  } catch {
    return [];
  }
}

/**
 * Names of this entity that begin as typed, or ids if it has no names. None without a login whose token can be used as
 * it is, or if the server does not answer at once: completion renews nothing and prompts for nothing.
 */
export async function namesOf(
  ports: CliPorts,
  server: string | undefined,
  { entityName, typed }: { entityName: string; typed: string },
): Promise<readonly string[]> {
  try {
    const login = await savedLogin(ports, server);
    if (login.secondaryJwtFile !== undefined || !isFresh(login, ports.clock.now())) return [];
    using http = await connectionOf(ports, login);
    return await withinTime(
      ask(http, login, { entityName, typed }),
      patienceOf(ports),
      'too slow to complete',
    );
  } catch {
    return [];
  }
}

/** How long a person who pressed the tab key waits for a server. */
function patienceOf({ env }: CliPorts): Millis {
  const seconds = Number(env.OVERLAY_AUTH_COMPLETION_SECONDS);
  return seconds > 0 ? seconds * SECOND : usualPatience;
}

async function ask(
  http: HttpsClient,
  login: SavedLogin,
  { entityName, typed }: { entityName: string; typed: string },
): Promise<readonly string[]> {
  const { path, lookupFields } = entityNamed(entityName);
  const field = lookupFields.at(-1) ?? 'id';
  const url = new URL(`/edge/management/v1${path}`, login.apiUrl);
  url.searchParams.set('limit', String(most));
  if (typed !== '') url.searchParams.set('filter', `${field} icontains ${filterText(typed)}`);
  const answer = await http.send({ method: 'GET', url, login });
  const rows = asList(asObject(answer.body).data).map(asObject);
  const words = rows.map((row) =>
    field === 'identityName' ? textField(asObject(row.identity), 'name') : textField(row, field),
  );
  // The shells read one word per line.
  return [
    ...new Set(words.filter((word) => word !== undefined && !/[\p{Cc}\p{Bidi_Control}]/u.test(word))),
  ] as string[];
}
