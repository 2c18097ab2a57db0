import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Authority } from './authority.ts';
import { type Computer, type TrustStore, trustStores } from './stores.ts';

const authority: Authority = {
  pem: '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n',
  file: '/home/ada/root-ca.cert.pem',
  subject: 'CN=Overlay Auth root CA',
  fingerprint: 'AB:CD',
  sha1: '0123456789ABCDEF0123456789ABCDEF01234567',
  name: 'overlay-auth-abcd',
  expiresAt: 0,
  isLimited: false,
};

/** A computer that has these folders and programs. What it would run is not run. */
function computer(folders: readonly string[], programs: readonly string[], uid = process.getuid?.()) {
  const root = mkdtempSync(join(tmpdir(), 'overlay-auth-stores-'));
  for (const folder of [...folders, 'bin', 'home']) mkdirSync(join(root, folder), { recursive: true });
  for (const program of programs) {
    writeFileSync(join(root, 'bin', program), '');
    chmodSync(join(root, 'bin', program), 0o755);
  }
  return {
    root,
    on: (platform: NodeJS.Platform): Computer => ({
      platform,
      root,
      uid,
      env: { PATH: join(root, 'bin'), HOME: join(root, 'home') },
    }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

function lines(store: TrustStore | undefined, root: string): readonly string[] {
  assert.ok(store);
  return [...store.trust(authority.file), ...store.undo].map((step) =>
    step.join(' ').replaceAll(`${root}/`, '/'),
  );
}

test('on Linux, the commands of the distribution are used', () => {
  for (const [folder, programs, take, takeAway] of [
    [
      '/etc/pki/ca-trust/source/anchors',
      ['update-ca-trust'],
      'update-ca-trust extract',
      'update-ca-trust extract',
    ],
    [
      '/etc/ca-certificates/trust-source/anchors',
      ['update-ca-trust'],
      'update-ca-trust extract',
      'update-ca-trust extract',
    ],
    [
      '/usr/local/share/ca-certificates',
      ['update-ca-certificates'],
      'update-ca-certificates',
      'update-ca-certificates --fresh',
    ],
  ] as const) {
    using here = computer([folder], programs);
    const { usable } = trustStores(here.on('linux'), authority);
    assert.deepEqual(
      usable.map(({ kind, needsRoot }) => [kind, needsRoot]),
      [['system', true]],
    );
    const path = `${folder}/overlay-auth-abcd.crt`;
    assert.deepEqual(lines(usable[0], here.root), [
      `install -m 644 /home/ada/root-ca.cert.pem ${path}`,
      take,
      `rm -f ${path}`,
      takeAway,
    ]);
  }
});

test('on macOS, the keychain of the user trusts it for TLS only', () => {
  using here = computer([], []);
  const { usable } = trustStores(here.on('darwin'), authority);
  const keychain = '/home/Library/Keychains/login.keychain-db';
  assert.deepEqual(lines(usable[0], here.root), [
    `security add-trusted-cert -r trustRoot -p ssl -k ${keychain} /home/ada/root-ca.cert.pem`,
    `security delete-certificate -Z ${authority.sha1} -t ${keychain}`,
  ]);
  assert.deepEqual(
    usable.map(({ needsRoot }) => needsRoot),
    [false],
  );
});

test('a browser that was not started yet gets a database, one of another user and one without certutil are named', () => {
  const reasons = (each: Computer) => trustStores(each, authority).unusable.map(({ reason }) => reason);
  using without = computer(['home/.config/google-chrome'], []);
  // certutil may be installed in the folders of the system.
  if (trustStores(without.on('linux'), authority).usable.every(({ kind }) => kind === 'system'))
    assert.match(reasons(without.on('linux'))[0] ?? '', /certutil is not installed/);
  using here = computer(['home/.config/google-chrome'], ['certutil']);
  const { usable } = trustStores(here.on('linux'), authority);
  const database = '/home/.pki/nssdb';
  assert.deepEqual(
    lines(
      usable.find(({ kind }) => kind === 'browser'),
      here.root,
    ),
    [
      `mkdir -p -m 700 ${database}`,
      `certutil -N -d sql:${join(here.root, database)} --empty-password`.replaceAll(`${here.root}/`, '/'),
      `certutil -A -d sql:${database} -n overlay-auth-abcd -t C,, -i /home/ada/root-ca.cert.pem`,
      `certutil -D -d sql:${database} -n overlay-auth-abcd`,
    ],
  );
  using foreign = computer(['home/.config/google-chrome'], ['certutil'], 4_000_000);
  assert.match(reasons(foreign.on('linux'))[0] ?? '', /another user/);
});

test('on another system there is no store', () => {
  using here = computer(['home/.config/google-chrome'], ['certutil']);
  assert.deepEqual(trustStores(here.on('win32'), authority), { usable: [], unusable: [] });
});
