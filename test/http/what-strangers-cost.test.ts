// The cost that a client without a proof can cause at each endpoint, counted for every declared endpoint, and compared
// with docs/what-strangers-cost.md. To write that table again: OVERLAY_AUTH_WRITE_DOCS=1.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { z } from 'zod';
import type { Route } from '../../src/http/request/route.ts';
import { mayChangeSomething } from '../../src/http/request/sender.ts';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { withCertificate } from '../support/certificates.ts';
import { authority, client, commonName, newKeys } from '../support/chains.ts';
import { signatureChecks } from '../support/counted-crypto.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { dpopKey } from '../support/dpop.ts';
import { bearer, createSigner, tokenOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, challenge, redirectUri, verifier } from '../support/flow.ts';
import type { RequestInit } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { bytesRemembered, forgetGarbage, remembering } from '../support/remembered.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

const document = new URL('../../docs/what-strangers-cost.md', import.meta.url).pathname;
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const db = 'sqlite:./overlay.db';
// One thread: what others do is not counted here.
const server = await startTestServer({ clock, signing: true, db, configure: withCompatibility, threads: 1 });
const database = new DatabaseSync(join(server.home, 'overlay.db'), { readOnly: true });
await server.createUser({ name: 'alice', password });
const idp = await startTestIdp();
const enrolls = {
  enrollToTokenEnabled: true,
  enrollToCertEnabled: true,
  externalAuthUrl: idp.issuer,
  clientId: 'x',
};
const signerId = await createSigner(await rootOf(server), idp, 'idp', enrolls);
after(async () => {
  database.close();
  await server.close();
  await idp.close();
});

function withCompatibility(yaml: string): string {
  return yaml.replace('clientIds: []', 'clientIds: [native]');
}

interface Cost {
  rows: number;
  hashes: number;
  checks: number;
  logged: number;
  remembered: number;
}

/** Every row of the database, by its content. Rows that a node writes about itself do not count. */
function readRows(): ReadonlySet<string> {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables
    .filter(({ name }) => name !== 'nodes')
    .flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => JSON.stringify([name, row])),
    );
  return new Set(rows);
}

let seen: { readonly version: unknown; readonly rows: ReadonlySet<string> } = {
  version: null,
  rows: new Set(),
};

/** Reads them again only if something was committed. */
function storedRows(): ReadonlySet<string> {
  const version = database.prepare('PRAGMA data_version').get()?.data_version;
  if (seen.version !== version) seen = { version, rows: readRows() };
  return seen.rows;
}

/** Counts the requests to the hash pool. */
function hashes(): () => number {
  let count = 0;
  for (const name of ['verify', 'hash'] as const) {
    const original = server.hashPool[name] as (...parameters: never[]) => unknown;
    Object.assign(server.hashPool, {
      [name]: (...parameters: never[]) => {
        count += 1;
        return original.apply(server.hashPool, parameters);
      },
    });
  }
  return () => count;
}

/** As they were after the request before. */
let lastRows: ReadonlySet<string> | null = null;

/** What one request costs, besides memory. */
async function costOf(
  countHashes: () => number,
  send: () => Promise<unknown>,
): Promise<Omit<Cost, 'remembered'>> {
  const { attempts } = server.controller.services;
  await attempts.flush();
  const before = lastRows ?? storedRows();
  const written = server.log.entries.length;
  const hashed = countHashes();
  const checks = signatureChecks();
  await send();
  await attempts.flush();
  lastRows = storedRows();
  const entries = server.log.entries.slice(written);
  return {
    rows: [...lastRows].filter((row) => !before.has(row)).length,
    hashes: countHashes() - hashed,
    checks: checks(),
    logged: entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0),
  };
}

type Values = Readonly<Record<string, unknown>>;

/** What a stranger writes into members with these names: the most expensive known values. */
function dearValues(authRequestId: string): Values {
  return {
    authRequestId,
    authRequestID: authRequestId,
    id: authRequestId,
    username: 'alice',
    password: 'a wrong guess',
    code: '123456',
    csrPem: csrPem(ecKeys(), { signer: ecKeys() }),
    csr_pem: csrPem(ecKeys(), { signer: ecKeys() }),
    clientCsr: csrPem(ecKeys(), { signer: ecKeys() }),
    signer: signerId,
    step: 'primary',
    client_id: 'overlay',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    code_verifier: verifier,
    method: undefined,
    configTypes: ['x'],
    envInfo: undefined,
    sdkInfo: undefined,
  };
}

/** A value for every member of a schema. */
function filled(schema: z.ZodType | undefined, values: Values): Record<string, unknown> {
  if (schema === undefined) return {};
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const members = Object.entries(properties).map(([name, member]) => {
    if (name in values) return [name, values[name]];
    const one = typeof member === 'object' ? member : {};
    return [name, one.enum?.[0] ?? one.const ?? 'x'];
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function choicesOf(schema: z.ZodType, name: string): readonly unknown[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const member = properties[name];
  return typeof member === 'object' ? (member.enum ?? []) : [];
}

/** Requests of strangers that do not follow from the endpoint's schema. */
const special: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  'POST /oidc/par': [
    { response_type: 'code', scope: 'openid', redirect_uri: 'https://elsewhere.example/cb' },
  ],
  'POST /oidc/token': [
    {
      grant_type: 'authorization_code',
      code: 'made.up.code.x',
      redirect_uri: redirectUri,
      code_verifier: verifier,
    },
    { grant_type: 'refresh_token', refresh_token: 'made.up.token.x', csr_pem: csrPem(ecKeys()) },
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'made.up.code.x' },
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: 'native',
      subject_token: 'a.b.c',
      subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
    },
  ],
};

/** Seven authorities with one name and one key: the search for a path continues as long as it is allowed to. */
const mesh = (() => {
  const own = { name: commonName('mesh'), keys: newKeys.ec() };
  const sent = Array.from({ length: 7 }, () => authority({ subject: own.name, keys: own.keys, issuer: own }));
  return { leaf: client({ issuer: own }), sent };
})();

const proofKey = dpopKey();

interface Probe {
  readonly path: string;
  readonly init: RequestInit;
  /** On a connection that proves a certificate; otherwise without one. */
  readonly withCertificate: boolean;
}

async function probesOf(route: Route, method: string): Promise<readonly Probe[]> {
  const forged = `${(await tokenOf(server, idp, 'nobody')).slice(0, -8)}AAAAAAAA`;
  const values = dearValues(await beginLogin(server));
  const path = route.path.replace(':signer', signerId).replaceAll(/:\w+/g, 'no-such');
  const asText = (members: Values) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
  const body = filled(route.described?.body ?? route.body?.schema, values);
  const inits: RequestInit[] = [{ headers: bearer(forged) }, { headers: { 'zt-session': 'x.y.z' } }];
  // A stranger may say that one of our pages has led there.
  if (method === 'GET') inits.push({ headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' } });
  else {
    inits.push({ json: body, headers: bearer(forged) }, { json: body }, { form: asText(body) });
    // Anybody can make a key, and a proof of it.
    const dpop = proofKey.proof({ method, url: `${server.url}${path}` }, clock.now());
    inits.push({ form: asText(body), headers: { dpop } });
    for (const form of special[`${method} ${route.path}`] ?? [])
      inits.push({ form: { client_id: 'overlay', ...form }, headers: { dpop } });
  }
  const query = route.described?.query ?? route.query;
  const methods = query === undefined ? [] : choicesOf(query, 'method');
  const queries = (methods.length === 0 ? [undefined] : methods).map((one) =>
    new URLSearchParams(asText(filled(query, { ...values, method: one }))).toString(),
  );
  const bare = { path, init: {}, withCertificate: false };
  const asked = queries.flatMap((search) =>
    inits.flatMap((init) =>
      [false, true].map((proves) => ({ path: `${path}?${search}`, init, withCertificate: proves })),
    ),
  );
  return [bare, { ...bare, withCertificate: true }, ...asked];
}

/** @returns the status */
async function send(method: string, { path, init, withCertificate: proves }: Probe): Promise<number> {
  if (!proves) return (await server.request(method, path, init)).status;
  using connection = withCertificate(server, mesh.leaf, ...mesh.sent);
  const { status } = await connection.request(method, path, init);
  return status;
}

/** Success gives back what was counted against the source, so a stranger must not have it. */
async function sendWithoutProof(route: Route, method: string, probe: Probe): Promise<void> {
  const status = await send(method, probe);
  const isGivenBack = route.load === 'counted-unless-proven' && mayChangeSomething(method);
  if (isGivenBack) assert.ok(status >= 400, `${method} ${route.path} proves nothing, and does not count`);
}

/**
 * The most expensive of all requests, count by count, over a connection with and without a certificate.
 * @returns says it after `forgetGarbage`
 */
async function costOfEndpoint(route: Route, method: string, countHashes: () => number): Promise<() => Cost> {
  // Forgets what earlier requests counted against this source.
  lastRows = null;
  clock.advance(31 * MINUTE);
  const most = { rows: 0, hashes: 0, checks: 0, logged: 0 };
  const probes = await probesOf(route, method);
  for (const probe of probes) {
    const cost = await costOf(countHashes, () => sendWithoutProof(route, method, probe));
    for (const name of ['rows', 'hashes', 'checks', 'logged'] as const)
      most[name] = Math.max(most[name], cost[name]);
  }
  const bytes = await remembering(async () => {
    for (const probe of probes) if (!probe.withCertificate) await send(method, probe);
    await server.controller.services.attempts.flush();
    server.closeConnections();
  });
  return () => ({ ...most, remembered: bytes() });
}

const howToWrite = 'look at what changed, then run this test with OVERLAY_AUTH_WRITE_DOCS=1';

/** The power of two above the number of bytes, which is never quite the same. */
function bound(bytes: number): number {
  return bytes === 0 ? 0 : 2 ** Math.max(8, Math.ceil(Math.log2(bytes * 1.25)));
}

/** The runtime keeps odds and ends of its own. */
function boundRemembered(bytes: number): number {
  return bytes <= oddsAndEnds ? 0 : bound(bytes);
}

const oddsAndEnds = 4096;

function lineOf(endpoint: string, cost: Cost): string {
  const cells = [cost.rows, cost.hashes, cost.checks, bound(cost.logged), boundRemembered(cost.remembered)];
  return `| \`${endpoint}\` | ${cells.join(' | ')} |`;
}

/** Part of the path of the pages' files, which changes with their content. */
function withoutHash(path: string): string {
  return path.startsWith('/assets/') ? path.replace(/\.[\w-]{12}(?=[./])/, '.*') : path;
}

test('strangers can cause only what the document says, at every endpoint that needs no proof', async () => {
  const countHashes = hashes();
  const anonymous = server.controller.services.routes.filter(({ guard }) => guard === 'anonymous');
  const measured = new Map<string, Cost>();
  const waiting = new Map<string, () => Cost>();
  for (const route of anonymous) {
    // HEAD is GET without the body.
    for (const method of route.methods.filter((name) => name !== 'HEAD')) {
      const endpoint = `${method} ${withoutHash(route.path)}`;
      waiting.set(endpoint, await costOfEndpoint(route, method, countHashes));
    }
    // Not at the end only: what lives for seconds would no longer count.
    if (waiting.size < 10 && route !== anonymous.at(-1)) continue;
    await forgetGarbage();
    for (const [name, cost] of waiting) measured.set(name, cost());
    waiting.clear();
  }
  const text = readFileSync(document, 'utf8');
  // Further tables are those of what-callers-cost.test.ts.
  const [own = '', ...further] = text.split(/^(?=## )/m);
  const [intro = ''] = own.split(/^\| `/m);
  if (process.env.OVERLAY_AUTH_WRITE_DOCS === '1') {
    const lines = [...measured].sort(([one], [other]) => one.localeCompare(other, 'en'));
    writeFileSync(
      document,
      `${intro}${lines.map(([endpoint, cost]) => lineOf(endpoint, cost)).join('\n')}\n\n${further.join('')}`,
    );
    return;
  }
  const said = new Map(
    [...own.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, endpoint = '', cells = '']) => [
      endpoint,
      cells.split(' | ').map(Number),
    ]),
  );
  assert.deepEqual([...said.keys()].sort(), [...measured.keys()].sort(), howToWrite);
  for (const [endpoint, cost] of measured) {
    const [rows, hashed, checks, logged = 0, kept = 0] = said.get(endpoint) ?? [];
    const counts = [cost.rows, cost.hashes, cost.checks];
    assert.deepEqual(
      counts,
      [rows, hashed, checks],
      `${endpoint}: rows, hashes, signature checks; ${howToWrite}`,
    );
    assert.ok(cost.logged <= logged, `${endpoint}: ${cost.logged} bytes logged`);
    const remembered = `${endpoint}: ${cost.remembered} bytes remembered`;
    assert.ok(cost.remembered <= Math.max(kept, oddsAndEnds), remembered);
    // A bound far above what happens says nothing.
    assert.ok(logged <= bound(cost.logged) * 2, `${endpoint}: only ${cost.logged} bytes logged`);
    assert.ok(kept <= boundRemembered(cost.remembered) * 4, remembered);
  }
});

test('kept memory shows, and released memory does not', async () => {
  const kept = new Map<string, string>();
  const large = 'x'.repeat(10_000);
  const remembered = await bytesRemembered(async () => {
    kept.set('large', large);
    new Map().set('gone', large);
  });
  assert.ok(remembered >= 10_000 && remembered < 20_000, `${remembered} bytes`);
});

test('a connection with an unseen chain leaves its intermediates in memory, at most 32 KiB', async () => {
  const leaf = client({ issuer: authority({ subject: 'unseen' }) });
  const remembered = await bytesRemembered(async () => {
    using connection = withCertificate(server, leaf, ...mesh.sent);
    await connection.get('/version');
  });
  assert.ok(remembered <= 32 * 1024 + oddsAndEnds, `${remembered} bytes`);
});
