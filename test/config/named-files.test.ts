import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUnreadableFiles } from '../../src/config/load.ts';
import { fullFile, load, minimalFile } from './fixtures.ts';

function reading(existing: readonly string[]) {
  return {
    readFile: (path: string) => {
      if (!existing.includes(path)) throw Object.assign(new Error('x'), { code: 'ENOENT' });
    },
  };
}

test('every named file that cannot be read is reported at the setting that names it', () => {
  const problems = findUnreadableFiles(load(fullFile()), reading(['/srv/overlay/pki/cert.pem']));
  assert.deepEqual(
    problems.map(({ path }) => path),
    [
      'secrets.keyFile',
      'identity.server_cert',
      'identity.key',
      'identity.ca',
      'web[1].identity.cert',
      'web[1].identity.server_cert',
      'web[1].identity.key',
      'web[1].identity.ca',
      'web[2].identity.acme.trustedRoots[0]',
      'web[2].identity.acme.externalAccount.hmacKeyFile',
      'edge.enrollment.signingCert.cert',
      'edge.enrollment.signingCert.key',
      'edge.passkeys.trustedRoots[0]',
      'edge.externalJwtSigners.jwksFetch.trustedRoots[0]',
      'branding.logo',
      'branding.logoDark',
      'mail.smtp.passwordFile',
      'mail.smtp.trustedRoots[0]',
      'telemetry.headersFile',
      'telemetry.ca',
    ],
  );
  assert.match(problems[0]?.message ?? '', /^\/etc\/overlay\/master\.key does not exist$/);
  assert.ok((problems[0]?.line ?? 0) > 1);
});

test('a file that this user may not read is reported as such, without a word about paths', () => {
  const readFile = () => {
    throw Object.assign(new Error('x'), { code: 'EACCES' });
  };
  const [problem] = findUnreadableFiles(load(minimalFile()), { readFile });
  assert.match(problem?.message ?? '', /master\.key cannot be read: this user may not access it$/);
  assert.equal(problem?.hint, null);
});

test('nothing is reported when all files can be read', () => {
  const existing = ['secrets/master.key', 'pki/cert.pem', 'pki/key.pem', 'pki/ca.pem'];
  const files = existing.map((file) => `/srv/overlay/${file}`);
  assert.deepEqual(findUnreadableFiles(load(minimalFile()), reading(files)), []);
});
