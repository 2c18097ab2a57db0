// A real browser that shows pages of other sites, with our cookies in it and a client certificate at hand. The pages
// try every endpoint that may change something, in every way in which a page can make a browser send. The server
// provides the list of endpoints, so that a new one is attacked without a line here. Its configuration is the default
// one, by which every page of this machine is an allowed origin; only people stay signed in.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { z } from 'zod';
import type { Answer } from '../../src/http/request/answer.ts';
import type { Route } from '../../src/http/request/route.ts';
import { mayChangeSomething } from '../../src/http/request/sender.ts';
import type { JsonSchema } from '../../src/model/json-schema.ts';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { type Visitor, visitor } from '../support/browser.ts';
import { sessionCookieName, withBrowserSession } from '../support/browser-session.ts';
import { registerCa, withCertificate } from '../support/certificates.ts';
import { authority, client, clientExtensions, generalName, subjectAltName } from '../support/chains.ts';
import { invited } from '../support/enrollment.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  beginLogin,
  obtainCode,
  redirectUri,
  submitPassword,
  verifier,
} from '../support/flow.ts';
import {
  type Attack,
  attackFrom,
  needsNoLeave,
  startForeignSite,
  type Way,
  waysOfOtherMethods,
  waysOfPost,
} from '../support/foreign-site.ts';
import { rootOf } from '../support/management.ts';
import { isFullSize } from '../support/size.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTotpUser, password, scan, totpPolicy } from '../support/totp.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const makers = authority({ subject: 'Makers' });
const email = 'victim@example.com';
const leaf = client({ issuer: makers }, clientExtensions(subjectAltName(generalName.email(email))));

const answered = new Map<Route, number[]>();
const site = await startForeignSite();
// Only the answers of the first thread are seen.
const watched = { onAnswer, threads: 1 };
const server = await startTestServer({ clock, signing: true, configure: withBrowserSession, ...watched });
const admin = await rootOf(server);
const caId = await registerCa(admin, makers, {
  isOttCaEnrollmentEnabled: true,
  externalIdClaim: { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE' },
});
const policy = await totpPolicy(server);
const victimId = await createIdentity(server, 'victim by certificate', { externalId: email });
await server.store.identities.update(victimId, { authPolicyId: policy }, clock.now());
for (const name of ['victim', 'mallory']) await createTotpUser(server, policy, name);
await server.createUser({ name: 'plain', password });
after(async () => {
  await server.close();
  await site.close();
});

function onAnswer(route: Route, { status }: Answer): void {
  answered.set(route, [...(answered.get(route) ?? []), status]);
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly route: Route;
}

function operations(): readonly Operation[] {
  return server.controller.services.routes.flatMap((route) =>
    route.methods
      .filter(mayChangeSomething)
      .map((method) => ({ method, path: route.path.replaceAll(/:\w+/g, caId), route })),
  );
}

/** What the author of the foreign page knows, by the names of fields; some of it matters only at some endpoints. */
type Loot = (path: string) => Readonly<Record<string, string>>;

async function lootWith(authRequestId: string, totp: string): Promise<Loot> {
  const code = await obtainCode(server, 'plain', password);
  const { token } = await invited(admin, { ottca: caId });
  return (path) => ({
    authRequestId,
    username: 'mallory',
    password,
    code: path.endsWith('/token') ? code : totp,
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    client_id: 'overlay',
    code_verifier: verifier,
    token,
    method: path.includes('/enroll') ? 'ottca' : 'cert',
  });
}

/** Without what a page could use by itself, as every program can: what remains is what the browser adds. */
async function lootForScripts(): Promise<Loot> {
  const id = await beginLogin(server);
  const loot = await lootWith(id, '123456');
  return (path) => {
    const { username: _user, password: _password, code: _code, ...known } = loot(path);
    return { ...known, code: '123456' };
  };
}

/** She has begun a login as a program, and completed its first step as herself. */
async function lootOfMallory(): Promise<Loot> {
  const id = await beginLogin(server);
  assert.equal((await submitPassword(server, id, 'mallory', password)).status, 200);
  return lootWith(id, '123456');
}

function schemaOf(schema: z.ZodType | undefined): JsonSchema {
  if (schema === undefined) return {};
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return json.anyOf?.[0] ?? json.oneOf?.[0] ?? json;
}

/** The members that the endpoint knows, as far as the loot has them; what else it needs is `x`. */
function fieldsFor(schema: JsonSchema, loot: Readonly<Record<string, string>>): Record<string, string> {
  const { properties = {}, required = [] } = schema;
  const known = Object.keys(properties).filter((name) => name in loot || required.includes(name));
  return Object.fromEntries(known.map((name) => [name, loot[name] ?? 'x']));
}

function requestOf({ method, path, route }: Operation, loot: Loot): Omit<Attack, 'way'> {
  const known = loot(path);
  const query = new URLSearchParams(fieldsFor(schemaOf(route.query), known));
  query.delete('authRequestId');
  const body = schemaOf(route.described?.body ?? route.body?.schema);
  const isJson = route.body?.form !== true;
  // Endpoints that take JSON beside the query act on the query alone.
  const fields = isJson && query.size > 0 ? {} : fieldsFor(body, known);
  return { method, url: `${server.url}${path}${query.size === 0 ? '' : `?${query}`}`, fields };
}

/** Appear by themselves: the decision records, those of refused requests too, and this node's heartbeat. */
const unasked = ['nodes', 'login_attempts'];
/** What strangers cost, and everybody may cause. */
const ofStrangers = ['attempts', 'attempts_by_key', 'audit_events'];

/** Every row of every other table. */
function stored(except: readonly string[] = []): readonly string[] {
  return reading((database) => {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables
      .map(({ name }) => String(name))
      .filter((name) => ![...unasked, ...except].includes(name) && !name.startsWith('sqlite_'))
      .flatMap((name) =>
        database
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .map((row) => `${name} ${JSON.stringify(row)}`),
      )
      .sort();
  });
}

function reading<T>(read: (database: DatabaseSync) => T): T {
  using database = new DatabaseSync(join(server.home, 'overlay.db'), { readOnly: true });
  return read(database);
}

describe('the requests of the pages', () => {
  test('does a lot when a program sends it', async () => {
    const connection = withCertificate(server, leaf);
    const done: string[] = [];
    for (const operation of operations().filter(({ route }) => route.guard === 'anonymous')) {
      const loot = await lootOfMallory();
      const { url, fields } = requestOf(operation, loot);
      const path = url.slice(server.url.length);
      const before = stored();
      const body = operation.route.body?.form === true ? { form: fields } : { json: fields };
      await connection.request(operation.method, path, body);
      if (JSON.stringify(stored()) !== JSON.stringify(before)) done.push(operation.path);
    }
    connection.closeConnections();
    for (const path of [
      '/oidc/login/username',
      '/oidc/login/cert',
      '/oidc/login/totp/enroll',
      '/oidc/token',
      '/edge/client/v1/authenticate',
      '/edge/management/v1/authenticate',
      '/edge/client/v1/enroll',
    ]) {
      assert.ok(done.includes(path), `${path} is not among ${done.join(', ')}`);
    }
  });
});

/**
 * A person who is signed in, and in the middle of another login: the browser has our cookies, and a TOTP enrollment
 * waits for its first code.
 */
async function victim(withLeaf: boolean): Promise<Visitor & { readonly loot: Loot }> {
  const clientCertificate = { origin: server.url, certPem: leaf.certPem, keyPem: leaf.keyPem };
  const one = await visitor(withLeaf ? { clientCertificate } : {});
  await signInAs(one, 'plain');
  const cookies = await one.context.cookies(server.url);
  assert.ok(cookies.some(({ name }) => name === sessionCookieName));
  const query = authorizationQuery({ method: 'password', prompt: 'login' });
  await one.page.goto(`${server.url}/oidc/authorization?${query}`);
  await one.page.fill('#username', 'victim');
  await one.page.fill('#password', password);
  await one.page.click('#login');
  await one.page.click('#start-enrollment');
  const app = scan(clock, (await one.page.getAttribute('#open-app', 'href')) ?? '');
  const id = await one.page.getAttribute('input[name=authRequestId]', 'value');
  assert.notEqual((await one.context.cookies(server.url)).length, 0);
  return { ...one, loot: await lootWith(id ?? '', app.code()) };
}

async function signInAs({ context }: Visitor, username: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${server.url}/oidc/authorization?${authorizationQuery({ method: 'password' })}`);
  await page.fill('#username', username);
  await page.fill('#password', password);
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.click('#login');
  assert.equal((await answered).status(), 302);
  // There is no listener at the application's address.
  await page.close();
}

const places = [
  { what: 'elsewhere, with the certificate', at: 'elsewhere', certificate: true, sandboxed: false },
  { what: 'elsewhere, without one', at: 'elsewhere', certificate: false, sandboxed: false },
  { what: 'in a sandbox, without an origin', at: 'elsewhere', certificate: true, sandboxed: true },
  { what: 'on another port of our host', at: 'beside', certificate: true, sandboxed: false },
  { what: 'of an allowed origin', at: 'allowed', certificate: true, sandboxed: false },
] as const;
const allowedPlace = places.length - 1;

function allWaysOf({ method }: Operation): readonly Way[] {
  return method === 'POST' ? waysOfPost : waysOfOtherMethods;
}

/**
 * All where nothing but the request is asked for: in full size, and from an allowed origin, whose requests an endpoint has
 * to refuse itself. Otherwise two of them, at other endpoints one. They differ from place to place and from endpoint to
 * endpoint: each of the former endpoints is attacked in every way, and pages of each place attack in every way.
 */
function waysFor(operation: Operation, index: number, place: number): readonly Way[] {
  const ways = allWaysOf(operation);
  const isAnonymous = operation.route.guard === 'anonymous';
  if (isAnonymous && (isFullSize || place === allowedPlace)) return ways;
  const count = isAnonymous ? 2 : 1;
  const chosen = Array.from({ length: count }, (_, at) => ways[(index + place * count + at) % ways.length]);
  return [...new Set(chosen)] as Way[];
}

describe('a page of another site', () => {
  for (const [place, { what, at, certificate, sandboxed }] of places.entries()) {
    test(`changes nothing at any endpoint: ${what}`, async () => {
      const isThorough = at === 'beside' && isFullSize;
      const { page, context, close, loot: ofVictim } = await victim(certificate);
      // From beside us, cookies and the id of a login that belongs to them fit together.
      const isAllowed = at === 'allowed';
      const loot = at === 'beside' ? ofVictim : isAllowed ? await lootForScripts() : await lootOfMallory();
      await page.goto(site[at]);
      const targets = operations().map((operation, index) => ({
        ...operation,
        ways: isThorough ? allWaysOf(operation) : waysFor(operation, index, place),
      }));
      assert.ok(targets.length > 80);
      const attacks = targets.flatMap(({ ways, ...operation }) =>
        ways.map((way) => ({ operation, attack: { ...requestOf(operation, loot), way } })),
      );
      // What comes from here on has this time.
      clock.advance(SECOND);
      const began = clock.now();
      const except = isAllowed ? ofStrangers : [];
      const before = stored(except);
      const cookies = await context.cookies(server.url);
      answered.clear();

      const send = async (some: typeof attacks) => {
        const sent = some.map(({ attack }) => attack);
        const told = await attackFrom(page, sent, sandboxed);
        for (const [index, { operation, attack }] of some.entries()) {
          const name = `${operation.method} ${operation.path} ${JSON.stringify(attack.way)}`;
          assert.match(told[index] ?? '', isAllowed ? /./ : /^(?:sent|failed|opaque 0)$/, name);
        }
      };
      await send(attacks);
      // Now and then the server closes an idle connection just when the browser sends on it: that request is sent again.
      for (let tries = 0; tries < 3 && !isAllowed; tries += 1) {
        const lost = new Set(
          targets
            .filter(
              ({ route, ways }) => (answered.get(route) ?? []).length < ways.filter(needsNoLeave).length,
            )
            .map(({ route }) => route),
        );
        for (const route of lost) answered.delete(route);
        if (lost.size > 0) await send(attacks.filter(({ operation }) => lost.has(operation.route)));
      }

      for (const { method, path, route, ways } of targets) {
        const seen = answered.get(route) ?? [];
        const arriving = ways.filter(needsNoLeave).length;
        // A form that becomes a link arrives twice.
        if (isAllowed || route.acceptsForeignPages !== undefined) continue;
        // What a browser refuses to send never arrives, and each of the others is seen once.
        assert.equal(seen.length, arriving, `${method} ${path}: ${seen}`);
        assert.ok(
          seen.every((status) => status === 403),
          `${method} ${path}: ${seen}`,
        );
      }
      assert.deepEqual(await context.cookies(server.url), cookies);
      await close();
      assert.deepEqual(stored(except), before);
      if (isAllowed) return;
      clock.advance(SECOND);
      assert.deepEqual(
        reading((database) =>
          database
            .prepare("SELECT * FROM login_attempts WHERE at >= ? AND mechanism <> 'request'")
            .all(began),
        ),
        [],
      );
    });
  }
});
