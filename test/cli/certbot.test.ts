// The hook of the operator guide that takes over what certbot has renewed, run as it is printed: only its folder and its
// owner are replaced.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import {
  authority,
  extendedKeyUsage,
  generalName,
  makeCertificate,
  newKeys,
  subjectAltName,
} from '../support/chains.ts';
import { sandbox, untilReady } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

const guide = readFileSync(new URL('../../docs/operator-guide.md', import.meta.url), 'utf8');
const main = new URL('../../src/main.ts', import.meta.url).pathname;

const box = sandbox();
after(() => box.close());

test('a certificate that certbot has renewed is presented at once, and its key is for the service alone', async () => {
  const [, hook = ''] = /^ *```sh\n( *#!\/bin\/sh[\s\S]*?)^ *```$/m.exec(guide) ?? [];
  const printed = hook.replaceAll(/^ {2}/gm, '');
  assert.match(printed, /RENEWED_LINEAGE/);
  const port = await freePort();
  await box.home('h', `auth.example.com:${port}`);
  const home = join(box.cwd, 'h');
  const file = join(home, 'controller.yml');
  const { issued, names } = lineage();

  const bin = join(box.cwd, 'bin');
  mkdirSync(bin);
  // As the unit reloads the service.
  const reload = `#!/bin/sh\nexec '${process.execPath}' '${main}' config reload --config '${file}'\n`;
  writeFileSync(join(bin, 'systemctl'), reload, { mode: 0o700 });
  const script = join(box.cwd, 'hook');
  const ours = printed
    .replaceAll('/var/lib/overlay-auth', home)
    .replaceAll(' -o overlay-auth -g overlay-auth', '');
  writeFileSync(script, ours);
  chmodSync(script, 0o700);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, RENEWED_LINEAGE: names };
  const renewed = () => execFileSync(script, { env, stdio: 'pipe' });

  assert.throws(renewed, 'the service does not run yet');
  const identity = /^ +cert: \.\/pki\/public[\s\S]*?(?=^ *```)/m.exec(guide)?.[0] ?? '';
  const listener = `    identity:\n${identity}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^( +)apis:/m, `${listener}$&`));
  const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
  await untilReady(run);
  const presented = () =>
    new Promise<string>((resolve, reject) => {
      const at = { port, host: '127.0.0.1', servername: 'auth.example.com', rejectUnauthorized: false };
      const socket = connect(at, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      }).on('error', reject);
    });
  const before = await presented();
  issued();
  renewed();
  assert.notEqual(await presented(), before);
  assert.equal(statSync(join(home, 'pki', 'public.key.pem')).mode & 0o777, 0o600);
});

/** The folder of a certificate as certbot has it. @returns `issued` issues the next one, for the same key */
function lineage(): { issued(): void; readonly names: string } {
  const names = join(box.cwd, 'live');
  mkdirSync(names);
  const ca = authority();
  const keys = newKeys.ec();
  const extensions = [
    subjectAltName(generalName.dns('auth.example.com')),
    extendedKeyUsage('1.3.6.1.5.5.7.3.1'),
  ];
  const issued = () => {
    const leaf = makeCertificate({ subject: 'auth.example.com', issuer: ca, keys, extensions });
    writeFileSync(join(names, 'fullchain.pem'), `${leaf.certPem}${ca.certPem}`);
    writeFileSync(join(names, 'privkey.pem'), leaf.keyPem, { mode: 0o600 });
  };
  issued();
  return { names, issued };
}
