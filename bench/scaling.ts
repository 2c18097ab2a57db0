// What a deployment of a size needs: arithmetic from measured figures and a model of the load. Prints the tables of
// docs/scaling.md.
//   node bench/scaling.ts
import { renderTable } from './table.ts';

/** Micros of the processor and bytes; see docs/scaling.md for when and how they were measured. */
const measured = {
  /** Of the controller. Refreshes and logins from a short run, which shows more than a long one. */
  firstSight: 123,
  passwordHash: 18_000,
  refresh: 1301,
  login: 4032,
  /** Of the database server. */
  databaseRefresh: 560,
  databaseLogin: 2740,
  databaseEnd: 610,
  /** Three rows for a caller who is not in memory. Assumed, not measured. */
  databaseAccount: 500,
  /** Bytes of the write-ahead log, without the whole pages that it has after each checkpoint. */
  logRefresh: 665,
  logLogin: 4500,
  logEnd: 1039,
  /** Bytes on disk, with index entries. */
  identity: 158 + 126,
  authenticator: 283 + 238,
  session: 328 + 125,
  authRequest: 1024 + 65,
  loginAttempt: 546 + 188,
  change: 150,
  /** Bytes of memory of a node. */
  idleNode: 174_000_000,
  activeCaller: 2000,
  endedSession: 500,
} as const;

/** What identities do. */
const model = {
  /** Share of all that are at work in the busiest hour. */
  active: 0.1,
  callsAnHour: 12,
  /** Access tokens live for 30 minutes. */
  refreshesAnHour: 2.2,
  loginsADay: 1,
  /** How much more than the mean there is in the busiest hour. */
  loginPeak: 5,
  /** Of logins, those that end with a logout. */
  loggedOut: 0.5,
  /** Hours that a session and its login stay in the database after the last refresh. */
  kept: 24,
} as const;

/** Cores of a node, and how much of them may be busy in the busiest hour. */
const node = { cores: 8, busy: 0.5, cachedCallers: 100_000, connections: 25 } as const;
const leastNodes = 3;

interface Deployment {
  readonly identities: number;
  readonly calls: number;
  readonly refreshes: number;
  readonly logins: number;
  readonly ends: number;
  readonly nodes: number;
  readonly nodeMemory: number;
  readonly databaseCores: number;
  readonly log: number;
  readonly disk: number;
}

function deploymentFor(identities: number): Deployment {
  const active = identities * model.active;
  const calls = (active * model.callsAnHour) / 3600;
  const refreshes = (active * model.refreshesAnHour) / 3600;
  const logins = (active * model.loginsADay * model.loginPeak) / 86_400;
  const ends = logins * model.loggedOut;
  const micros =
    calls * measured.firstSight +
    refreshes * measured.refresh +
    logins * (measured.login + measured.passwordHash);
  const nodes = Math.max(leastNodes, Math.ceil(micros / 1e6 / (node.cores * node.busy)) + 1);
  // A caller who is not in memory is read: a load balancer sends a caller to any node.
  const missed = Math.max(0, 1 - node.cachedCallers / active);
  const databaseMicros =
    refreshes * measured.databaseRefresh +
    logins * measured.databaseLogin +
    ends * measured.databaseEnd +
    calls * missed * measured.databaseAccount;
  const sessions = active * model.loginsADay * (model.kept / 24 + 1);
  return {
    identities,
    calls,
    refreshes,
    logins,
    ends,
    nodes,
    nodeMemory:
      measured.idleNode +
      Math.min(active, node.cachedCallers) * measured.activeCaller +
      ends * 1800 * measured.endedSession,
    databaseCores: databaseMicros / 1e6,
    log: refreshes * measured.logRefresh + logins * measured.logLogin + ends * measured.logEnd,
    disk:
      identities * (measured.identity + measured.authenticator) +
      sessions * (measured.session + measured.authRequest) +
      100_000 * measured.loginAttempt +
      ends * 3600 * measured.change,
  };
}

const short = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2).replace(/\.0$/, '');
const sizes = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000].map(deploymentFor);
process.stdout.write(
  renderTable(
    ['identities', ...sizes.map(({ identities }) => identities.toLocaleString('en'))],
    (
      [
        ['API calls a second', ({ calls }) => short(calls)],
        ['refreshes a second', ({ refreshes }) => short(refreshes)],
        ['logins a second', ({ logins }) => short(logins)],
        ['entries of the change feed a second', ({ ends }) => short(ends)],
        [`nodes of ${node.cores} cores`, ({ nodes }) => short(nodes)],
        ['memory of a node, MB', ({ nodeMemory }) => short(nodeMemory / 1e6)],
        ['busy cores of the database', ({ databaseCores }) => short(databaseCores)],
        ['its write-ahead log, MB a second', ({ log }) => short(log / 1e6)],
        ['its disk, GB', ({ disk }) => short(disk / 1e9)],
        ['connections to it', ({ nodes }) => short(nodes * node.connections)],
      ] as readonly (readonly [string, (one: Deployment) => string])[]
    ).map(([what, read]) => [what, ...sizes.map(read)]),
  ),
);
