import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { KeyFileError, type KeyFileFailure } from './key-file-format.ts';
import { createKeyFile, keyPassphrase, readKeyFile } from './master-key.ts';

const directory = mkdtempSync(join(tmpdir(), 'overlay-auth-key-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let count = 0;
function freshPath(): string {
  count += 1;
  return join(directory, `key-${count}`);
}

function written(text: string): string {
  const path = freshPath();
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function failsWith(reason: KeyFileFailure, act: () => unknown): void {
  assert.throws(act, (error) => {
    assert.ok(error instanceof KeyFileError, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.ok(!error.message.includes('\n') && error.message.length > 10);
    return true;
  });
}

describe('a key file', () => {
  test('gives back the key it was created with, and is readable by its owner only', () => {
    const path = freshPath();
    const key = createKeyFile(path);
    assert.equal(key.bytes.length, 32);
    assert.match(key.fingerprint, /^[0-9a-f]{4}(-[0-9a-f]{4}){2}$/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readKeyFile(path), key);
    assert.equal(key.wrapped, false);
    assert.ok(readFileSync(path, 'utf8').includes(key.fingerprint));
  });

  test('is never overwritten', () => {
    const path = freshPath();
    const key = createKeyFile(path);
    failsWith('exists', () => createKeyFile(path));
    assert.deepEqual(readKeyFile(path), key);
  });

  test('that is missing, a directory or in a missing directory is reported in one sentence', () => {
    failsWith('missing', () => readKeyFile(freshPath()));
    const folder = freshPath();
    mkdirSync(folder);
    failsWith('unreadable', () => readKeyFile(folder));
    failsWith('unwritable', () => createKeyFile(join(freshPath(), 'deeper')));
  });

  test('that other users can read is refused', () => {
    const path = `${freshPath()} of the old server`;
    createKeyFile(path);
    for (const mode of [0o644, 0o604, 0o620, 0o666, 0o777, 0o601]) {
      chmodSync(path, mode);
      failsWith('too open', () => readKeyFile(path));
    }
    assert.throws(
      () => readKeyFile(path),
      ({ message }) => message.endsWith(`; run: chmod 600 '${path}'`),
    );
    for (const mode of [0o600, 0o400]) {
      chmodSync(path, mode);
      readKeyFile(path);
    }
  });

  test('that was cut or changed is refused, whichever character it is', () => {
    const path = freshPath();
    createKeyFile(path);
    const text = readFileSync(path, 'utf8');
    for (let length = 0; length < text.length - 1; length += 3)
      failsWith('malformed', () => readKeyFile(written(text.slice(0, length))));
    for (let index = 0; index < text.length - 1; index += 1) {
      const other = text[index] === 'A' ? 'B' : 'A';
      const changed = written(text.slice(0, index) + other + text.slice(index + 1));
      failsWith('malformed', () => readKeyFile(changed));
    }
    failsWith('malformed', () => readKeyFile(written(`${text}more\n`)));
    failsWith('malformed', () => readKeyFile(written('x'.repeat(20_000))));
  });

  test('edited to other line breaks can still be read', () => {
    const path = freshPath();
    const key = createKeyFile(path);
    assert.deepEqual(readKeyFile(written(readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))), key);
    assert.deepEqual(readKeyFile(written(readFileSync(path, 'utf8').trimEnd())), key);
  });
});

describe('a key file with a passphrase', () => {
  const path = freshPath();
  const key = createKeyFile(path, { passphrase: 'correct hörse' });

  test('opens with it, in either spelling of its accents', () => {
    assert.equal(key.wrapped, true);
    assert.deepEqual(readKeyFile(path, { passphrase: 'correct hörse'.normalize('NFD') }), key);
  });

  test('does not contain the key in plain text', () => {
    const text = readFileSync(path, 'utf8');
    assert.ok(!text.includes(key.bytes.toString('base64url')));
    assert.match(text, /^protection: argon2id m=131072 t=3 salt=/m);
  });

  test('says whether the passphrase is missing or wrong', () => {
    failsWith('passphrase missing', () => readKeyFile(path));
    for (const passphrase of ['', 'correct horse', 'correct hörse ']) {
      failsWith('passphrase wrong', () => readKeyFile(path, { passphrase }));
    }
  });

  test('with absurd costs is refused before they are spent', () => {
    const text = readFileSync(path, 'utf8');
    for (const cost of ['m=99999999 t=3', 'm=131072 t=999', 'm=0 t=3', 'm=131072 t=0', 'm=1e5 t=3']) {
      const absurd = written(text.replace('m=131072 t=3', cost));
      failsWith('malformed', () => readKeyFile(absurd, { passphrase: 'correct hörse' }));
    }
  });
});

describe('the passphrase of the environment', () => {
  test('comes from the variable, or from the file without its line end', () => {
    assert.equal(keyPassphrase({}), undefined);
    assert.equal(keyPassphrase({ OVERLAY_AUTH_KEY_PASSPHRASE: 'abc ' }), 'abc ');
    for (const text of ['abc ', 'abc \n', 'abc \r\n'])
      assert.equal(keyPassphrase({ OVERLAY_AUTH_KEY_PASSPHRASE_FILE: written(text) }), 'abc ');
  });

  test('is refused when it is empty, unreadable or given twice', () => {
    const unusable = [
      { OVERLAY_AUTH_KEY_PASSPHRASE: '' },
      { OVERLAY_AUTH_KEY_PASSPHRASE_FILE: freshPath() },
      { OVERLAY_AUTH_KEY_PASSPHRASE_FILE: written('\n') },
      { OVERLAY_AUTH_KEY_PASSPHRASE: 'a', OVERLAY_AUTH_KEY_PASSPHRASE_FILE: written('a') },
    ];
    for (const env of unusable) failsWith('passphrase unusable', () => keyPassphrase(env));
  });
});
