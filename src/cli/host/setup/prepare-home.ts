// setup/ creates the home of a controller: keys, certificates, database, configuration. Every step happens completely
// or not at all and first looks at what exists, so running an interrupted set-up again finishes it. The configuration
// file comes last: if it exists, the set-up is complete.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { type LoadedConfig, loadConfig } from '../../../config/load.ts';
import { renderControllerConfig } from '../../../config/template.ts';
import { databaseKind, databaseName, hasDatabase, schemaVersion } from '../../../controller/database.ts';
import { type OpenFoundations, openFoundations } from '../../../controller/foundations.ts';
import { algorithmsInUse } from '../../../model/signing-key.ts';
import type { Clock } from '../../../platform/clock.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import { makeFolder } from '../../../platform/make-folder.ts';
import type { Random } from '../../../platform/random.ts';
import { keyPassphrase, readKeyFile, writeKeyFile } from '../../../platform/secrets/master-key.ts';
import { ownerOnly, readIfThere, writeWhole } from '../../../platform/whole-file.ts';
import { ensureSigningKeys, openKeyRing, signingPeriod } from '../../../tokens/key-ring.ts';
import { CliError } from '../../terminal/output.ts';
import { readConfigText } from '../load-config.ts';
import type { HomePaths } from './home.ts';
import { ensurePki, type Made, type ServerNames, shortAddress } from './pki.ts';

/** One item of a home, for the screen and for programs. */
export interface SetupStep {
  readonly what:
    | 'master key'
    | 'root CA'
    | 'client CA'
    | 'server certificate'
    | 'database'
    | 'signing key'
    | 'configuration'
    | 'administrator';
  readonly made: Made;
  /** Its identification: a fingerprint, names, a key id. */
  readonly detail: string;
  /** Its next event: `expires 2036-11-18`; empty if there is none. */
  readonly note: string;
  readonly path: string | null;
}

interface SetupNeeds {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface HomeWishes {
  /** The address for clients, `host:port`. */
  readonly address: string;
  /** Where to listen, `host:port`. */
  readonly interface: string;
  readonly names: ServerNames;
  /** Port of the listener for metrics, on the loopback address. */
  readonly metricsPort: number;
  /** `sqlite:FILE`, relative to the home, or `postgres://…`. */
  readonly dbUrl: string;
}

export interface PreparedHome {
  readonly steps: readonly SetupStep[];
  readonly loaded: LoadedConfig;
  readonly foundations: OpenFoundations;
  /** Writes the configuration file, if it does not exist yet. */
  complete(): SetupStep;
}

/** Whether the set-up of the home was completed before. */
export function isComplete(paths: HomePaths): boolean {
  return existsSync(paths.config);
}

/** The folders of a home, accessible to their owner only. */
export function makeFolders(paths: HomePaths): void {
  for (const folder of [paths.home, dirname(paths.masterKey), dirname(paths.server.cert)]) makeFolder(folder);
  // A home is often inside a working copy. Its keys must not end up in a repository.
  const ignore = join(paths.home, '.gitignore');
  if (readIfThere(ignore) === undefined) writeWhole(ignore, '*\n', 0o644);
}

/** The configuration of the home: the existing file, otherwise the one that would be written. */
export function loadHomeConfig(
  paths: HomePaths,
  wishes: HomeWishes,
  env: SetupNeeds['env'],
): { readonly loaded: LoadedConfig; readonly text: string } {
  const text = readIfThere(paths.config) ?? renderHomeConfig(wishes);
  const readFile = (path: string) => (path === paths.config ? text : readConfigText(path));
  return { loaded: loadConfig(paths.config, { readFile, env }), text };
}

function renderHomeConfig({ address, metricsPort, dbUrl, ...wishes }: HomeWishes): string {
  return renderControllerConfig({
    v: 3,
    db: dbUrl,
    secrets: { keyFile: './secrets/master.key' },
    identity: {
      cert: './pki/server.cert.pem',
      server_cert: './pki/server.cert.pem',
      key: './pki/server.key.pem',
      ca: './pki/ca-bundle.pem',
    },
    web: [
      {
        name: 'default',
        bindPoints: [{ interface: wishes.interface, address }],
        apis: [{ binding: 'edge-client' }, { binding: 'edge-management' }, { binding: 'health-checks' }],
      },
      // On its own interface: people who may read metrics are not those who may log in.
      {
        name: 'metrics',
        bindPoints: [{ interface: `127.0.0.1:${metricsPort}`, address: `localhost:${metricsPort}` }],
        options: { clientCertificates: 'none' },
        apis: [{ binding: 'metrics' }],
      },
    ],
    edge: {
      api: { address },
      enrollment: { signingCert: { cert: './pki/client-ca.cert.pem', key: './pki/client-ca.key.pem' } },
    },
  });
}

/**
 * Creates the missing parts of the home. The caller holds its run lock.
 * @throws CliError the database exists but its key does not
 */
export async function prepareHome(
  needs: SetupNeeds,
  paths: HomePaths,
  { home, names }: { home: { readonly loaded: LoadedConfig; text: string }; names: ServerNames },
): Promise<PreparedHome> {
  const { config } = home.loaded;
  const hadDatabase = await hasDatabase(config);
  const steps: SetupStep[] = [];
  if (!isComplete(paths) || config.secrets.keyFile === paths.masterKey)
    steps.push(ensureMasterKey(needs, paths, hadDatabase ? config : null));
  if (config.identity.serverCertFile === paths.server.cert)
    steps.push(...(await pkiSteps(needs, paths, names)));
  const foundations = await openFoundations({ ...needs, config });
  try {
    steps.push({
      what: 'database',
      made: hadDatabase ? 'found' : 'created',
      detail: `${databaseKind(config)}, schema ${schemaVersion}`,
      note: '',
      path: config.db.engine === 'sqlite' ? config.db.file : null,
    });
    steps.push(...(await ensureFirstKeys(foundations)));
  } catch (error) {
    await foundations[Symbol.asyncDispose]();
    throw error;
  }
  return {
    steps,
    loaded: home.loaded,
    foundations,
    complete: () => {
      const made = isComplete(paths) ? 'found' : 'created';
      if (made === 'created') writeWhole(paths.config, home.text, ownerOnly);
      return { what: 'configuration', made, detail: paths.config, note: '', path: paths.config };
    },
  };
}

/** @param existing the configuration, if its database exists already */
function ensureMasterKey(needs: SetupNeeds, paths: HomePaths, existing: Config | null): SetupStep {
  const path = paths.masterKey;
  const passphrase = keyPassphrase(needs.env);
  if (existsSync(path)) {
    const { fingerprint } = readKeyFile(path, { passphrase });
    return { what: 'master key', made: 'found', detail: fingerprint, note: '', path };
  }
  if (existing !== null) {
    const { db } = existing;
    throw new CliError(
      `There is a database (${databaseName(existing)}), but not the key it was sealed with (${path}).`,
      {
        code: 'key_missing',
        next:
          db.engine === 'sqlite'
            ? `put the key back, or move the database away: mv ${shellWord(db.file)} ${shellWord(`${db.file}.old`)}`
            : 'copy the folder secrets of the controller that uses the database, or name an empty database',
      },
    );
  }
  const { fingerprint } = writeKeyFile(path, passphrase);
  const note = 'back it up separately from the database';
  return { what: 'master key', made: 'created', detail: fingerprint, note, path };
}

async function pkiSteps(needs: SetupNeeds, paths: HomePaths, names: ServerNames): Promise<SetupStep[]> {
  const pki = await ensurePki(needs, paths, names);
  const { dns, ips } = pki.server.facts.subjectAltNames;
  const step = (
    what: SetupStep['what'],
    { made, facts }: typeof pki.rootCa,
    { detail, path }: Pick<SetupStep, 'detail' | 'path'>,
  ): SetupStep => ({ what, made, detail, note: `expires ${dateOf(facts.notAfter)}`, path });
  const fingerprint = (of: typeof pki.rootCa) => `SHA-256 ${of.facts.fingerprint}`;
  return [
    step('root CA', pki.rootCa, { detail: fingerprint(pki.rootCa), path: paths.rootCa.cert }),
    step('client CA', pki.clientCa, { detail: fingerprint(pki.clientCa), path: paths.clientCa.cert }),
    step('server certificate', pki.server, {
      detail: [...dns, ...ips.map(shortAddress)].join(', '),
      path: paths.server.cert,
    }),
  ];
}

/** The keys of a new database sign at once. A running controller makes all later ones. */
async function ensureFirstKeys({ config, store, vault, clock }: OpenFoundations): Promise<SetupStep[]> {
  const keyNeeds = { keys: store.keys, vault, clock };
  const ring = await openKeyRing(keyNeeds);
  const known = ring.list().length;
  const { oidc } = config.edge;
  const lifetime = Math.max(oidc.accessTokenDuration, oidc.idTokenDuration);
  const made =
    known > 0
      ? []
      : await ensureSigningKeys({ ...keyNeeds, ring }, algorithmsInUse(oidc.idTokenSigningAlg), lifetime);
  return ring.list().map((key) => ({
    what: 'signing key' as const,
    made: made.some(({ kid }) => kid === key.kid) ? ('created' as const) : ('found' as const),
    detail: `${key.alg} kid ${key.kid}`,
    note: key.retiredAt === null ? `rotates ${dateOf(key.activeFrom + signingPeriod)}` : '',
    path: null,
  }));
}

/** The day, in UTC: `2036-11-18`. */
function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
