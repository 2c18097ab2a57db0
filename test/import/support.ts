// A home into which the database of another controller was imported by the command, and the controller that runs on it.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadConfig } from '../../src/config/load.ts';
import { startController } from '../../src/controller/controller.ts';
import { openFoundations } from '../../src/controller/foundations.ts';
import { DAY, systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import { type CommandLine, commandLine, type Outcome } from '../support/command-line.ts';
import { readNamedFile } from '../support/files.ts';
import { type FixedClock, fixedClock } from '../support/fixed-clock.ts';
import { type HttpsClient, httpsClient } from '../support/https-client.ts';
import { memoryLogger } from '../support/memory-logger.ts';

const fixtures = new URL('./fixtures/', import.meta.url);

/** The database file of a real controller, as it was when that was stopped. */
export const database: Buffer = gunzipSync(readFileSync(new URL('ctrl.db.gz', fixtures)));

/** A little after the database was made. */
export const shortlyAfter = '2026-11-22T09:05:00Z';

/** Makes a certificate of the test already valid then: the tests run later, and would date it after the home's clock. */
export const validWhenTaken = { from: Date.parse(shortlyAfter) - DAY - systemClock.now() } as const;

export interface ExpectedAuthenticator {
  readonly id: string;
  readonly method: 'updb' | 'cert';
  readonly username?: string;
  readonly password?: string;
  readonly oldPasswords?: readonly string[];
  /** Why a right credential is refused. */
  readonly loginRefused?: string;
  /** Name of the certificate and its key. */
  readonly cert?: string;
  /** The certificate before it. */
  readonly replaced?: string;
  /** The factors that are asked for after it. */
  readonly asks: readonly ('MFA' | 'EXT-JWT')[];
}

export interface ExpectedJwt {
  readonly signer: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface ExpectedIdentity {
  readonly id: string;
  readonly name: string;
  readonly typeId: string;
  readonly isAdmin: boolean;
  readonly disabled: boolean;
  readonly externalId: string | null;
  readonly authPolicyId: string;
  readonly roleAttributes: readonly string[];
  readonly tags: Readonly<Record<string, unknown>>;
  readonly authenticators: readonly ExpectedAuthenticator[];
  readonly certByExternalId?: string;
  readonly extJwt?: readonly ExpectedJwt[];
  readonly secondaryJwt?: ExpectedJwt;
  readonly totp?: {
    readonly secret: string;
    readonly isVerified: boolean;
    readonly recoveryCodes: readonly string[];
    readonly usedRecoveryCodes: readonly string[];
  };
  readonly enrollments: readonly {
    readonly id: string;
    readonly method: 'ott' | 'ottca' | 'updb';
    readonly token: string;
    readonly username: string | null;
    readonly expiredWhenTaken: boolean;
  }[];
}

export interface Expected {
  readonly identities: readonly ExpectedIdentity[];
  readonly authPolicies: readonly {
    readonly id: string;
    readonly name: string;
    // biome-ignore lint/suspicious/noExplicitAny: as the API of the other controller showed it
    readonly primary: any;
    readonly secondary: { readonly requireTotp: boolean; readonly requireExtJwtSigner?: string };
    readonly tags: object;
  }[];
  readonly signers: readonly {
    readonly id: string;
    readonly name: string;
    readonly issuer: string;
    readonly audience: string;
    readonly enabled: boolean;
    readonly useExternalId: boolean;
    readonly claimsProperty: string;
    readonly jwksEndpoint: string | null;
    readonly kid: string | null;
    readonly scopes: readonly string[] | null;
    readonly targetToken: string;
    readonly tags: object;
    readonly signingKid: string;
    readonly signingAlg: string;
    readonly signingKey: string;
  }[];
  readonly cas: readonly {
    readonly id: string;
    readonly name: string;
    readonly isVerified: boolean;
    readonly isAuthEnabled: boolean;
    readonly identityRoles: readonly string[];
    readonly verificationToken: string;
    readonly externalIdClaim?: object;
    readonly key: string;
  }[];
}

/** What is in the database, and what each credential of it must do. */
export const expected: Expected = JSON.parse(readFileSync(new URL('expected.json', fixtures), 'utf8'));

const keys: Readonly<Record<string, string>> = JSON.parse(
  gunzipSync(readFileSync(new URL('keys.json.gz', fixtures))).toString(),
);

/** A certificate or key of the fixture, PEM. */
export function keyFile(name: string): string {
  const pem = keys[name];
  assert.ok(pem !== undefined, name);
  return pem;
}

export interface Home {
  readonly cli: CommandLine;
  readonly folder: string;
  readonly clock: FixedClock;
  /** `ops import ziti` on the home, with the authority of the source. */
  importFile(...options: readonly string[]): Promise<Outcome>;
  /** Runs the controller of the home for the time of `work`. */
  running<T>(work: (running: Running) => Promise<T>): Promise<T>;
}

export interface Running extends HttpsClient {
  readonly url: string;
  readonly caPem: string;
  readonly store: Store;
  readonly clock: FixedClock;
}

/**
 * A fresh home with nothing in it, and the files of the source beside it.
 * @param given.source the database file that is imported
 */
export async function freshHome({
  db,
  source = database,
}: {
  readonly db?: string;
  readonly source?: Buffer;
} = {}): Promise<Home> {
  // Clients judge the server's certificate by the time of the machine.
  const setUp = commandLine();
  const folder = join(setUp.cwd, 'home');
  const url = db === undefined ? [] : ['--db', db];
  const made = await setUp.run(['init', '--home', folder, '--address', 'localhost:0', '--yes', ...url]);
  assert.equal(made.code, 0, made.stderr);
  const clock = fixedClock(shortlyAfter);
  const later = commandLine(clock);
  writeFileSync(join(later.cwd, 'ctrl.db'), source);
  for (const name of ['controller-ca.pem', 'controller-signing-ca.key'])
    writeFileSync(join(later.cwd, name), keyFile(name));
  const config = join(folder, 'controller.yml');
  return {
    cli: later,
    folder,
    clock,
    importFile: (...options) =>
      later.run(['ops', 'import', 'ziti', 'ctrl.db', '--config', config, ...options]),
    async running(work) {
      const { config: loaded } = loadConfig(config, { readFile: readNamedFile, env: {} });
      const needs = { config: loaded, clock, random: createRandom(clock), log: memoryLogger(), env: {} };
      const foundations = await openFoundations(needs);
      // A clock that a test sets has nothing to do with that of a database server.
      const nodes = { ...foundations.store.nodes, databaseTime: async () => null };
      const controller = await startController({ ...foundations, store: { ...foundations.store, nodes } });
      const [bindPoint] = controller.bindPoints;
      assert.ok(bindPoint !== undefined);
      const caPem = readFileSync(join(folder, 'pki', 'root-ca.cert.pem'), 'utf8');
      const client = httpsClient(`https://${bindPoint.address}`, caPem);
      try {
        return await work({
          ...client,
          url: `https://${bindPoint.address}`,
          caPem,
          store: foundations.store,
          clock,
        });
      } finally {
        client.closeConnections();
        await controller.stop();
        await foundations[Symbol.asyncDispose]();
      }
    },
  };
}
