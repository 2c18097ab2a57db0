import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

const launcher = fileURLToPath(new URL(`../../${packageJson.bin['overlay-auth']}`, import.meta.url));
const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

test('the command and the entry point can be executed, and pass arguments and exit codes through', () => {
  for (const file of [launcher, entry]) {
    accessSync(file, constants.X_OK);
    const version = spawnSync(process.execPath, [file, '--version'], { encoding: 'utf8' });
    assert.equal(version.stdout, `${packageJson.version}\n`, version.stderr);
    const unknown = spawnSync(process.execPath, [file, 'no', 'such', '-j'], { encoding: 'utf8' });
    assert.equal(unknown.status, 2);
    assert.equal(JSON.parse(unknown.stderr).error.code, 'usage');
  }
});
