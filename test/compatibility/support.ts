// What the conversations of existing SDKs have in common. Each client is written as the raw requests that it makes,
// with the checks that it makes on the answers.

import assert from 'node:assert/strict';
import type { FixedClock } from '../support/fixed-clock.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

export const goClient = 'native';
export const cClient = 'openziti';

/** A server whose compatibility profile is on for the two client ids of existing SDKs. */
export function startCompatibleServer(
  clock?: FixedClock,
  more: {
    readonly home?: string;
    readonly configure?: (yaml: string) => string;
    readonly signing?: boolean;
  } = {},
): Promise<TestServer> {
  const { home, configure = (yaml: string) => yaml, signing = false } = more;
  return startTestServer({
    signing,
    ...(clock === undefined ? {} : { clock }),
    ...(home === undefined ? {} : { home }),
    configure: (yaml) => configure(yaml.replace('clientIds: []', `clientIds: [${goClient}, ${cClient}]`)),
  });
}

/** The path and query of an absolute or relative Location. */
export function pathOf(location: string, base = 'https://localhost'): string {
  const url = new URL(location, base);
  return url.pathname + url.search;
}

/**
 * Follows redirects with GET as the HTTP clients of Go and of browsers do after 302, until the next address begins
 * with `stopAt`; gives the last answer, and the last path that was asked.
 */
export async function follow(
  client: HttpsClient,
  first: Answer,
  firstPath: string,
  stopAt: string | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: Answer; readonly path: string; readonly hops: number }> {
  let [answer, path] = [first, firstPath];
  for (let hops = 0; hops < 10; hops += 1) {
    const location = answer.headers.location;
    const isLast = location === undefined || (stopAt !== null && location.startsWith(stopAt));
    if (isLast || ![301, 302, 303].includes(answer.status)) return { answer, path, hops };
    path = pathOf(location);
    answer = await client.get(path, { headers });
  }
  throw new Error('stopped after 10 redirects');
}

/** `Authorization` of a public client: its id and an empty password. */
export function basic(clientId: string, encoding: 'base64' | 'base64url' = 'base64'): string {
  return `Basic ${Buffer.from(`${clientId}:`).toString(encoding)}`;
}

/** A JWT as clients read it without verifying: three segments, header and claims are JSON objects. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary claims
export function parseJwt(text: string): { readonly header: any; readonly claims: any } {
  const segments = text.split('.');
  assert.equal(segments.length, 3, 'a JWT has three segments');
  const read = (at: number) => JSON.parse(Buffer.from(segments[at] ?? '', 'base64url').toString());
  return { header: read(0), claims: read(1) };
}

export const tokenType = (name: 'access_token' | 'refresh_token' | 'id_token') =>
  `urn:ietf:params:oauth:token-type:${name}`;
