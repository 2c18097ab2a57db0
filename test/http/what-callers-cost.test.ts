// What one request costs the server in time, memory, requests to others and database connections, at every declared
// endpoint, for three callers: a stranger, an account without a permission, and the permission `read`. Compared with
// docs/what-strangers-cost.md. To write those tables again: OVERLAY_AUTH_WRITE_DOCS=1.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import pg from 'pg';
import { z } from 'zod';
import { unsentBytes } from '../../src/http/request/long-answer.ts';
import type { Route } from '../../src/http/request/route.ts';
import { sourceLimits } from '../../src/login/throttle.ts';
import { createSigner } from '../support/external-jwt.ts';
import { authorizationQuery, beginLogin } from '../support/flow.ts';
import { loggedIn, password, rootOf } from '../support/management.ts';
import { postgresServer } from '../support/postgres.ts';
import { forgetGarbage } from '../support/remembered.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

const document = new URL('../../docs/what-strangers-cost.md', import.meta.url).pathname;
/** Requests that are sent at once, without waiting for the answers. */
const pipelined = 10;
/**
 * The least of so many counts, each of a round through all endpoints: more than one only where the first takes more than
 * the document says. What happens beside an endpoint, such as a collection of garbage, lasts for several in a row.
 */
const mostRounds = 10;
const roundsOfWriting = 3;
/** How many database connections a node may hold for itself just then. */
const inBackground = 2;
/** Processor time differs between machines and runs. */
const longestTime = (said: number): number => 4 * said + 1;
const isWriting = process.env.OVERLAY_AUTH_WRITE_DOCS === '1';

const db = await (await postgresServer()).createDatabase();
const server = await startTestServer({ db, signing: true, threads: 1, comparesAnswers: false });
const idp = await startTestIdp();
const root = await rootOf(server);
const signerId = await createSigner(root, idp, 'idp', { externalAuthUrl: idp.issuer, clientId: 'x' });
await server.createUser({ name: 'alice', password });
// Whom strangers lock.
await server.createUser({ name: 'target', password });
const reader = await server.createUser({ name: 'reader', password });
await root.call('PATCH', `identities/${reader}`, { permissions: ['read'] });
after(async () => {
  await server.close();
  await idp.close();
});

interface Cost {
  /** Processor time of the process, in handshakes. */
  time: number;
  /** Bytes that a connection was given at once, or that were made for it. */
  waiting: number;
  asked: number;
  /** Database connections at the same time. */
  connections: number;
}

/** Counts what happens in this process until `stop`. */
function counters(): { readonly most: Omit<Cost, 'time'>; stop(): void } {
  const most = { waiting: 0, asked: 0, connections: 0 };
  let held = 0;
  const onAsked = () => {
    most.asked += 1;
  };
  subscribe('http.client.request.start', onAsked);
  const { emit } = pg.Pool.prototype;
  pg.Pool.prototype.emit = function (this: pg.Pool, event: string, ...rest: unknown[]) {
    if (event === 'acquire') held += 1;
    if (event === 'release') held -= 1;
    most.connections = Math.max(most.connections, held);
    return emit.call(this, event, ...rest);
  } as typeof emit;
  const { write, end } = ServerResponse.prototype;
  const note = ({ socket }: ServerResponse) => {
    if (socket === null) return;
    most.waiting = Math.max(most.waiting, socket.writableLength + unsentBytes(socket));
  };
  for (const [name, original] of Object.entries({ write, end })) {
    Object.assign(ServerResponse.prototype, {
      [name](this: ServerResponse, ...rest: never[]) {
        const { socket } = this;
        const result = (original as (...rest: never[]) => unknown).apply(this, rest);
        if (socket !== null) note(this);
        return result;
      },
    });
  }
  return {
    most,
    stop() {
      unsubscribe('http.client.request.start', onAsked);
      pg.Pool.prototype.emit = emit;
      Object.assign(ServerResponse.prototype, { write, end });
    },
  };
}

async function open(): Promise<TLSSocket> {
  const socket = connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    ca: server.caPem,
    servername: 'localhost',
  });
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  return socket;
}

/** Sends bytes and reads until the server closes. @returns the statuses */
function exchange(socket: TLSSocket, bytes: string): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const statuses: number[] = [];
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g))
        statuses.push(Number(status));
    });
    socket.on('close', () => resolve(statuses));
    socket.write(bytes);
  });
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Half of what both sides of a TLS handshake take, in microseconds. */
async function handshake(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 10; run += 1) {
    const begun = processorTime();
    for (let count = 0; count < 10; count += 1) (await open()).destroy();
    least = Math.min(least, (processorTime() - begun) / 20);
  }
  return least;
}

function sample(
  schema: z.ZodType | undefined,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (schema === undefined) return {};
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name in values)
      .map(([name]) => [name, values[name]]),
  );
}

/** One request to the endpoint, as text. */
async function requestTo(route: Route, method: string, accessToken: string | null): Promise<string> {
  const state = await beginLogin(server);
  const values = {
    authRequestId: state,
    id: state,
    state,
    username: 'target',
    password: 'a wrong guess',
    limit: '500',
    signer: signerId,
    code: '123456',
    method: 'password',
    token: 'x',
  };
  const isAuthorization = /\/authoriz(?:e|ation)$/.test(route.path);
  const query = isAuthorization
    ? authorizationQuery({})
    : new URLSearchParams(
        sample(route.described?.query ?? route.query, values) as Record<string, string>,
      ).toString();
  const path = route.path.replaceAll(':signer', signerId).replaceAll(/:\w+/g, 'no-such');
  const hasBody = !['GET', 'DELETE'].includes(method);
  const schema = route.described?.body ?? route.body?.schema;
  const fields = {
    ...sample(schema, values),
    ...(isAuthorization ? Object.fromEntries(new URLSearchParams(query)) : {}),
  };
  const isForm = route.body?.json === false;
  const body = !hasBody
    ? ''
    : isForm
      ? new URLSearchParams(fields as Record<string, string>).toString()
      : JSON.stringify(fields);
  const lines = [
    `${method} ${path}?${query} HTTP/1.1`,
    `Host: ${new URL(server.url).host}`,
    'Accept: text/html, */*;q=0.5',
    ...(accessToken === null ? [] : [`Authorization: Bearer ${accessToken}`]),
    ...(hasBody
      ? [
          `Content-Type: application/${isForm ? 'x-www-form-urlencoded' : 'json'}`,
          `Content-Length: ${Buffer.byteLength(body)}`,
        ]
      : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const countersOfSource = (['source', 'visit', 'device'] as const).flatMap((kind) =>
  sourceLimits(kind, '127.0.0.1').map(({ key }) => key),
);

async function costOf(route: Route, method: string, caller: string | null, unit: number): Promise<Cost> {
  // What earlier requests counted against this source must not make later ones cheap.
  await server.store.attempts.clear(countersOfSource);
  const text = await requestTo(route, method, await tokenOf(caller));
  const last = text.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const socket = await open();
  const counted = counters();
  const begun = processorTime();
  const statuses = await exchange(socket, text.repeat(pipelined - 1) + last);
  const time = (processorTime() - begun) / pipelined / unit;
  counted.stop();
  if (statuses.includes(401) && caller !== null) tokens.delete(caller);
  return { time, ...counted.most };
}

/** What the endpoint needs, it needs in each round; what a node does in the background falls into some of them. */
function leastOf(one: Cost, other: Cost): Cost {
  return {
    time: Math.min(one.time, other.time),
    waiting: Math.max(one.waiting, other.waiting),
    asked: Math.max(one.asked, other.asked),
    connections: Math.min(one.connections, other.connections),
  };
}

/** Rounds through the endpoints, each with a unit of its own: the machine may be busier than before. */
async function costsOf(
  caller: string | null,
  endpoints: ReadonlyMap<string, { readonly route: Route; readonly method: string }>,
  isTooMuch: (endpoint: string, cost: Cost) => boolean,
): Promise<ReadonlyMap<string, Cost>> {
  const measured = new Map<string, Cost>();
  let again = [...endpoints];
  for (let round = 0; again.length > 0 && round < (isWriting ? roundsOfWriting : mostRounds); round += 1) {
    await forgetGarbage();
    const unit = await handshake();
    for (const [endpoint, { route, method }] of again) {
      const cost = await costOf(route, method, caller, unit);
      measured.set(endpoint, leastOf(cost, measured.get(endpoint) ?? cost));
    }
    again = again.filter(([endpoint]) => {
      const cost = measured.get(endpoint);
      return isWriting || (cost !== undefined && isTooMuch(endpoint, cost));
    });
  }
  return measured;
}

const tokens = new Map<string, string>();

async function tokenOf(name: string | null): Promise<string | null> {
  if (name === null) return null;
  const known = tokens.get(name) ?? (await loggedIn(server, name)).accessToken;
  tokens.set(name, known);
  return known;
}

const callers = [
  { title: 'Time and memory: a stranger', name: null },
  { title: 'An account without a permission', name: 'alice' },
  { title: 'An account with the permission `read`', name: 'reader' },
] as const;

const steps = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128];

function timeStep(time: number): number {
  return steps.find((step) => time <= step) ?? 256;
}

function bytesStep(bytes: number): number {
  return bytes === 0 ? 0 : 2 ** Math.max(10, Math.ceil(Math.log2(bytes)));
}

/** Part of the path of the pages' files, which changes with their content. */
function withoutHash(path: string): string {
  return path.startsWith('/assets/') ? path.replace(/\.[\w-]{12}(?=[./])/, '.*') : path;
}

function tableOf(measured: ReadonlyMap<string, Cost>): string {
  const lines = [...measured]
    .sort(([one], [other]) => one.localeCompare(other, 'en'))
    .map(
      ([endpoint, { time, waiting, asked, connections }]) =>
        `| \`${endpoint}\` | ${timeStep(time * 1.3)} | ${bytesStep(waiting)} | ${asked} | ${connections} |`,
    );
  return ['| Endpoint | time | waits | asks | connections |', '|---|---|---|---|---|', ...lines, ''].join(
    '\n',
  );
}

/** The tables of the document, by title. */
function sections(): Map<string, string> {
  const [, ...parts] = readFileSync(document, 'utf8').split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part]));
}

for (const caller of callers) {
  test(`the document says what an answer takes: ${caller.title}`, { timeout: 600_000 }, async () => {
    const text = readFileSync(document, 'utf8');
    const section = sections().get(caller.title);
    const rows = new Map(
      [...(section ?? '').matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, endpoint = '', cells = '']) => [
        endpoint,
        cells.split(' | ').map(Number),
      ]),
    );
    const endpoints = new Map(
      server.controller.services.routes
        .filter(
          ({ guard, aliasOf }) => (guard === 'anonymous') === (caller.name === null) && aliasOf === undefined,
        )
        .flatMap((route) =>
          route.methods
            .filter((method) => method !== 'HEAD')
            .map((method) => [`${method} ${withoutHash(route.path)}`, { route, method }]),
        ),
    );
    const measured = await costsOf(caller.name, endpoints, (endpoint, cost) => {
      const [time = 0, , , connections = 0] = rows.get(endpoint) ?? [];
      return cost.time > longestTime(time) || cost.connections > connections + inBackground;
    });
    if (isWriting) {
      const fresh = `## ${caller.title}\n\n${tableOf(measured)}`;
      const rest = section === undefined ? text : text.replace(`## ${section}`, '');
      writeFileSync(document, `${rest.trimEnd()}\n\n${fresh}`);
      return;
    }
    assert.deepEqual(
      [...rows.keys()].sort(),
      [...measured.keys()].sort(),
      'run this test with OVERLAY_AUTH_WRITE_DOCS=1',
    );
    for (const [endpoint, cost] of measured) {
      const [time = 0, waiting = 0, asked = 0, connections = 0] = rows.get(endpoint) ?? [];
      assert.ok(
        cost.time <= longestTime(time),
        `${endpoint}: ${cost.time.toFixed(2)} handshakes instead of ${time}`,
      );
      assert.ok(cost.waiting <= waiting * 2, `${endpoint}: ${cost.waiting} bytes waited`);
      assert.ok(cost.asked <= asked, `${endpoint}: ${cost.asked} requests to others`);
      assert.ok(
        cost.connections <= connections + inBackground,
        `${endpoint}: ${cost.connections} database connections`,
      );
    }
  });
}
