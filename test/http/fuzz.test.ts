// Every endpoint of a running controller against hostile requests: seeded, so that a failure can be
// repeated. Status 5xx, internals in an answer and an error in the log are failures, for every request.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenApiDocument, Operation } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/http/request/route.ts';
import { mayChangeSomething } from '../../src/http/request/sender.ts';
import { authorizationQuery, beginLogin, login } from '../support/flow.ts';
import type { Answer, RequestInit } from '../support/https-client.ts';
import { type Components, misfitsOf, sampleOf } from '../support/schema-samples.ts';
import { type Seeded, seeded } from '../support/seeded.ts';
import { sized } from '../support/size.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const seed = Number(process.env.OVERLAY_AUTH_FUZZ_SEED ?? 20260101);
const requests = sized({ small: 1000, full: 20_000 });

let admin: string;
const server = await serverOfFile();
const routes = server.controller.services.routes;
await server.createUser({ name: 'root', password, isAdmin: true });
await server.createUser({ name: 'keeper', password, isAdmin: true });
admin = (await login(server, 'root', password)).access_token;

/** Words about our internals that no answer may contain: files, stacks, SQL, libraries. */
const internals =
  /\.ts\b|node_modules|node:|\/work\/|\/tmp\/|\/home\/|\bat \w+ \(|SQLITE|sqlite|\bSELECT\b|\bINSERT\b|\bUPDATE \w+ SET|fastify|FST_|\bzod\b|\bjose\b|argon2|undefined|\[object |TypeError|SyntaxError|RangeError|ERR_[A-Z]/;

function assertHarmless(answer: Answer, what: string): void {
  assert.ok(answer.status >= 200 && answer.status < 500, `${answer.status} ${what}: ${answer.text}`);
  const isOurs = !/\.css$/.test(what.split(' ')[1] ?? '');
  const headers = Object.entries(answer.headers)
    // These may return what the client sent, encoded.
    .filter(([name]) => name !== 'location')
    .map((entry) => entry.join(': '))
    .join('\n');
  assert.doesNotMatch(headers, internals, what);
  if (answer.status >= 400 && isOurs) assert.doesNotMatch(withoutEcho(answer.text), internals, what);
  assert.equal(answer.headers['x-content-type-options'], 'nosniff', what);
  assert.equal(answer.headers['referrer-policy'], 'no-referrer', what);
  assert.match(String(answer.headers['x-request-id']), /^[0-9A-Z]{10}$/, what);
  assert.equal(answer.headers.server ?? answer.headers['x-powered-by'], undefined, what);
  if (answer.status >= 400) assert.equal(answer.headers['cache-control'], 'no-store', what);
  if (answer.status === 405) assert.ok(answer.headers.allow, what);
  const type = String(answer.headers['content-type'] ?? '');
  if (type.startsWith('text/html')) {
    assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'; /, what);
    assert.doesNotMatch(answer.text, /<script>|<img src=x/, what);
  }
}

/** The envelope quotes the refused value, which is the sender's own. */
function withoutEcho(text: string): string {
  try {
    const { error } = JSON.parse(text);
    if (error?.cause !== undefined) delete error.cause.value;
    return JSON.stringify(error ?? text);
  } catch {
    return text;
  }
}

/** Choices that the seed repeats. */
function numbers(from: number) {
  const { below } = seeded(from);
  return {
    chance: (probability: number) => below(1_000_000) < probability * 1_000_000,
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  };
}
type Numbers = ReturnType<typeof numbers>;

const hostile: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  'a\r\nSet-Cookie: x=1',
  '\ud800',
  '😀'.repeat(300),
  'x'.repeat(5000),
  "' OR 1=1--",
  '"; DROP TABLE identities; --',
  '%00',
  '%',
  '%zz',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  '<script>alert(1)</script>',
  '"><img src=x>',
  '\u0024{jndi:x}',
  '{{7*7}}',
  '\u202egnp',
  '1e999',
  '-1',
  '9007199254740993',
  'NaN',
  'null',
  'none',
  'true',
  0,
  -1,
  1.5,
  9e15,
  1e300,
  true,
  false,
  null,
  [],
  {},
  [null],
  ['a', 'a'],
  { $ne: null },
  { toString: 1 },
  { length: -1 },
  [[[[[[]]]]]],
];

const names = [
  'authRequestId',
  'authRequestID',
  'id',
  'username',
  'password',
  'code',
  'configTypes',
  'grant_type',
  'client_id',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'token',
  'id_token_hint',
  'post_logout_redirect_uri',
  'state',
  'filter',
  'sort',
  'limit',
  'offset',
  'force',
  'name',
  'type',
  'isAdmin',
  'externalId',
  'authPolicyId',
  'roleAttributes',
  'tags',
  'method',
  'identityId',
  'primary',
  'secondary',
  'durationMinutes',
  't',
  'ids',
  'certPem',
  'jwksEndpoint',
  'issuer',
  'audience',
  '__proto__',
  'constructor',
];

const filters = [
  'name = "x"',
  'name contains "',
  'not not not true',
  '((((((((((',
  'true sort by name limit none',
  'name in ["a", "b"',
  'a'.repeat(3000),
  'name = "\u0000"',
  '🙂 = 🙂',
];

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
}

/** Printable, as a header value must be. */
function inHeader(value: unknown): string {
  return textOf(value)
    .replace(/[^\x20-\x7e]/g, '~')
    .slice(0, 2000);
}

interface Sample {
  readonly ids: readonly string[];
  readonly tokens: readonly string[];
}

function requestFor(route: Route, sample: Sample, from: Numbers) {
  const method = from.chance(0.85)
    ? from.pick(route.methods)
    : from.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']);
  const path = route.path.replace(/:\w+/g, () =>
    encodeURIComponent(from.chance(0.5) ? from.pick(sample.ids) : textOf(from.pick(hostile)).slice(0, 300)),
  );
  return { method, path: mutatedPath(path, from) + queryOf(sample, from), init: initOf(sample, from) };
}

function mutatedPath(path: string, from: Numbers): string {
  if (from.chance(0.9)) return path;
  return from.pick([
    `${path}/`,
    `/${path}`,
    `${path}%2f`,
    `${path}/x.css`,
    `${path};x=1`,
    `${path}%00`,
    `${path}%zz`,
    `${path}/../..`,
    path.toUpperCase(),
    path.replace('/', '//'),
  ]);
}

function queryOf(sample: Sample, from: Numbers): string {
  if (from.chance(0.5)) return '';
  if (from.chance(0.2)) return `?${authorizationQuery()}`;
  if (from.chance(0.1))
    return from.pick(['?', '?&&&', '?%', '?=', '?a=%ff', '??', '?a&a&a', '?a[]=1&a[b]=2']);
  const pairs = fieldsOf(sample, from).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value)).slice(0, 3000)}`,
  );
  return `?${pairs.join('&')}`;
}

function fieldsOf(sample: Sample, from: Numbers): [string, unknown][] {
  return Array.from({ length: 1 + from.below(5) }, () => {
    const name = from.pick(names);
    if (name === 'filter' && from.chance(0.7)) return [name, from.pick(filters)];
    const known = from.pick([...sample.ids, ...sample.tokens, 'root', 'overlay', password]);
    return [name, from.chance(0.3) ? known : from.pick(hostile)];
  });
}

function initOf(sample: Sample, from: Numbers): RequestInit {
  const headers: Record<string, string | readonly string[]> = {};
  const bearer = () => from.pick([...sample.tokens.map((token) => `Bearer ${token}`), ...authorizations]);
  if (from.chance(0.75)) headers.authorization = `Bearer ${admin}`;
  else if (from.chance(0.5)) headers.authorization = bearer();
  else if (from.chance(0.2)) headers.authorization = [bearer(), bearer()];
  if (from.chance(0.1)) headers['zt-session'] = inHeader(from.pick([...sample.tokens, ...hostile]));
  if (from.chance(0.15))
    headers.accept = from.pick(['text/html', 'image/png', '*/*;q=0', inHeader(from.pick(hostile))]);
  if (from.chance(0.1)) headers.origin = from.pick(['null', 'https://evil.example', `https://localhost`]);
  if (from.chance(0.1)) headers.cookie = inHeader(from.pick(hostile));
  if (from.chance(0.05)) headers['x-forwarded-host'] = 'evil.example';
  if (from.chance(0.05)) headers['sec-fetch-site'] = 'cross-site';
  if (from.chance(0.05)) headers['content-encoding'] = 'gzip';
  if (from.chance(0.3)) return { headers };
  if (from.chance(0.1)) {
    headers['content-type'] = from.pick([
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
      inHeader(from.pick(hostile)),
    ]);
    return { headers, body: from.pick(bodies) };
  }
  const fields = fieldsOf(sample, from);
  if (from.chance(0.6))
    return { headers, json: from.chance(0.05) ? from.pick(hostile) : Object.fromEntries(fields) };
  return { headers, form: fields.map(([name, value]) => [name, textOf(value)] as const) };
}

const bodies = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '{"a":1,"a":2}',
  '{"__proto__":{"isAdmin":true}}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `{"a":${'9'.repeat(5000)}}`,
  '\ufeff{}',
  '%',
  'a=%ff',
  'a=1&a=2&__proto__=3',
  Buffer.from([0xff, 0xfe, 0, 0xc0, 0xaf]),
  'x'.repeat(15_000),
  'y'.repeat(70_000),
];

const authorizations = [
  'Bearer',
  'Bearer ',
  'bearer  x',
  'Bearer\tx',
  'Bearer x,',
  'Bearer x, Bearer y, Bearer z, Bearer w',
  'Basic',
  'Basic =',
  'Basic Og==',
  'Basic b3ZlcmxheTo=',
  'Basic b3ZlcmxheTol',
  'Negotiate x',
  ',',
  'Bearer a.b.c',
  'Bearer eyJhbGciOiJub25lIn0.e30.',
  `Bearer ${'A'.repeat(9000)}`,
  `Bearer ${'.'.repeat(3000)}`,
  'Digest username="x"',
  'Bearer %',
  'Bearer ..',
  'Bearer a.b',
];

const malformedTokens: readonly Readonly<Record<string, string | readonly string[]>>[] = [
  ...authorizations.map((authorization) => ({ authorization })),
  { authorization: ['Bearer {}', 'Bearer []', 'Bearer null'] },
  { 'zt-session': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.' },
  { 'zt-session': '{}' },
  { 'zt-session': ['a', 'b'] },
  { 'zt-session': 'A'.repeat(9000) },
  { 'zt-session': '__proto__', authorization: 'Bearer constructor' },
];

describe('hostile requests', () => {
  // The server of the tests finds answers that are not declared.
  test('a malformed Content-Type is refused as every endpoint declares it, also where no body is expected', async () => {
    for (const route of routes) {
      const path = route.path.replace(/:\w+/g, 'default');
      for (const method of route.methods.filter(mayChangeSomething)) {
        const headers = { authorization: `Bearer ${admin}`, 'content-type': 'json' };
        const answer = await server.request(method, path, { headers });
        assertHarmless(answer, `${method} ${path}`);
        assert.equal(answer.status, 415, `${method} ${path}`);
      }
    }
  });

  test(`${requests} of them to all endpoints do no harm (seed ${seed})`, async () => {
    const from = numbers(seed);
    const victim = await login(server, 'keeper', password);
    const sample: Sample = {
      ids: ['default', 'no-such', await beginLogin(server)],
      tokens: [victim.id_token, victim.refresh_token, victim.access_token],
    };
    let sent = 0;
    async function sender(): Promise<void> {
      while (sent < requests) {
        const route = routes[sent % routes.length] as Route;
        sent += 1;
        const { method, path, init } = requestFor(route, sample, from);
        const what = `${method} ${path.slice(0, 500)} ${JSON.stringify(init).slice(0, 700)}`;
        const answer = await server.request(method, path, init).catch((error: NodeJS.ErrnoException) => {
          // A body that is refused unread may be cut off while it is sent; and where the headers are too long, the
          // server has not seen that the method was HEAD.
          if (['ECONNRESET', 'EPIPE', 'HPE_CLOSED_CONNECTION'].includes(error.code ?? '')) return null;
          throw error;
        });
        if (answer !== null) assertHarmless(answer, what);
        // Among all those calls, an administrator may have ended their own session.
        if (answer?.status === 401 && what.includes(admin)) admin = await adminAgain();
      }
    }
    await Promise.all(Array.from({ length: 8 }, sender));
    assert.deepEqual(
      server.log.entries.filter(({ level }) => level === 'error'),
      [],
    );
    assert.equal((await server.get('/oidc/keys')).status, 200);
  });

  test('a malformed token causes no failure anywhere, and never a success', async () => {
    for (const route of routes) {
      const [method] = route.methods;
      const path = route.path.replace(/:\w+/g, 'default');
      // One after the other: of many at once, a busy server sends some away.
      for (const headers of malformedTokens) {
        const answer = await server.request(method as string, path, { headers });
        const what = `${method} ${path} ${JSON.stringify(headers).slice(0, 60)}`;
        assertHarmless(answer, what);
        if (route.guard !== 'anonymous') {
          // More tokens than are accepted make the request malformed, with any values.
          const tooMany = String(headers.authorization).split(',').length > 3;
          assert.equal(answer.status, tooMany ? 400 : 401, what);
          assert.equal(answer.lines('www-authenticate').length > 0, !tooMany, what);
        }
      }
    }
  });
});

describe('requests by the API descriptions', () => {
  test(`no operation fails, and what its schema forbids is never accepted (seed ${seed})`, async () => {
    const from = seeded(seed);
    const client = await startTestServer();
    await client.createUser({ name: 'root', password, isAdmin: true });
    const token = async () => (await login(client, 'root', password)).access_token;
    let bearer = await token();
    /** Ids that exist, by collection. */
    const ids = new Map<string, string[]>();
    for (const root of ['/edge/management/v1', '/edge/client/v1', '/oidc']) {
      const { paths, components }: OpenApiDocument = (await client.get(`${root}/openapi.json`)).json;
      for (const [path, methods] of Object.entries(paths)) {
        const collection = path.split('/')[4] ?? '';
        for (const [method, operation] of Object.entries(methods)) {
          for (const { body, query, why } of inputsFor(operation, components.schemas, from)) {
            const id = () => {
              const known = ids.get(collection) ?? [];
              return known[from.below(known.length)] ?? 'default';
            };
            const target = path.replaceAll(/\{\w+\}/g, id) + query;
            const form = operation.requestBody?.content['application/json'] === undefined;
            const sent: RequestInit =
              body === undefined ? {} : form ? { form: asForm(body) } : { json: body };
            const answer = await client.request(method.toUpperCase(), target, {
              ...sent,
              headers: { authorization: `Bearer ${bearer}` },
            });
            const what = `${method} ${target} ${why} ${JSON.stringify(body)?.slice(0, 500)}`;
            assertHarmless(answer, what);
            if (why !== '') assert.ok(answer.status >= 400, `accepted: ${answer.status} ${what}`);
            if (answer.status === 201 && method === 'post') {
              const created = answer.text.startsWith('{') ? answer.json.data?.id : undefined;
              if (typeof created === 'string') ids.set(collection, [...(ids.get(collection) ?? []), created]);
            }
            // The call may have ended the caller's own session or account.
            if (answer.status === 401) bearer = await token().catch(() => bearer);
          }
        }
      }
    }
    assert.deepEqual(
      client.log.entries.filter(({ level }) => level === 'error'),
      [],
    );
    // Compares every answer with its declaration.
    await client.close();
  });
});

interface OperationInput {
  readonly body: unknown;
  readonly query: string;
  /** What does not fit; empty when everything does. */
  readonly why: string;
}

function inputsFor(operation: Operation, components: Components, from: Seeded): readonly OperationInput[] {
  const [content] = Object.values(operation.requestBody?.content ?? {});
  const fitting = Array.from({ length: 10 }, () => ({
    body: content === undefined ? undefined : sampleOf(content.schema, components, from),
    query: queryFor(operation, components, from),
    why: '',
  }));
  const [first] = fitting;
  const isStrict =
    operation['x-guard'] === 'admin' &&
    Object.hasOwn(operation.requestBody?.content ?? {}, 'application/json');
  if (!isStrict || content === undefined || first?.body === undefined) return fitting;
  const misfits = misfitsOf(content.schema, first.body as Record<string, unknown>, components);
  return [...fitting, ...misfits.map(({ value, why }) => ({ body: value, query: '', why }))];
}

function queryFor({ parameters }: Operation, components: Components, from: Seeded): string {
  const given = parameters.filter(
    (parameter) => parameter.in === 'query' && (parameter.required || from.below(3) === 0),
  );
  const pairs = given.map(({ name, schema }) => [name, textOf(sampleOf(schema, components, from))]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function asForm(body: unknown): readonly (readonly [string, string])[] {
  return Object.entries(body as object).map(([name, value]) => [name, textOf(value)] as const);
}

/** After all those calls about root, an administrator remains; if none can log in, any user will do. */
async function adminAgain(): Promise<string> {
  for (const name of ['root', 'keeper']) {
    const tokens = await login(server, name, password).catch(() => null);
    if (tokens !== null) return tokens.access_token;
  }
  return 'none';
}
