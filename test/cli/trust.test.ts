import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { certificateBundle } from '../../src/platform/x509/certificate-bundle.ts';
import { createRootCa, issueServerCertificate } from '../../src/platform/x509/pki.ts';
import { parseCertificates } from '../../src/platform/x509/x509.ts';
import { type CommandLine, commandLine, exits } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { testPki } from '../support/test-pki.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const server = await serverOfFile();
await server.createUser({ name: 'ada', password });
const strangerPem = (await createRootCa({ clock: systemClock }, { commonName: 'Stranger', days: 1 })).certPem;

const credentials = ['-u', 'ada', '--password-stdin'];
const login = (cli: CommandLine, url: string, args: string[] = [], env: Record<string, string> = {}) =>
  cli.run(['login', url, ...credentials, ...args], { input: password, env });

/** A folder as left by a controller that was set up there. */
function homeWith(cli: CommandLine, name: string, caPem: string): string {
  const home = join(cli.cwd, name);
  mkdirSync(join(home, 'pki'), { recursive: true });
  writeFileSync(join(home, 'pki', 'root-ca.cert.pem'), caPem);
  return home;
}

describe('a server whose certificate authority is not known', () => {
  test('is not talked to: exit 1, its fingerprint, and the option that makes it known', async () => {
    await using cli = commandLine();
    const refused = await exits(1, login(cli, server.url));
    assert.match(
      refused.stderr,
      /^error: The certificate of \S+ was issued by an authority that is not known here\./,
    );
    const { fingerprint256 } = new X509Certificate(server.caPem);
    assert.ok(refused.stderr.includes(`SHA-256 fingerprint of the authority: ${fingerprint256}\n`));
    assert.match(refused.stderr, /next: overlay-auth login \S+ --ca FILE/);
    const json = await login(cli, server.url, ['-j']);
    assert.equal(JSON.parse(json.stderr).error.code, 'server_untrusted');
  });

  test('is shown by its certificate when its list of authorities is none of those above it', async () => {
    await using cli = commandLine();
    const { server: pair } = await testPki();
    const list = certificateBundle(parseCertificates(strangerPem)).toString('base64');
    const options = { cert: pair.certPem, key: pair.keyPem };
    const other = createHttpsServer(options, (_request, response) => response.end(list)).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((ready) => other.once('listening', ready));
    const refused = await login(cli, `https://localhost:${(other.address() as AddressInfo).port}`);
    other.close();
    const { fingerprint256 } = new X509Certificate(pair.certPem);
    assert.ok(refused.stderr.includes(`SHA-256 fingerprint of the certificate: ${fingerprint256}\n`));
  });

  test('is known from --ca on, also to later commands and logins', async () => {
    await using cli = commandLine();
    await exits(0, login(cli, server.url, ['--ca', join(server.home, 'ca.pem')]));
    await cli.exits(0, ['whoami']);
    await exits(0, login(cli, server.url));
    await cli.exits(0, ['login', 'forget', server.url]);
    await exits(1, login(cli, server.url));
  });

  test('is not known by another authority, nor by a file without one', async () => {
    await using cli = commandLine();
    copyFileSync(join(server.home, 'ca.pem'), join(cli.cwd, 'right.pem'));
    writeFileSync(join(cli.cwd, 'stranger.pem'), strangerPem);
    writeFileSync(join(cli.cwd, 'empty.pem'), '');
    writeFileSync(join(cli.cwd, 'broken.pem'), server.caPem.replace(/\n/, '\nAAAA') + server.caPem);
    for (const [file, code, pattern] of [
      ['stranger.pem', 1, /was not issued by the authority in stranger\.pem/],
      ['broken.pem', 1, /broken\.pem contains no certificate in PEM form, or a broken one/],
      ['empty.pem', 2, /The CA file empty\.pem is empty/],
      ['missing.pem', 2, /missing\.pem cannot be read/],
    ] as const) {
      const refused = await login(cli, server.url, ['--ca', file]);
      assert.equal(refused.code, code, refused.stderr);
      assert.match(refused.stderr, pattern);
    }
    await exits(0, login(cli, server.url, ['--ca', 'right.pem']));
  });

  test('is known where this user set up the controller: ./.overlay, or OVERLAY_AUTH_HOME', async () => {
    await using here = commandLine();
    homeWith(here, '.overlay', server.caPem);
    const found = await exits(0, login(here, server.url));
    assert.match(
      found.stderr,
      /Trusting the certificate authority of the controller set up here: \S+root-ca\.cert\.pem/,
    );

    await using elsewhere = commandLine();
    const home = homeWith(elsewhere, 'somewhere', server.caPem);
    await exits(1, login(elsewhere, server.url));
    await exits(0, login(elsewhere, server.url, [], { OVERLAY_AUTH_HOME: home }));
  });

  test('is refused when a home here belongs to another controller', async () => {
    await using cli = commandLine();
    homeWith(cli, '.overlay', strangerPem);
    await exits(1, login(cli, server.url));
  });
});

test('a certificate for another name is refused from every issuer', async () => {
  await using cli = commandLine();
  const { ca } = await testPki();
  const needs = { clock: systemClock };
  const other = await issueServerCertificate(needs, {
    dnsNames: ['elsewhere.example'],
    ips: [],
    days: 1,
    ca,
  });
  const impostor = createHttpsServer({ cert: other.certPem, key: other.keyPem }).listen(0, '127.0.0.1');
  await new Promise((ready) => impostor.once('listening', ready));
  const url = `https://localhost:${(impostor.address() as AddressInfo).port}`;
  const refused = await login(cli, url, ['--ca', join(server.home, 'ca.pem')]);
  impostor.close();
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^error: The certificate of the server is not for the name in https:\/\/localhost/,
  );
});

test('a server that does not have the name that was used is reported', async () => {
  await using cli = commandLine();
  const { port } = new URL(server.url);
  const refused = await exits(
    1,
    login(cli, `https://127.0.0.1:${port}`, ['--ca', join(server.home, 'ca.pem')]),
  );
  assert.match(refused.stderr, /does not go by the name in https:\/\/127\.0\.0\.1/);
  assert.ok(refused.stderr.includes(`for example https://localhost:${port}\n`), refused.stderr);
});

describe('a server that is not there', () => {
  test('is exit 5, at login and later', async () => {
    await using cli = commandLine();
    const gone = createServer().listen(0, '127.0.0.1');
    await new Promise((ready) => gone.once('listening', ready));
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => gone.close(closed));
    const refused = await exits(5, login(cli, `localhost:${port}`));
    assert.match(
      refused.stderr,
      /^error: https:\/\/localhost:\d+ cannot be reached: nothing listens there\.\nnext: /,
    );

    const temporary = await startTestServer();
    await temporary.createUser({ name: 'ada', password });
    await exits(0, login(cli, temporary.url, ['--ca', join(temporary.home, 'ca.pem')]));
    await temporary.close();
    for (const args of [['whoami'], ['list', 'identities'], ['logout']]) {
      assert.equal((await cli.run(args)).code, 5, args.join(' '));
    }
    await cli.exits(0, ['logout', '--local']);
  });

  test('is exit 1 when what is there does not speak TLS', async () => {
    await using cli = commandLine();
    const plain = createHttpServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await new Promise((ready) => plain.once('listening', ready));
    const refused = await login(cli, `https://127.0.0.1:${(plain.address() as AddressInfo).port}`);
    plain.close();
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /no secure connection came about/);
  });
});
