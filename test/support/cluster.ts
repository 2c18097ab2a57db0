// Several controllers as an operator runs them: real processes with separate homes, on one PostgreSQL database, behind
// a load balancer. Between each of them and the database is a wire that a test can cut.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Millis } from '../../src/platform/clock.ts';
import { balancer } from './balancer.ts';
import { clientOfHome, type Finished, type Started, sandbox, stopped, untilReady } from './command.ts';
import { freePort } from './free-port.ts';
import type { HttpsClient } from './https-client.ts';
import { type Caller, createdId, loggedIn, password } from './management.ts';
import { withMetrics } from './metrics.ts';
import { asDialled } from './nodes.ts';
import { postgresServer, type SharedPostgres } from './postgres.ts';
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts';

const shiftedClock = new URL('./shifted-clock.ts', import.meta.url).pathname;

/** These tests are not about the cost of hashing. */
const leastHashing = 'passwordHash: { memory: 19MiB, passes: 2, lanes: 1 }';

export interface ClusterNode {
  /** Its `node.name`. */
  readonly name: string;
  /** The folder with its configuration and secrets. */
  readonly home: string;
  /** Requests directly to this node, as if they had come through the load balancer. */
  readonly client: HttpsClient;
  /** Between this node and the database. */
  readonly wire: TcpProxy;
  /** Runs it; resolves when it accepts connections. */
  start(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM. */
  stop(): Promise<Finished>;
  /** Stops its execution until `resume`. */
  /** Of its process. */
  pid(): number | undefined;
  pause(): void;
  resume(): void;
  /** Sets its clock ahead of the true time by this much. */
  shiftClock(by: Millis): void;
  /** The failing checks of its health; empty when it is ready. */
  failingChecks(): Promise<readonly string[]>;
  /** Starts a command on its host. */
  begin(args: readonly string[]): Started;
  /** Runs a command on its host. */
  command(args: readonly string[]): Promise<Finished>;
}

export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly database: SharedPostgres;
  /** The name of the database on its server. */
  readonly databaseName: string;
  /** A further client, with connections of its own, through the load balancer. */
  connect(): HttpsClient;
  /** The administrator that `init` made. */
  readonly admin: Caller;
  /** A person who logs in with the password of the tests. @returns the identity's id */
  createUser(name: string): Promise<string>;
  /** Makes the load balancer use all nodes but these. */
  takeOut(...nodes: readonly ClusterNode[]): void;
  close(): Promise<void>;
}

export interface ClusterOptions {
  readonly nodes: number;
  /** Default: the server that all tests share. */
  readonly database?: SharedPostgres;
  /** Clients dial each node at its own address instead of the load balancer's. */
  readonly hasOwnAddresses?: boolean;
  /** The client ids that have the compatibility profile. */
  readonly aliases?: readonly string[];
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const database = options.database ?? (await postgresServer());
  const box = sandbox();
  const ports: number[] = [];
  const wires: TcpProxy[] = [];
  let outside: readonly number[] = [];
  const front = await balancer(() => ports.filter((port) => !outside.includes(port)));
  const clients: HttpsClient[] = [];
  const nodes: ClusterNode[] = [];

  async function close(): Promise<void> {
    for (const client of clients) client.closeConnections();
    await box.close();
    await front.close();
    for (const wire of wires) await wire.close();
  }

  try {
    const url = await database.createDatabase();
    const databaseName = new URL(url).pathname.slice(1);
    const shared = `localhost:${front.port}`;
    writeFileSync(join(box.cwd, 'password'), `${password}\n`);
    const admin = ['--admin', 'root', '--admin-password-file', 'password'];
    const made = await box.run(['init', '--home', 'n1', '--address', shared, '--db', url, ...admin]);
    assert.equal(made.code, 0, made.stderr);

    const original = join(box.cwd, 'n1', 'controller.yml');
    const template = readFileSync(original, 'utf8');
    const caHome = join(box.cwd, 'n1');
    const connect = (to: string) => {
      const client = clientOfHome(`https://${to}`, caHome);
      clients.push(client);
      return client;
    };

    for (let at = 1; at <= options.nodes; at += 1) {
      const name = `n${at}`;
      const home = join(box.cwd, name);
      const [port, wire] = await Promise.all([freePort(), tcpProxy(database.socket)]);
      wires.push(wire);
      ports.push(port);
      if (at > 1) cpSync(caHome, home, { recursive: true });
      const own = `localhost:${port}`;
      const address = options.hasOwnAddresses === true ? own : shared;
      const yaml = withMetrics(template)
        .replace(`127.0.0.1:${front.port}`, `127.0.0.1:${port}`)
        .replaceAll(shared, address)
        .replace('clientIds: []', `clientIds: [${(options.aliases ?? []).join(', ')}]`)
        .replace(/^edge:/m, `node: { name: ${name} }\nedge:\n  ${leastHashing}`)
        // Receivers of events listen on loopback.
        .replace('additionalHostnames: []', 'additionalHostnames: [localhost]');
      writeFileSync(join(home, 'controller.yml'), yaml);
      const clock = join(box.cwd, `${name}.clock`);
      writeFileSync(clock, '0');
      const env = {
        OVERLAY_AUTH_DB: throughWire(url, wire),
        OVERLAY_AUTH_TEST_CLOCK: clock,
        NODE_OPTIONS: `--import=${shiftedClock}`,
      };
      const config = join(name, 'controller.yml');
      const client = asDialled(connect(own), address);
      let process: Started | undefined;
      const signal = (which: NodeJS.Signals) => process?.child.kill(which);
      nodes.push({
        name,
        home,
        client,
        wire,
        async start() {
          process = box.start(['run', 'controller', config, '--log-format', 'json'], { env });
          await untilReady(process);
        },
        async kill() {
          signal('SIGKILL');
          await process?.finished;
          client.closeConnections();
        },
        stop() {
          if (process === undefined) throw new Error(`${name} does not run`);
          return stopped(process);
        },
        pid: () => process?.child.pid,
        pause: () => void signal('SIGSTOP'),
        resume: () => void signal('SIGCONT'),
        shiftClock: (by) => writeFileSync(clock, String(by)),
        async failingChecks() {
          const { json } = await client.get('/health-checks/ready');
          const checks: readonly { id: string; healthy: boolean }[] = json.data.checks;
          return checks.filter(({ healthy }) => !healthy).map(({ id }) => id);
        },
        begin: (args) => box.start([...args, '--config', config], { env }),
        command(args) {
          return this.begin(args).finished;
        },
      });
    }
    await Promise.all(nodes.map((node) => node.start()));

    const first = nodes[0] as ClusterNode;
    const logIn = () => loggedIn(first.client, 'root');
    const caller = await logIn();
    let creator = caller;
    return {
      nodes,
      database,
      databaseName,
      admin: caller,
      connect: () => connect(shared),
      async createUser(name) {
        // Abandoned requests of earlier clients may keep the hashing busy, and a busy machine the log.
        const made = async (path: string, body: object): Promise<string> => {
          const known = creator;
          for (;;) {
            const answer = await creator.call('POST', path, body);
            if (answer.status === 503) await new Promise((resolve) => setTimeout(resolve, 500));
            // A soak lasts longer than an access token.
            else if (answer.status === 401 && creator === known) creator = await logIn();
            else return createdId(answer);
          }
        };
        const id = await made('identities', { name, type: 'User', isAdmin: false });
        await made('authenticators', { method: 'updb', identityId: id, username: name, password });
        return id;
      },
      takeOut(...out) {
        outside = nodes.flatMap((node, at) => (out.includes(node) ? [ports[at] as number] : []));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The URL of the same database, reached through the wire. */
export function throughWire(url: string, wire: TcpProxy): string {
  const wired = new URL(url);
  wired.searchParams.delete('host');
  wired.hostname = '127.0.0.1';
  wired.port = String(wire.port);
  return wired.href;
}
