// A database server that is reached over TLS: who asks for it gets it, with a server that proves who it is, or is told
// what to do. Nothing is sent in the clear instead.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { isOpenToListeners } from '../../src/controller/database.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { readPostgresTls } from '../../src/platform/network/postgres-tls.ts';
import { createRootCa, issueClientCertificate, issueServerCertificate } from '../../src/platform/x509/pki.ts';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { tlsForConnections } from '../../src/store/postgres/tls-files.ts';
import { clientOfHome, type Finished, sandbox, stopped, untilReady } from '../support/command.ts';
import { login } from '../support/flow.ts';
import { postgresServer, query, startPostgres } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { testPki } from '../support/test-pki.ts';

const adminPassword = 'correct horse battery';
const config = ['--config', 'h/controller.yml'];

/** The server of the other tests: it speaks no TLS. */

const needs = { clock: systemClock };
const { ca } = await testPki();
// Its names leave out 127.0.0.1.
const own = await issueServerCertificate(needs, { dnsNames: ['localhost'], ips: [], days: 10, ca });
const client = await issueClientCertificate(needs, { commonName: 'overlay', days: 10, ca });
const other = await createRootCa(needs, { commonName: 'Somebody else', days: 10 });
const foreign = await issueClientCertificate(needs, { commonName: 'overlay', days: 10, ca: other });
const server = await startPostgres({ tls: { ...own, caPem: ca.certPem } });
await query(server.urlOf('postgres'), 'CREATE DATABASE certified');
const database = new URL(await server.createDatabase()).pathname.slice(1);
const plain = await tcpProxy((await postgresServer()).socket);
const box = sandbox();
const written = (name: string, text: string) => {
  writeFileSync(join(box.cwd, name), text);
  return join(box.cwd, name);
};
const files = {
  root: written('root.pem', ca.certPem),
  otherRoot: written('other.pem', other.certPem),
  cert: written('client.pem', client.certPem),
  key: written('client.key', client.keyPem),
  foreignCert: written('foreign.pem', foreign.certPem),
  foreignKey: written('foreign.key', foreign.keyPem),
  garbage: written('garbage.pem', 'nothing'),
};
writeFileSync(join(box.cwd, 'password'), `${adminPassword}\n`);
after(async () => {
  await box.close();
  await plain.close();
  await server.close();
});

function url(
  parameters: Readonly<Record<string, string>>,
  at: { host?: string; port?: number; name?: string } = {},
) {
  const { host = 'localhost', port = server.port, name = database } = at;
  const query = new URLSearchParams(parameters);
  return `postgres://overlay:${server.password}@${host}:${port}/${name}?${query}`;
}

function withDb(
  args: readonly string[],
  db: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return box.start(args, { env: { ...env, OVERLAY_AUTH_DB: db } }).finished;
}

describe('a database over TLS', () => {
  test('is set up, served and cared for over TLS, by every connection', async () => {
    const db = url({ sslmode: 'verify-full', sslrootcert: files.root });
    const admin = ['--admin', 'ana', '--admin-password-file', 'password'];
    const made = await box.run(['init', '--home', 'h', '--address', 'localhost:0', '--db', db, ...admin]);
    assert.equal(made.code, 0, made.stderr);
    const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
    const client = clientOfHome((await untilReady(run)).url, join(box.cwd, 'h'));
    assert.ok((await login(client, 'ana', adminPassword)).refresh_token);
    // The connection that listens is asked now and then whether it is still there.
    const connections = await query(
      server.urlOf(database),
      `SELECT ssl, query LIKE 'LISTEN%' OR query = 'SELECT 1' AS listens FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
       WHERE application_name = 'overlay-auth'`,
    );
    assert.ok(connections.length >= 2, JSON.stringify(connections));
    assert.ok(connections.every(({ ssl }) => ssl === true));
    assert.equal(connections.filter(({ listens }) => listens).length, 1);
    client.closeConnections();
    const { code, stdout, stderr } = await stopped(run);
    assert.equal(code, 0, stderr);
    assert.ok(!/unencrypted|Warning/.test(`${stdout}${stderr}`), `${stdout}${stderr}`);
  });

  test('accepts the modes of other clients: all of them check the server', async () => {
    for (const [db, env] of [
      [url({ sslmode: 'require', sslrootcert: files.root }), {}],
      [url({ sslmode: 'verify-ca', sslrootcert: files.root }), {}],
      [url({ sslmode: 'no-verify' }), {}],
      [url({ sslnegotiation: 'direct', sslmode: 'verify-full', sslrootcert: files.root }), {}],
      [url({}), { PGSSLMODE: 'verify-full', PGSSLROOTCERT: files.root }],
    ] as const) {
      const done = await withDb(['ops', 'db', 'check', ...config], db, env);
      assert.equal(done.code, 0, `${db} ${done.stderr}`);
      assert.equal(done.stderr, '', 'no warning of a library');
    }
  });

  test('is refused with a sentence that says what to do when the server is not who it should be', async () => {
    const wrongName = { host: '127.0.0.1' };
    for (const [db, said] of [
      [
        url({ sslmode: 'verify-full', sslrootcert: files.otherRoot }),
        /not of an authority that is trusted.*sslrootcert/,
      ],
      [url({ sslmode: 'require' }), /not of an authority that is trusted.*sslrootcert/],
      [
        url({ sslmode: 'verify-full', sslrootcert: files.root }, wrongName),
        /is for other names .*127\.0\.0\.1 is not/,
      ],
      [url({ sslmode: 'verify-ca', sslrootcert: files.root }, wrongName), /is for other names/],
      [url({ sslmode: 'disable' }), /the server wants TLS.*add sslmode=verify-full/],
      [url({}), /the server wants TLS.*add sslmode=verify-full/],
      [
        url({ sslmode: 'verify-full', sslrootcert: files.root }, { port: plain.port }),
        /speaks no TLS.*turn on ssl/,
      ],
      [url({ sslmode: 'no-verify' }, { port: plain.port }), /speaks no TLS/],
    ] as const) {
      await assert.rejects(openPostgresStore({ url: db }), (error) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        assert.match(error.message, said);
        assert.ok(!error.message.includes(server.password));
        return true;
      });
    }
    const started = await withDb(
      ['run', 'controller', 'h/controller.yml'],
      url({ sslmode: 'verify-full', sslrootcert: files.otherRoot }),
    );
    assert.equal(started.code, 5, started.stdout);
    assert.match(started.stderr, /not of an authority that is trusted/);
  });

  test('asks for a client certificate, and gets the one in the URL', async () => {
    const asked = { sslmode: 'verify-full', sslrootcert: files.root };
    const at = { name: 'certified' };
    const without = await withDb(['ops', 'db', 'migrate', ...config], url(asked, at));
    assert.equal(without.code, 5, without.stdout);
    assert.match(without.stderr, /certificate.*sslcert and sslkey/);
    const ofAnother = { ...asked, sslcert: files.foreignCert, sslkey: files.foreignKey };
    const refused = await withDb(['ops', 'db', 'migrate', ...config], url(ofAnother, at));
    assert.equal(refused.code, 5, refused.stdout);
    assert.match(refused.stderr, /refused the TLS connection .*alert unknown ca.*: look at sslcert/);
    const named = { ...asked, sslcert: files.cert, sslkey: files.key };
    const done = await withDb(['ops', 'db', 'migrate', ...config], url(named, at));
    assert.equal(done.code, 0, done.stderr);
  });

  test('is never guessed: an unreadable or unknown setting stops the start', async () => {
    for (const [db, said] of [
      [url({ sslmode: 'verify_full' }), /sslmode.* is one of disable, .*verify-full/],
      [url({ sslMode: 'require' }), /a parameter sslMode that is not known/],
      [url({ sslmode: 'require', sslrootcert: 'root.pem' }), /write its whole path/],
      [url({ sslmode: 'require', sslrootcert: '/nowhere/root.pem' }), /ENOENT.*\/nowhere\/root\.pem/],
      [url({ sslmode: 'require', sslrootcert: files.garbage }), /contains no certificate/],
      [
        url({ sslmode: 'require', sslcert: files.root, sslkey: files.key }),
        /sslkey must be the key of sslcert/,
      ],
    ] as const) {
      await assert.rejects(openPostgresStore({ url: db }), said);
    }
    const refused = await withDb(['run', 'controller', 'h/controller.yml'], url({ sslmode: 'verify_full' }));
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /environment variable OVERLAY_AUTH_DB: db: sslmode.* verify-full is advised/,
    );
    assert.ok(!refused.stderr.includes(server.password));
    const misspelt = await withDb(['ops', 'db', 'check', ...config], url({}), { PGSSLMODE: 'verify_full' });
    assert.equal(misspelt.code, 1);
    assert.match(misspelt.stderr, /sslmode \(or PGSSLMODE\).*\nnext: .*PGSSLMODE/i);
  });

  test('causes a warning if TLS was neither chosen nor refused, and it leaves the machine', () => {
    const isOpen = (url: string, env = {}) =>
      isOpenToListeners({ db: { engine: 'postgres', url } } as Config, env);
    assert.equal(isOpen('postgres://u@db.example/x'), true);
    assert.equal(isOpen('postgres://u@db.example/x', { PGSSLMODE: 'verify-full' }), false);
    for (const url of [
      'db.example/x?sslmode=disable',
      'db.example/x?sslmode=require',
      'localhost/x',
      'h/x?host=/run',
    ]) {
      assert.equal(isOpen(`postgres://u@${url}`), false, url);
    }
  });

  test('uses the current files, or the previous ones while those cannot be used', async () => {
    const { ca } = await testPki();
    const path = join(box.cwd, 'changing.pem');
    writeFileSync(path, ca.certPem);
    const tls = tlsForConnections(readPostgresTls(new URL(url({ sslrootcert: path }))));
    const rootNow = () => {
      const options = tls();
      return options === false ? null : options.ca;
    };
    assert.equal(rootNow(), ca.certPem);
    writeFileSync(path, ca.certPem.slice(0, 100));
    assert.equal(rootNow(), ca.certPem);
    writeFileSync(path, `${ca.certPem}${ca.certPem}`);
    assert.equal(rootNow(), `${ca.certPem}${ca.certPem}`);
  });
});
