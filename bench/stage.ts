// The servers of a run: started when an operation first needs one, stopped at the end.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/platform/clock.ts';
import { issueClientCertificate } from '../src/platform/x509/pki.ts';
import { postgresServer } from '../test/support/postgres.ts';
import type { CountInstructions } from './instructions.ts';
import { freePort, type MeasuredProcess, startMeasured } from './measured-process.ts';
import { makeHome, type OverlayHome, startOverlay, startWithoutHashing } from './overlay/home.ts';
import { buildPackage } from './overlay/package.ts';
import { openSeed, type Seed } from './overlay/seed.ts';
import { installKeycloak } from './peers/install-keycloak.ts';

export interface Overlay {
  readonly process: MeasuredProcess;
  readonly home: OverlayHome;
  readonly seed: Seed;
  /** Names of users who can log in. */
  readonly users: readonly string[];
}

export interface Stage {
  /** A short run, to see that everything works. */
  readonly quick: boolean;
  readonly engine: 'SQLite' | 'PostgreSQL';
  /** Identities and sessions of the large database. */
  readonly sessions: number;
  /** That come back at once in a login storm. */
  readonly devices: number;
  readonly countInstructions: CountInstructions | undefined;
  readonly folder: string;
  readonly clientCertificate: { readonly cert: string; readonly key: string };
  /** The controller, with two thousand sessions. */
  overlay(): Promise<Overlay>;
  /** The controller with a password hash that costs nothing. */
  overlayWithoutHashing(): Promise<Overlay>;
  /** The same, with so many threads that answer requests. */
  overlayWithThreads(threads: number): Promise<Overlay>;
  bare(): Promise<MeasuredProcess>;
  oidcProvider(hashing: boolean): Promise<MeasuredProcess>;
  /** Downloads it from Maven Central if this clone has not yet. */
  keycloak(): Promise<MeasuredProcess>;
  /** A home of its own, on which nothing runs yet. @param db URL of an empty PostgreSQL database, instead of this run's */
  newHome(name: string, db?: string): Promise<OverlayHome>;
  /** Starts the controller on a home; the caller stops it. */
  start(home: OverlayHome): Promise<MeasuredProcess>;
}

export interface StageOptions {
  readonly quick: boolean;
  readonly sessions: number;
  readonly devices: number;
  readonly countInstructions: CountInstructions | undefined;
  /** Controllers on a PostgreSQL server of this run's own, instead of SQLite. */
  readonly postgres: boolean;
  /** Where CPU profiles of the controller go, if anywhere. */
  readonly profile: string | undefined;
}

const sessionsAtStart = 2000;
/** So many that none of them reaches the limit of sessions, at which each login ends an older one. */
const usersAtStart = 400;

/** Runs `use` on a stage, and takes everything down again, even after an error. */
export async function onStage(options: StageOptions, use: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-bench-'));
  const running: { stop(): Promise<void> }[] = [];
  try {
    await use(await openStage(folder, options, running));
  } finally {
    for (const { stop } of running.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openStage(
  folder: string,
  { quick, sessions, devices, countInstructions, profile, postgres }: StageOptions,
  running: { stop(): Promise<void> }[],
): Promise<Stage> {
  const program = buildPackage(folder);
  const newHome = async (name: string, db?: string) =>
    makeHome(
      program,
      join(folder, name),
      db ?? (postgres ? await (await postgresServer()).createDatabase() : null),
    );
  const home = await newHome('overlay');
  const clientCa = {
    certPem: readFileSync(home.clientCa.cert, 'utf8'),
    keyPem: readFileSync(home.clientCa.key, 'utf8'),
  };
  const certificate = await issueClientCertificate(
    { clock: systemClock },
    { commonName: 'benchmark', days: 1, ca: clientCa },
  );
  const bareFolder = join(folder, 'bare');
  mkdirSync(bareFolder);

  async function openOverlay(
    on: OverlayHome,
    start: (home: OverlayHome, profile?: string) => Promise<MeasuredProcess>,
  ): Promise<Overlay> {
    const process = await start(on, profile);
    running.push(process);
    const seed = await openSeed(on);
    running.push({ stop: () => seed.close() });
    await seed.fill(sessionsAtStart);
    return { process, home: on, seed, users: await seed.users(usersAtStart) };
  }

  async function openPeer(name: string, ...args: readonly string[]): Promise<MeasuredProcess> {
    const port = await freePort();
    const peer = await startMeasured({
      file: fileURLToPath(new URL(`./peers/${name}.ts`, import.meta.url)),
      args: [String(port), home.server.cert, home.server.key, ...args],
      port,
      outputFile: join(folder, `${name}.log`),
    });
    running.push(peer);
    return peer;
  }

  return {
    quick,
    engine: postgres ? 'PostgreSQL' : 'SQLite',
    sessions,
    devices,
    countInstructions,
    folder,
    clientCertificate: { cert: certificate.certPem, key: certificate.keyPem },
    overlay: once(() => openOverlay(home, startOverlay)),
    overlayWithoutHashing: once(async () =>
      openOverlay(await newHome('without-hashing'), startWithoutHashing),
    ),
    overlayWithThreads: byArgument(async (threads: number) => {
      const own = await newHome(`threads-${threads}`);
      const yaml = readFileSync(own.configFile, 'utf8');
      writeFileSync(own.configFile, yaml.replace(/^# threads: auto.*$/m, `threads: ${threads}`));
      return openOverlay(own, startWithoutHashing);
    }),
    bare: once(async () =>
      openPeer(
        'bare',
        postgres ? await (await postgresServer()).createDatabase() : join(bareFolder, 'bare.db'),
      ),
    ),
    oidcProvider: byArgument((hashing: boolean) => openPeer('oidc-provider', hashing ? 'hash' : 'no-hash')),
    keycloak: once(async () => openPeer('keycloak', installKeycloak())),
    newHome,
    start: (on) => startOverlay(on),
  };
}

function once<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

function byArgument<Argument, Value>(open: (argument: Argument) => Promise<Value>) {
  const opened = new Map<Argument, Promise<Value>>();
  return (argument: Argument): Promise<Value> => {
    const known = opened.get(argument) ?? open(argument);
    opened.set(argument, known);
    return known;
  };
}
