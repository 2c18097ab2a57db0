// What every engine of the store must do: each sentence of the contracts is a test. The test file of an engine
// calls `contractSuite` (and `concurrencySuite`) with a way to open it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Store } from '../../src/store/contracts/store.ts';
import { intentOf } from '../../src/store/sql/store.ts';
import { apiSessionTests } from './contract-api-sessions.ts';
import { authRequestTests, replacementTests } from './contract-auth-requests.ts';
import { browserSessionTests } from './contract-browser-sessions.ts';
import { bulkJobTests } from './contract-bulk-jobs.ts';
import { callerTests } from './contract-callers.ts';
import { caTests } from './contract-cas.ts';
import { certificateExtensionTests } from './contract-certificate-extension.ts';
import { changeTests } from './contract-changes.ts';
import { configTypeTests } from './contract-config-types.ts';
import { deliveryTests } from './contract-deliveries.ts';
import { deviceLoginTests } from './contract-device-logins.ts';
import { enrollmentTests } from './contract-enrollments.ts';
import { foldingTests } from './contract-folding.ts';
import { identityTests } from './contract-identities.ts';
import { invitationTests } from './contract-invitations.ts';
import { keyTests } from './contract-keys.ts';
import { lastLoginTests } from './contract-last-logins.ts';
import { legacySessionTests } from './contract-legacy.ts';
import { limitTests } from './contract-limits.ts';
import { listTests } from './contract-lists.ts';
import { nodeTests, restoreTests } from './contract-nodes.ts';
import { oidcClientTests } from './contract-oidc-clients.ts';
import { passkeyTests } from './contract-passkeys.ts';
import { revocationListTests } from './contract-revocation-lists.ts';
import { revocationTests } from './contract-revocations.ts';
import { sessionCertificateTests } from './contract-session-certificates.ts';
import { signerTests } from './contract-signers.ts';

/** A database that the tests of a suite share. */
export interface SharedDatabase {
  readonly store: Store;
  /** Another engine on the same database, as another process would have it. Its user closes it. */
  openAnother(): Promise<Store>;
}

/** A fresh, migrated database. */
export interface TestDatabase extends SharedDatabase {
  /** Closes `store` and removes the database. */
  drop(): Promise<void>;
}

export type OpenDatabase = () => Promise<TestDatabase>;

/**
 * Opens a database for the tests of the enclosing suite, which are declared before it is there.
 * @param tried takes the methods that the tests use, such as `totp.burnStep`
 */
export function sharedDatabase(open: OpenDatabase, tried = new Set<string>()): SharedDatabase {
  let database: TestDatabase | undefined;
  before(async () => {
    database = await open();
  });
  after(() => database?.drop());
  const opened = () => {
    if (database === undefined) throw new Error('the database is not open');
    return database;
  };
  return {
    store: new Proxy({} as Store, {
      get(_, member) {
        const part: unknown = Reflect.get(opened().store, member);
        return typeof part === 'object' && part !== null
          ? noting(part, (name) => tried.add(`${String(member)}.${name}`))
          : part;
      },
    }),
    openAnother: () => opened().openAnother(),
  };
}

function noting<Part extends object>(part: Part, note: (method: string) => void): Part {
  return new Proxy(part, {
    get(_, method) {
      note(String(method));
      return Reflect.get(part, method);
    },
  });
}

export function contractSuite(name: string, open: OpenDatabase): void {
  const tried = new Set<string>();
  describe(`the contracts of the store on ${name}`, () => {
    const shared = sharedDatabase(open, tried);
    authRequestTests(shared);
    replacementTests(shared);
    apiSessionTests(shared);
    legacySessionTests(shared);
    lastLoginTests(shared);
    sessionCertificateTests(shared);
    browserSessionTests(shared);
    deliveryTests(shared);
    deviceLoginTests(shared);
    identityTests(shared);
    keyTests(shared);
    limitTests(shared);
    signerTests(shared);
    bulkJobTests(shared);
    caTests(shared);
    configTypeTests(shared);
    oidcClientTests(shared);
    revocationTests(shared);
    revocationListTests(shared);
    passkeyTests(shared);
    enrollmentTests(shared);
    invitationTests(shared);
    certificateExtensionTests(shared);
    callerTests(shared);
    changeTests(shared);
    nodeTests(shared);
  });
  describe(`restores on ${name}`, () => restoreTests(sharedDatabase(open, tried)));
  describe(`lists on ${name}`, () => listTests(sharedDatabase(open, tried)));
  describe(`folded texts on ${name}`, () => foldingTests(sharedDatabase(open, tried)));
  test(`every change of the contracts is tried on ${name}`, async () => {
    const { store, drop } = await open();
    const changes = Object.entries(store).flatMap(([concern, part]) =>
      Object.keys(Object(part))
        .map((method) => `${concern}.${method}`)
        .filter(isIntent),
    );
    await drop();
    assert.ok(changes.length > 50, String(changes.length));
    // The import writes a whole database; test/import does it on both engines.
    const untried = changes.filter((change) => !tried.has(change) && change !== 'imports.take');
    assert.deepEqual(untried, []);
  });
}

function isIntent(name: string): boolean {
  try {
    intentOf({ name, args: [] });
    return true;
  } catch (error) {
    // Others want arguments.
    return !String(error).includes('no intent');
  }
}
