// PostgreSQL of Debian's packages, and a pooler in transaction mode before it, each with the suites that a release of our
// own choosing passes in every run of the tests:
//   npm run judges:postgres
// Skipped where the packages are not installed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const releases = '/usr/lib/postgresql';
const pooler = '/usr/sbin/pgbouncer';

/** Contracts and races of the store; nodes that share a database; logins from the first request to the last refresh. */
const suites = [
  'test/store/postgres.test.ts',
  'test/postgres/races.test.ts',
  'test/postgres/nodes.test.ts',
  'test/oidc/login.test.ts',
  'test/oidc/token.test.ts',
  'test/management/lists.test.ts',
];

const installed = existsSync(releases)
  ? readdirSync(releases).filter((name) => existsSync(join(releases, name, 'bin', 'initdb')))
  : [];

/** @returns what the failing tests say; null when all passed */
function run(env: Record<string, string>): Promise<string | null> {
  // A run that takes itself for a part of this one would do nothing.
  const { NODE_TEST_CONTEXT: _, ...own } = process.env;
  return new Promise((resolve, reject) => {
    const args = ['--test', '--test-reporter=dot', '--test-concurrency=1', ...suites];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...own, OVERLAY_AUTH_TEST_DB: 'postgres', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
    child.on('error', reject).on('close', (code) => resolve(code === 0 ? null : text));
  });
}

describe('PostgreSQL of Debian', () => {
  if (installed.length === 0) {
    test('is not here', { skip: 'apt-get install postgresql' });
  }
  for (const release of installed) {
    const programs = { OVERLAY_AUTH_TEST_POSTGRES: join(releases, release) };
    test(`${release} does what the tests ask for`, async () => {
      assert.equal(await run(programs), null);
    });
    const skip = existsSync(pooler) ? false : 'apt-get install pgbouncer';
    test(`${release} behind pgbouncer in transaction mode does so too`, { skip }, async () => {
      assert.equal(await run({ ...programs, OVERLAY_AUTH_TEST_POOLER: pooler }), null);
    });
  }
});
