// A real controller for tests: real TLS on a port that the system chooses, a real PKI, a real database: an SQLite file,
// or a PostgreSQL server if a test says so (or OVERLAY_AUTH_TEST_DB=postgres, for all of them).

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { loadConfig } from '../../src/config/load.ts';
import { renderControllerConfig } from '../../src/config/template.ts';
import { type RunningController, startController } from '../../src/controller/controller.ts';
import { openStore } from '../../src/controller/database.ts';
import type { AnswerInspector } from '../../src/http/server/mount.ts';
import { asId, type IdentityId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import type { SigningKey } from '../../src/model/signing-key.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { jwksCacheDefaults } from '../../src/platform/jwk/jwks-cache.ts';
import type { Logger } from '../../src/platform/log/logger.ts';
import { createRandom, type Random } from '../../src/platform/random.ts';
import { createHashPool, type HashPool } from '../../src/platform/secrets/hash-pool.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { makeSigningKey } from '../../src/tokens/key-ring.ts';
import { type Closable, closable } from './closable.ts';
import { undeclaredIn } from './declared-answers.ts';
import { readNamedFile } from './files.ts';
import { atTheEnd } from './group.ts';
import { type HttpsClient, httpsClient } from './https-client.ts';
import { memoryLogger } from './memory-logger.ts';
import { userNamed } from './names.ts';
import { postgresServer } from './postgres.ts';
import type { TestThreadData } from './request-thread.ts';
import { sharedTime } from './shared-clock.ts';
import { startSharedWriter } from './shared-writer.ts';
import { testPki } from './test-pki.ts';
import { patience } from './until.ts';

export interface TestServerOptions {
  readonly clock?: Clock;
  /** Changes the text of the configuration file before it is read. */
  readonly configure?: (yaml: string) => string;
  /** Adds files to its folder before it starts. */
  readonly addFiles?: (home: string) => void;
  /** Gives it an authority for client certificates (`edge.enrollment.signingCert`). */
  readonly signing?: boolean;
  /** Closed with the server. Default: one that all servers of the process use. */
  readonly hashPool?: HashPool;
  /** A folder with the database and keys of an earlier test server, to start it again. */
  readonly home?: string;
  /** URL of a PostgreSQL database. */
  readonly db?: string;
  /** Receives its lines instead of the `log` of the server. */
  readonly log?: Logger;
  /** Called with every answer of an endpoint in the first thread. */
  readonly onAnswer?: AnswerInspector;
  /** False: it does not compare its answers with their declarations, which takes longer than to make them. */
  readonly comparesAnswers?: boolean;
  /** Number of request threads; default: one, or as many as OVERLAY_AUTH_TEST_THREADS says. */
  readonly threads?: number;
  /** Called with each further request thread that starts. */
  readonly onThread?: (worker: Worker) => void;
}

export interface TestServer extends HttpsClient, Closable {
  readonly home: string;
  /** `https://localhost:PORT` */
  readonly url: string;
  readonly issuer: string;
  readonly caPem: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly controller: RunningController;
  readonly hashPool: HashPool;
  readonly log: ReturnType<typeof memoryLogger>;
  createUser(user: {
    name: string;
    password: string;
    isAdmin?: boolean;
    username?: string;
  }): Promise<IdentityId>;
  /** The request threads beside the first one, including those that have ended, in the order of their start. */
  readonly workers: readonly Worker[];
  /** Stops the controller and closes the store; the home stays. */
  stop(): Promise<void>;
  /** Like `stop`, and removes the home. */
  close(): Promise<void>;
}

/** Number of request threads if a test does not say. */
export const usualThreads = Number(process.env.OVERLAY_AUTH_TEST_THREADS ?? 1);

/** The key-encryption key of every test server. */
export const masterKey = Buffer.alloc(32, 42);

let rsaKey: Promise<SigningKey> | undefined;

/**
 * The first keys of a new store. Finding the primes of an RSA key takes longer than everything else that a server does
 * at its start, so all servers of this process share one.
 */
async function giveKeys({ keys }: Store, clock: Clock): Promise<void> {
  const now = clock.now();
  if ((await keys.listSigningKeys(now)).length > 0) return;
  const [vault, times] = [keyVault(vaultKey(masterKey)), { createdAt: now, activeFrom: now }];
  rsaKey ??= makeSigningKey(vault, 'RS256', times);
  for (const key of [await makeSigningKey(vault, 'ES256', times), await rsaKey]) {
    const next = { ...key, ...times };
    await keys.rotateSigningKey({ next, newestSeen: null, retireOldAt: now, removeOldAt: now });
  }
}

let empty: Promise<string> | undefined;

/** A database with only the tables, to be copied: made once by each process. */
function emptyDatabase(): Promise<string> {
  empty ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-empty-'));
    atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'overlay.db');
    await (await openSqliteStore({ path })).close();
    return path;
  })();
  return empty;
}

let hashing: HashPool | undefined;

/**
 * One for all servers of this process: a thread for each would cost more than its hashes. They are cheap, since these
 * tests are not about the cost of hashing.
 */
function sharedHashPool(): HashPool {
  if (hashing === undefined) {
    const pool = createHashPool({ clock: systemClock }, { cost: { memoryKiB: 1024, passes: 1, lanes: 1 } });
    atTheEnd(() => pool.close());
    hashing = pool;
  }
  // Each server may close it, and a test may change what its server has.
  return { ...hashing, close: async () => {} };
}

/** By home, for servers that are started again. */
const databases = new Map<string, string>();

async function databaseOf(home: string): Promise<string> {
  if (process.env.OVERLAY_AUTH_TEST_DB !== 'postgres') return 'sqlite:./overlay.db';
  const url = databases.get(home) ?? (await (await postgresServer()).createDatabase());
  databases.set(home, url);
  return url;
}

// On a busy machine an honest provider answers after longer than a look-up of its keys waits. The limits of fetches stay.
Object.assign(jwksCacheDefaults, { longestWait: patience });

const configTexts = new Map<string, string>();

/** Most servers of a process have the same, and writing it takes as long as reading it. */
function configText(settings: Parameters<typeof renderControllerConfig>[0]): string {
  const key = JSON.stringify(settings);
  const text = configTexts.get(key) ?? renderControllerConfig(settings);
  configTexts.set(key, text);
  return text;
}

/** Most of the text is comments, and reading them takes longer than reading the settings. */
function withoutComments(yaml: string): string {
  return yaml.replace(/^ *#.*\n/gm, '').replace(/ +# .*$/gm, '');
}

/** The controller that all tests of a file use, closed after the last of them. Called at the top level of the file. */
export function serverOfFile(options: TestServerOptions = {}): Promise<TestServer> {
  const starting = startTestServer(options);
  after(async () => (await starting).close());
  return starting;
}

/** Starts a controller on `https://localhost:PORT`. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'overlay-auth-test-'));
  try {
    return await startIn(home, options);
  } catch (error) {
    // No other code knows of a folder that was made here.
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(home: string, options: TestServerOptions): Promise<TestServer> {
  const pki = await testPki();
  writeFileSync(join(home, 'ca.pem'), pki.ca.certPem);
  writeFileSync(join(home, 'server.pem'), pki.server.certPem);
  writeFileSync(join(home, 'server.key'), pki.server.keyPem);
  const signingCert = { cert: 'signing.pem', key: 'signing.key' };
  if (options.signing === true) {
    writeFileSync(join(home, signingCert.cert), pki.signing.certPem);
    writeFileSync(join(home, signingCert.key), pki.signing.keyPem);
  }
  const address = 'localhost:0';
  const yaml = configText({
    v: 3,
    db: options.db ?? (await databaseOf(home)),
    secrets: { keyFile: 'master.key' },
    identity: { cert: 'server.pem', server_cert: 'server.pem', key: 'server.key', ca: 'ca.pem' },
    web: [
      {
        name: 'default',
        bindPoints: [{ interface: '127.0.0.1:0', address }],
        apis: [{ binding: 'edge-client' }, { binding: 'edge-management' }, { binding: 'health-checks' }],
      },
    ],
    edge: { api: { address }, enrollment: options.signing === true ? { signingCert } : {} },
  });
  // The identity providers of tests run on this machine too.
  const threads = options.threads ?? usualThreads;
  const local = yaml
    .replace('allowedIPs: []', 'allowedIPs: [127.0.0.0/8, ::1/128]')
    .replace(/^# threads: auto .*$/m, `threads: ${threads}`);
  const configFile = join(home, 'controller.yml');
  writeFileSync(configFile, withoutComments(options.configure?.(local) ?? local));
  options.addFiles?.(home);

  const clock = options.clock ?? systemClock;
  const random = createRandom(clock);
  const kept = memoryLogger();
  const log: Logger = options.log ?? kept;
  const { config } = loadConfig(configFile, { readFile: readNamedFile, env: {} });
  // A test that brings its own folder has a database in it, or tests how one is made.
  if (options.home === undefined && config.db.engine === 'sqlite') {
    copyFileSync(await emptyDatabase(), config.db.file);
  }
  const opened =
    config.db.engine === 'sqlite'
      ? await openSqliteStore({ path: config.db.file, startWriter: startSharedWriter })
      : await openStore(config, { threads });
  // A clock that a test sets is unrelated to the clock of a database server.
  const databaseTime = async () => null;
  const store = clock === systemClock ? opened : { ...opened, nodes: { ...opened.nodes, databaseTime } };
  const hashPool = options.hashPool ?? sharedHashPool();
  // An existing store without keys, such as a restored one, makes its own.
  if (options.home === undefined) await giveKeys(store, clock);
  // The identity providers of tests have certificates from the same root.
  const trustedRoots = [pki.ca.certPem];
  const vault = keyVault(vaultKey(masterKey));
  const foundations = { config, store, vault, hashPool, clock, random, log, trustedRoots };
  // In every test, the API description must declare every answer.
  const undeclared = new Set<string>();
  const workers: Worker[] = [];
  const time = clock === systemClock ? null : sharedTime(clock);
  const controller = await startController({
    ...foundations,
    startThread(data) {
      const worker = new Worker(new URL('./request-thread.ts', import.meta.url), {
        workerData: { ...data, time } satisfies TestThreadData,
        env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'overlay-auth-test-compiled') },
      });
      workers.push(worker);
      options.onThread?.(worker);
      return worker;
    },
    inspectAnswer(route, answer) {
      options.onAnswer?.(route, answer);
      const what = options.comparesAnswers === false ? null : undeclaredIn(route, answer);
      if (what !== null) undeclared.add(what);
    },
  }).catch(async (error) => {
    await hashPool.close();
    await store.close();
    throw error;
  });
  const [bindPoint] = controller.bindPoints;
  if (bindPoint === undefined) throw new Error('the test configuration has no bind point');
  const url = `https://${bindPoint.address}`;
  // With a new connection for each request, the requests reach different threads.
  const client =
    threads === 1
      ? httpsClient(url, pki.ca.certPem)
      : settling(httpsClient(url, pki.ca.certPem, { keepAlive: false }), controller);

  async function stop(): Promise<void> {
    client.closeConnections();
    await controller.stop();
    await hashPool.close();
    await store.close();
    for (const { message, fields } of kept.entries) {
      if (message === 'undeclared answer') undeclared.add(String(fields.undeclared));
    }
    assert.deepEqual([...undeclared], [], 'answers that their endpoints do not declare');
  }

  return closable<TestServer>({
    ...client,
    home,
    url,
    issuer: bindPoint.issuer,
    caPem: pki.ca.certPem,
    clock,
    random,
    store,
    controller,
    hashPool,
    log: kept,
    workers,
    async createUser({ name, password, isAdmin = false, username = name }) {
      const id = asId<IdentityId>(random.id());
      await store.identities.create(
        {
          id,
          name: typedName(name),
          type: 'User',
          externalId: null,
          authPolicyId: null,
          isAdmin,
          roleAttributes: [],
          tags: {},
        },
        {
          id: random.id(),
          ...userNamed(username),
          passwordHash: await controller.services.hasher.hash(password, 'test'),
        },
        clock.now(),
      );
      return id;
    },
    stop,
    async close() {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  });
}

/** A client that waits until the first thread has what the others say of a request: their lines come after the answer. */
function settling(client: HttpsClient, { services }: RunningController): HttpsClient {
  const request: HttpsClient['request'] = async (...asked) => {
    const answer = await client.request(...asked);
    await services.attempts.flush();
    return answer;
  };
  return {
    ...client,
    request,
    get: (path, init) => request('GET', path, init),
    post: (path, init) => request('POST', path, init),
  };
}
