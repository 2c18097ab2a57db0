import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect as connectLocal, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { loadSettledConfig } from '../../src/cli/host/load-config.ts';
import { type Clock, DAY, systemClock } from '../../src/platform/clock.ts';
import { tryFileLock } from '../../src/platform/file-lock.ts';
import { createKeyFile } from '../../src/platform/secrets/master-key.ts';
import { issueServerCertificate } from '../../src/platform/x509/pki.ts';
import {
  clientOfHome,
  type Sandbox,
  type Started,
  sandbox,
  stopped,
  untilReady,
} from '../support/command.ts';
import { exits, runHere } from '../support/command-line.ts';
import { eventually } from '../support/until.ts';

const configFile = 'h/controller.yml';

/** A folder with a home `h` on a port that the system chooses. */
async function homeBox(): Promise<Sandbox> {
  const box = sandbox();
  await box.home('h', 'localhost:0');
  return box;
}

/** The same, with keys that no other home has. */
async function newHomeBox(env: Record<string, string>): Promise<Sandbox> {
  const box = sandbox();
  await box.exits(0, ['init', '--home', 'h', '--address', 'localhost:0'], { env });
  return box;
}

/** An error message of PostgreSQL's protocol. */
function refusalOfPostgres(state: string): Buffer {
  return messageOfPostgres('E', `SFATAL\0VFATAL\0C${state}\0Mrefused\0\0`);
}

function messageOfPostgres(type: string, text: string): Buffer {
  const fields = Buffer.from(text);
  const message = Buffer.alloc(5 + fields.length, type);
  message.writeInt32BE(4 + fields.length, 1);
  fields.copy(message, 5);
  return message;
}

/** Its JSON documents, one a line. */
function linesOf(stdout: string) {
  const lines = stdout.trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Puts a new key in the place of the one that the database was sealed with. */
function replaceKey({ cwd }: Sandbox): void {
  const file = join(cwd, 'h', 'secrets', 'master.key');
  rmSync(file);
  createKeyFile(file);
}

function startRun(box: Sandbox, ...args: string[]): Started {
  return box.start(['run', 'controller', configFile, '--log-format', 'json', ...args]);
}

function edit(box: Sandbox, change: (yaml: string) => string): void {
  const file = join(box.cwd, configFile);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function presented(box: Sandbox, url: string): Promise<{ fingerprint: string; socket: TLSSocket }> {
  const { hostname, port } = new URL(url);
  const ca = readFileSync(join(box.cwd, 'h', 'pki', 'root-ca.cert.pem'));
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), servername: hostname, ca }, () =>
      resolve({ fingerprint: socket.getPeerCertificate().fingerprint256, socket }),
    );
    socket.on('error', reject);
  });
}

function saidBy(path: string, word: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connectLocal(path, () => socket.write(word));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('close', () => resolve(text)).once('error', reject);
  });
}

describe('run controller', () => {
  test('says when it is ready, in one JSON object a line, and ends with 0 after SIGTERM and SIGINT', async () => {
    await using box = await homeBox();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const run = startRun(box);
      const ready = await untilReady(run);
      assert.deepEqual(ready.issuers, [`${ready.url}/oidc`]);
      const client = clientOfHome(ready.url, join(box.cwd, 'h'));
      const discovery = await client.get('/oidc/.well-known/openid-configuration');
      assert.equal(discovery.json.issuer, ready.issuers[0]);
      client.closeConnections();
      run.child.kill(signal);
      const { code, stdout, stderr } = await run.finished;
      assert.equal(code, 0, stderr);
      assert.equal(stderr, '');
      const lines = linesOf(stdout);
      assert.deepEqual(lines.map(({ event }) => event).filter(Boolean), ['ready', 'stopping', 'stopped']);
      assert.ok(
        lines.every(({ level }) => level === 'info'),
        'a clean run logs nothing worse',
      );
    }
  });

  test('writes the audit trail and the line that it is ready at every log level, of every thread', async () => {
    await using box = await homeBox();
    edit(box, (yaml) => yaml.replace(/^ {2}level: info.*/m, '  level: error\nthreads: 2'));
    const run = startRun(box);
    const { url } = await untilReady(run);
    const requests = new Set<string>();
    // Enough connections to reach both threads.
    for (let at = 0; at < 24; at += 1) {
      const client = clientOfHome(url, join(box.cwd, 'h'));
      const refused = await client.post('/edge/client/v1/authenticate?method=password', {
        json: { username: `nobody ${at}`, password: 'wrong' },
      });
      client.closeConnections();
      requests.add(String(refused.headers['x-request-id']));
    }
    const { stdout } = await stopped(run);
    const lines = linesOf(stdout);
    const refusals = lines.filter(({ event }) => event === 'login.refused');
    const seen = refusals.reduce((sum, { unlogged = 0 }) => sum + 1 + unlogged, 0);
    assert.ok(seen > 0 && seen <= requests.size, `${seen} of ${requests.size}`);
    for (const { msg, requestId } of refusals) assert.ok(msg === 'audit' && requests.has(requestId));
    const others = lines.filter(({ msg }) => msg !== 'audit').map(({ event }) => event);
    assert.deepEqual(others, ['ready']);
  });

  test('writes text when the configuration says so; a second signal does not wait for requests under way', async () => {
    await using box = await homeBox();
    const run = box.start(['run', 'controller', configFile]);
    const said = (words: string) =>
      eventually(
        () => run.output().stdout,
        (text) => text.includes(words),
      );
    const ready = /INFO {2}ready event=ready issuers=\["(https:\/\/localhost:\d+)\/oidc"\]/.exec(
      await said('event=ready'),
    );
    const { socket } = await presented(box, ready?.[1] ?? '');
    socket.on('error', () => undefined);
    socket.write('POST /oidc/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n');
    run.child.kill('SIGTERM');
    await said('event=stopping');
    run.child.kill('SIGTERM');
    await exits(1, run.finished);
    socket.destroy();
  });

  test('SIGHUP presents a renewed certificate and says which settings have changed, and which wait for a restart', async () => {
    await using box = await homeBox();
    const run = startRun(box);
    const ready = await untilReady(run);
    const before = await presented(box, ready.url);
    before.socket.destroy();

    const renew = `pki renew --config ${configFile} --dns auth.example.com -j`.split(' ');
    const renewed = await box.exits(0, renew);
    const { fingerprint, names } = JSON.parse(renewed.stdout);
    assert.deepEqual(names, ['localhost', 'auth.example.com', '127.0.0.1', '::1']);
    edit(
      box,
      (yaml) => `${yaml.replace('sessionTimeout: 30m', 'sessionTimeout: 20m')}\nnode:\n  name: other\n`,
    );
    run.child.kill('SIGHUP');
    const reloaded = await run.line((line) => line.event === 'reloaded');
    assert.equal(reloaded.certificates[0].fingerprint, fingerprint);
    assert.deepEqual(reloaded.changed, ['edge.api.sessionTimeout']);
    const { needsRestart } = await run.line((line) => line.event === 'reload.incomplete');
    assert.deepEqual(needsRestart, ['node.name']);
    const after = await presented(box, ready.url);
    after.socket.destroy();
    assert.notEqual(after.fingerprint, before.fingerprint);
    assert.equal(after.fingerprint, fingerprint);

    edit(box, (yaml) => yaml.replace('v: 3', 'v: 9'));
    writeFileSync(join(box.cwd, 'h', 'pki', 'server.cert.pem'), 'nonsense');
    run.child.kill('SIGHUP');
    const problems = await run.line((line) => Array.isArray(line.problems));
    assert.match(problems.problems[0], /controller\.yml:\d+:\d+: v: /);
    await run.line((line) => /former files and settings stay in use/.test(line.msg));
    const still = await presented(box, ready.url);
    still.socket.destroy();
    assert.equal(still.fingerprint, fingerprint);
    await exits(0, stopped(run));
  });

  test('config reload finds the controller of the home, says what it did, and who else may not ask', async (t) => {
    await using box = await homeBox();
    const reload = (...more: string[]) => box.run(['config', 'reload', '--config', configFile, ...more]);
    const early = await exits(5, reload());
    assert.match(
      early.stderr,
      /No controller is running with h\/controller\.yml[\s\S]*next: .*run controller/,
    );

    // What a killed controller leaves behind does not hinder the next: a socket without a listener.
    const before = createServer().listen(join(box.cwd, 'former.sock'));
    await once(before, 'listening');
    renameSync(join(box.cwd, 'former.sock'), join(box.cwd, `${configFile}.sock`));
    before.close();
    const run = startRun(box);
    const { url } = await untilReady(run);
    const socket = join(box.cwd, `${configFile}.sock`);
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    const client = clientOfHome(url, join(box.cwd, 'h'));
    t.after(async () => client.closeConnections());
    const name = async () =>
      /<title>[^<]*/.exec((await client.get('/account', { headers: { accept: 'text/html' } })).text)?.[0];
    const same = await reload();
    assert.equal(same.stdout, 'Read again; no setting has changed.\n');
    const renewed = await box.run(['pki', 'renew', '--config', configFile]);
    const [, next = ''] = /^next: overlay-auth (.+)$/m.exec(renewed.stderr) ?? [];
    const taken = await box.run(next.split(' '));
    assert.equal(taken.code, 0, `${renewed.stderr}: can be typed as printed`);
    assert.match(
      taken.stdout,
      /^A new certificate is presented: h\/pki\/server\.cert\.pem, valid until 20\d\d-/m,
    );
    assert.equal((await reload()).stdout, 'Read again; no setting has changed.\n');
    await box.exits(0, ['pki', 'rotate', 'root', '--config', configFile]);
    await exits(0, reload());
    await box.exits(0, ['pki', 'rotate', 'root', '--config', configFile, '--switch']);
    const switched = await reload();
    // Its file has another certificate, with which clients of the former root reach the new one.
    assert.equal(switched.stdout.match(/A new certificate is presented/g)?.length, 1, switched.stdout);

    const original = readFileSync(join(box.cwd, configFile), 'utf8');
    edit(
      box,
      (yaml) =>
        `${yaml.replace(/^( +level: ).*/m, '$1debug')}\nbranding:\n  name: Harbour\nnode:\n  name: other\n`,
    );
    const done = await exits(0, reload('-j'));
    const { changed, needsRestart } = JSON.parse(done.stdout);
    assert.deepEqual(changed[0], { path: 'branding.name', before: 'Overlay', after: 'Harbour' });
    assert.deepEqual(needsRestart, [{ path: 'node.name', before: null, after: 'other' }]);
    assert.match((await name()) ?? '', /Harbour/);

    edit(box, (yaml) => yaml.replace('Harbour', 'Elsewhere').replace('v: 3', 'v: 9'));
    const refused = await exits(1, reload());
    assert.match(
      refused.stderr,
      /controller\.yml:\d+:\d+: v: [\s\S]*no setting was changed[\s\S]*config reload --config/,
    );
    assert.match((await name()) ?? '', /Harbour/);

    // A client that sends something else, or nothing, gets nothing; two at once get an answer each.
    writeFileSync(join(box.cwd, configFile), original);
    assert.equal(await saidBy(socket, 'health'.padEnd(40, 'h')), '');
    assert.equal(await saidBy(socket, 'restart\n'), '');
    const [one, two] = await Promise.all([saidBy(socket, 'reload\n'), saidBy(socket, 'reload\n')]);
    assert.deepEqual(
      [one, two].map((text) => JSON.parse(text).outcome),
      ['reloaded', 'reloaded'],
    );
    await exits(0, stopped(run));
    assert.equal(existsSync(socket), false);
  });

  test('config reload says that a new certificate is in use although it refuses the configuration file', async () => {
    await using box = await homeBox();
    const reload = () => box.run(['config', 'reload', '--config', configFile]);
    const run = startRun(box);
    const { url } = await untilReady(run);
    const renewed = await box.exits(0, ['pki', 'renew', '--config', configFile, '-j']);
    edit(box, (yaml) => yaml.replace('v: 3', 'v: 9'));
    const { stderr } = await exits(1, reload());
    const { fingerprint, socket } = await presented(box, url);
    socket.destroy();
    assert.equal(fingerprint, JSON.parse(renewed.stdout).fingerprint);
    assert.doesNotMatch(stderr, /nothing was changed/i);
    assert.match(
      stderr,
      /1 problem; no setting was changed; certificates and other files .* were read again\.\n/,
    );
    await exits(0, stopped(run));
  });

  test('config reload names a key file with which the next start would fail', async () => {
    await using box = await homeBox();
    const reload = () => box.run(['config', 'reload', '--config', configFile]);
    const run = startRun(box);
    await untilReady(run);
    const keyFile = join(box.cwd, 'h', 'secrets', 'master.key');
    const original = readFileSync(keyFile, 'utf8');
    edit(box, (yaml) => `${yaml}\nbranding:\n  name: Harbour\n`);
    writeFileSync(keyFile, original.slice(0, 20));
    assert.match((await exits(1, reload())).stderr, /master\.key .*no setting was changed/i);
    writeFileSync(keyFile, original);
    assert.match((await exits(0, reload())).stdout, /branding\.name/);
    await exits(0, stopped(run));
  });

  test('config reload reaches a controller in a folder of any depth, from inside it and from outside', async () => {
    await using box = await homeBox();
    const deep = join('d'.repeat(100), 'e'.repeat(100));
    mkdirSync(join(box.cwd, deep), { recursive: true });
    renameSync(join(box.cwd, 'h'), join(box.cwd, deep, 'h'));
    const file = join(deep, configFile);
    const run = box.start(['run', 'controller', file, '--log-format', 'json']);
    await untilReady(run);
    const inside = runHere(
      { cwd: join(box.cwd, deep, 'h'), env: {} },
      ['config', 'reload', '--config', 'controller.yml'],
      {},
    );
    for (const reload of [inside, box.run(['config', 'reload', '--config', file])])
      assert.equal((await exits(0, reload)).stdout, 'Read again; no setting has changed.\n');
    await exits(0, stopped(run));
    assert.equal(existsSync(join(box.cwd, `${file}.sock`)), false);
  });

  test('status --ready says whether the controller runs, and which check fails, by its exit code too', async () => {
    await using box = await homeBox();
    const ready = (...more: string[]) => box.run(['status', '--ready', '--config', configFile, ...more]);
    const early = await exits(5, ready());
    assert.match(
      early.stderr,
      /No controller is running with h\/controller\.yml[\s\S]*next: .*run controller/,
    );

    // Not every controller serves health checks.
    edit(box, (yaml) => yaml.replace(/^ +- binding: health-checks\n/m, ''));
    const run = startRun(box);
    await untilReady(run);
    const fine = await exits(0, ready('-j'));
    const { checks } = JSON.parse(fine.stdout);
    assert.ok(checks.length > 1 && checks.every((check: { healthy: boolean }) => check.healthy), fine.stdout);
    assert.equal((await ready()).stdout, 'The controller of h/controller.yml is ready.\n');
    await box.exits(2, ['status', '--ready', '--server', 'https://localhost:1']);

    await using database = new DatabaseSync(join(box.cwd, 'h', 'overlay.db'));
    database.exec('ALTER TABLE changes RENAME TO elsewhere');
    const bad = await exits(1, ready());
    assert.match(bad.stderr, /is not ready: [^\n]*store\.read[\s\S]*next: look into its log/);
    database.exec('ALTER TABLE elsewhere RENAME TO changes');
    await exits(0, stopped(run));
    await exits(5, ready());
  });

  test('a file that is being written is read when it is whole', async () => {
    await using box = await homeBox();
    const file = join(box.cwd, configFile);
    const whole = readFileSync(file, 'utf8').replace('refreshTokenDuration: 24h', 'refreshTokenDuration: 2h');
    const parts = [whole.slice(0, whole.indexOf('  oidc:')), null, whole.slice(0, -20), whole];
    const ports = {
      cwd: process.cwd(),
      env: {},
      async pause() {
        const next = parts.shift();
        if (next === null) rmSync(file);
        else if (next !== undefined) writeFileSync(file, next);
      },
    };
    const { config } = await loadSettledConfig(ports, file);
    assert.equal(config.edge.oidc.refreshTokenDuration, 2 * 3_600_000);

    let lines = 0;
    const neverDone = {
      ...ports,
      async pause() {
        lines += 1;
        writeFileSync(file, `${whole}${'# more\n'.repeat(lines)}`);
      },
    };
    await assert.rejects(loadSettledConfig(neverDone, file), /another program is writing it/);
  });

  /** Gives the home a server certificate that ends in five days. */
  async function letEndSoon(box: Sandbox, clock: Clock = systemClock) {
    const pki = join(box.cwd, 'h', 'pki');
    const read = (name: string) => readFileSync(join(pki, name), 'utf8');
    const ca = { certPem: read('root-ca.cert.pem'), keyPem: read('root-ca.key.pem') };
    const wanted = { dnsNames: ['localhost', 'auth.example.com'], ips: ['127.0.0.1'], days: 5, ca };
    const short = await issueServerCertificate({ clock }, wanted);
    writeFileSync(join(pki, 'server.cert.pem'), short.certPem);
    writeFileSync(join(pki, 'server.key.pem'), short.keyPem);
    return { pki, short };
  }

  test('renews its own server certificate before its end, for the same names and with the same key', async () => {
    const inTwoDays: Clock = { ...systemClock, now: () => systemClock.now() + 2 * DAY };
    // The second was made while the clock was wrong, and is not valid yet.
    for (const clock of [systemClock, inTwoDays]) {
      await using box = await homeBox();
      const { pki, short } = await letEndSoon(box, clock);
      const run = startRun(box);
      const { url } = await untilReady(run);
      const { fingerprint } = await run.line(({ event }) => event === 'certificate.renewed');
      const shown = await presented(box, url);
      shown.socket.destroy();
      assert.equal(shown.fingerprint, fingerprint);
      const fresh = new X509Certificate(readFileSync(join(pki, 'server.cert.pem')));
      const old = new X509Certificate(short.certPem);
      assert.equal(fresh.subjectAltName, old.subjectAltName);
      assert.deepEqual(fresh.publicKey.export({ format: 'jwk' }), old.publicKey.export({ format: 'jwk' }));
      assert.ok(fresh.validToDate.getTime() > systemClock.now() + 300 * DAY);
      assert.ok(fresh.validFromDate.getTime() <= systemClock.now());
      assert.equal(readFileSync(join(pki, 'server.key.pem'), 'utf8'), short.keyPem);
      assert.equal(run.output().stdout.includes('ends soon'), false);
      await exits(0, stopped(run));
    }
  });

  test('leaves its server certificate alone while a command changes the same files', async () => {
    await using box = await homeBox();
    const { pki, short } = await letEndSoon(box);
    const certificate = () => readFileSync(join(pki, 'server.cert.pem'), 'utf8');
    const command = tryFileLock(join(pki, 'ca-bundle.pem.lock'));
    const run = startRun(box);
    await untilReady(run);
    // What it could not renew, it warns of.
    assert.equal((await run.line(({ daysLeft }) => daysLeft !== undefined)).daysLeft, 4);
    assert.equal(certificate(), short.certPem);
    await exits(0, stopped(run));
    command?.release();
    const later = startRun(box);
    await untilReady(later);
    await later.line(({ event }) => event === 'certificate.renewed');
    assert.notEqual(certificate(), short.certPem);
    await exits(0, stopped(later));
  });

  test('warns of what it adjusts, with the old and the new value, and of a certificate that it cannot renew', async () => {
    await using box = await homeBox();
    const { pki } = await letEndSoon(box);
    const rootKey = readFileSync(join(pki, 'root-ca.key.pem'));
    rmSync(join(pki, 'root-ca.key.pem'));
    edit(box, (yaml) => yaml.replace('accessTokenDuration: 30m', 'accessTokenDuration: 30s'));
    const run = startRun(box);
    await untilReady(run);
    const adjusted = await run.line(({ path }) => path === 'edge.oidc.accessTokenDuration');
    assert.deepEqual([adjusted.level, adjusted.oldValue, adjusted.newValue], ['warn', '30s', '1m']);
    const line = await run.line(({ daysLeft }) => daysLeft !== undefined);
    assert.equal(line.level, 'warn');
    assert.equal(line.daysLeft, 4);
    assert.match(line.file, /server\.cert\.pem$/);
    await stopped(run);
    const check = await box.run(['run', 'controller', configFile, '--check']);
    assert.match(check.stdout, /warning: the server certificate .* ends in 4 days/);

    writeFileSync(join(pki, 'root-ca.key.pem'), rootKey);
    const quickstart = box.start(['quickstart', '--home', 'h', '--json']);
    await untilReady(quickstart);
    assert.match(quickstart.output().stdout, /"event":"renewed","what":"server certificate"/);
    await stopped(quickstart);
  });
});

describe('run controller refuses to start, with one sentence', () => {
  async function assertRefused(box: Sandbox, pattern: RegExp, env: Record<string, string> = {}) {
    const { code, stdout, stderr } = await box.run(['run', 'controller', configFile], { env });
    assert.equal(code, 1, `${stdout}${stderr}`);
    assert.match(stderr, pattern);
    assert.ok(stderr.trim().split('\n').length <= 2, stderr);
    assert.doesNotMatch(stderr, /unexpected|^ +at /m);
    assert.doesNotMatch(stdout, /ready/);
    const asJson = await box.exits(1, ['run', 'controller', configFile, '--log-format', 'json'], { env });
    assert.equal(typeof JSON.parse(asJson.stderr).error.message, 'string');
  }

  test('when the port is in use', async (t) => {
    const box = await homeBox();
    const other = createServer();
    t.after(async () => {
      other.close();
      await box.close();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    edit(box, (yaml) =>
      yaml.replaceAll('localhost:0', `localhost:${port}`).replace('127.0.0.1:0', `127.0.0.1:${port}`),
    );
    await assertRefused(
      box,
      new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: another program uses this port`),
    );
  });

  test('when the key cannot be used', async () => {
    await using box = await homeBox();
    const key = join(box.cwd, 'h', 'secrets', 'master.key');
    chmodSync(key, 0o644);
    await assertRefused(box, /is open to other users \(mode 0644\); run: chmod 600 /);
    chmodSync(key, 0o600);
    const text = readFileSync(key, 'utf8');
    writeFileSync(key, text.slice(0, 40));
    await assertRefused(box, /not a whole key file/);
  });

  test('when the passphrase of the key is missing or wrong', async () => {
    await using box = await newHomeBox({ OVERLAY_AUTH_KEY_PASSPHRASE: 'three blind mice' });
    await assertRefused(box, /is protected by a passphrase; give it in /);
    await assertRefused(box, /The passphrase does not open the key file/, {
      OVERLAY_AUTH_KEY_PASSPHRASE: 'wrong',
    });
    const run = box.start(['run', 'controller', configFile, '--log-format', 'json'], {
      env: { OVERLAY_AUTH_KEY_PASSPHRASE: 'three blind mice' },
    });
    await untilReady(run);
    await stopped(run);
  });

  test('when the key belongs to another database', async () => {
    await using box = await homeBox();
    replaceKey(box);
    await assertRefused(box, /This database was sealed with another key-encryption key\.\nnext: /);
  });

  test('when the database is of a newer release, or none', async () => {
    await using box = await homeBox();
    const file = join(box.cwd, 'h', 'overlay.db');
    const database = new DatabaseSync(file);
    database.exec('UPDATE schema_version SET version = 99, usable_by = 99');
    database.close();
    await assertRefused(box, /The database has schema version 99, this release knows \d+/);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    writeFileSync(file, 'this is no database, and long enough to be read as one'.repeat(100));
    await assertRefused(box, /The database cannot be used: file is not a database/);
  });

  test('when the database cannot be reached', async () => {
    await using box = await homeBox();
    const env = { OVERLAY_AUTH_DB: 'postgres://127.0.0.1:1/overlay' };
    const { stdout, stderr } = await box.exits(5, ['run', 'controller', configFile], { env });
    assert.equal(stdout, '');
    assert.match(stderr, /^error: The database cannot be used: connect ECONNREFUSED/);
  });

  test('when certificate and key do not belong together', async () => {
    await using box = await homeBox();
    const pki = join(box.cwd, 'h', 'pki');
    writeFileSync(join(pki, 'server.key.pem'), readFileSync(join(pki, 'client-ca.key.pem')));
    await assertRefused(box, /does not belong to the certificate in /);
  });

  test('when the configuration is wrong, naming line and column and what to do', async () => {
    await using box = await homeBox();
    edit(box, (yaml) => yaml.replace('sessionTimeout: 30m', 'sesionTimeout: 30m'));
    const { stderr } = await box.exits(1, ['run', 'controller', configFile]);
    assert.match(
      stderr,
      /^error: h\/controller\.yml:\d+:\d+: edge\.api\.sesionTimeout: .*\n.*sessionTimeout/,
    );
    const missing = await box.exits(1, ['run', 'controller', 'nowhere.yml'], {
      env: { OVERLAY_AUTH_COMMAND: './overlay-auth' },
    });
    assert.match(
      missing.stderr,
      /^error: nowhere\.yml: the file does not exist\..*\nnext: .* \.\/overlay-auth init --home DIR --address HOST:PORT$/ms,
    );
    const check = await box.exits(1, ['run', 'controller', configFile, '--check']);
    assert.equal(check.stdout, '');
  });
});

describe('run controller --check', () => {
  const check = (box: Sandbox) => box.run(['run', 'controller', configFile, '--check']);

  test('refuses a key that is not that of the database, and a key file that others can read', async () => {
    await using box = await homeBox();
    const keyFile = join(box.cwd, 'h', 'secrets', 'master.key');
    await exits(0, check(box));
    chmodSync(keyFile, 0o644);
    const open = await exits(1, check(box));
    assert.match(open.stderr, /is open to other users .*chmod 600/);

    replaceKey(box);
    const wrong = await exits(1, check(box));
    assert.match(
      wrong.stderr,
      /^error: This database was sealed with another key-encryption key\.\nnext: put back the key file/,
    );
  });

  test('reads the files of the PKI as the start does', async () => {
    await using box = await homeBox();
    const pki = (name: string) => join(box.cwd, 'h', 'pki', name);
    const copy = (from: string, to: string) => writeFileSync(pki(to), readFileSync(pki(from)));
    edit(box, (yaml) => yaml.replace(/(jwksFetch:[\s\S]*?trustedRoots: )\[\]/, '$1[pki/idp-ca.pem]'));
    copy('ca-bundle.pem', 'idp-ca.pem');
    const cut = (name: string) => writeFileSync(pki(name), readFileSync(pki(name), 'utf8').slice(0, -40));
    const spoiled = ['ca-bundle.pem', 'client-ca.cert.pem', 'client-ca.key.pem', 'idp-ca.pem'];
    for (const name of spoiled) copy(name, `${name}.kept`);
    for (const [spoil, said] of [
      [() => writeFileSync(pki('ca-bundle.pem'), ''), /ca-bundle\.pem contains no certificates/],
      [() => writeFileSync(pki('ca-bundle.pem'), 'text'), /ca-bundle\.pem contains no certificates/],
      [() => cut('ca-bundle.pem'), /ca-bundle\.pem contains no certificates in PEM form, or a broken one/],
      [() => writeFileSync(pki('idp-ca.pem'), 'text'), /idp-ca\.pem contains no certificates in PEM/],
      [() => cut('idp-ca.pem'), /idp-ca\.pem contains no certificates in PEM, or a broken one/],
      [() => copy('server.key.pem', 'client-ca.key.pem'), /cannot be signed with .*signingCert/],
      [() => copy('server.cert.pem', 'client-ca.cert.pem'), /cannot be signed with .*signingCert/],
    ] as const) {
      spoil();
      const { stderr } = await exits(1, check(box));
      assert.match(stderr, said);
      for (const name of spoiled) copy(`${name}.kept`, name);
    }
    await exits(0, check(box));
  });

  test('leaves the database of an older release as it is, and so do other commands', async () => {
    await using box = await homeBox();
    const older = new DatabaseSync(join(box.cwd, 'h', 'overlay.db'));
    older.exec('UPDATE schema_version SET version = 0');
    for (const command of [
      ['status'],
      ['keys', 'list'],
      ['keys', 'rotate'],
      ['admin', 'recover', 'root', '--password-stdin'],
      ['pki', 'rotate', 'root'],
    ]) {
      const { stderr } = await box.exits(1, [...command, '--config', configFile], {
        input: 'a long password',
      });
      assert.match(stderr, /overlay\.db is from an older release/);
      assert.match(stderr, /^next: make a backup.*overlay-auth ops db migrate --config h\/controller\.yml$/m);
    }
    assert.deepEqual({ ...older.prepare('SELECT version FROM schema_version').get() }, { version: 0 });
    older.close();
    await box.exits(0, ['ops', 'db', 'backup', 'b.db', '--config', configFile]);
  });

  test('says what the start will do to the database, and that it cannot be looked into', async () => {
    await using box = await homeBox();
    const older = new DatabaseSync(join(box.cwd, 'h', 'overlay.db'));
    older.exec('UPDATE schema_version SET version = 0');
    older.close();
    const upgraded = await exits(0, check(box));
    assert.match(
      upgraded.stdout,
      /warning: .*overlay\.db is from an older release, and the start upgrades it/,
    );

    edit(box, (yaml) => yaml.replace('overlay.db', 'elsewhere.db'));
    const none = await exits(0, check(box));
    assert.match(none.stdout, /warning: there is no database at .*elsewhere\.db; the start creates one/);
    assert.ok(!existsSync(join(box.cwd, 'h', 'elsewhere.db')));

    edit(box, (yaml) => yaml.replace('elsewhere.db', 'nowhere/elsewhere.db'));
    const nowhere = await exits(1, check(box));
    assert.match(nowhere.stderr, /nowhere cannot be used: it does not exist/);

    edit(box, (yaml) => yaml.replace(/^db: .*$/m, 'db: postgres://nobody@127.0.0.1:1/none?sslmode=disable'));
    const away = await exits(0, check(box));
    assert.match(away.stdout, /warning: the database cannot be looked into: /);
  });

  test('refuses what the server of the database will refuse at the start too', async (t) => {
    await using box = await homeBox();
    const answers: { now: readonly Buffer[] } = { now: [] };
    const server = createServer((socket) => {
      const left = [...answers.now];
      socket.on('data', () => socket.write(left.shift() ?? ''));
    });
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    edit(box, (yaml) =>
      yaml.replace(/^db: .*$/m, `db: postgres://overlay@127.0.0.1:${port}/overlay?sslmode=disable`),
    );
    for (const [state, next] of [
      ['08P01', /^next: .*ignore_startup_parameters/m],
      ['28P01', /^next: put the right password/m],
      ['28000', /^next: let the user in/m],
      ['3D000', /^next: create the database/m],
    ] as const) {
      answers.now = [refusalOfPostgres(state)];
      const { stderr } = await exits(5, check(box));
      assert.match(stderr, /^error: The database cannot be used: refused\.$/m);
      assert.match(stderr, next);
    }
    // It wants a password, and db has none.
    answers.now = ['\0\0\0\nSCRAM-SHA-256\0\0', '\0\0\0\u000br=x,s=eA==,i=4096'].map((text) =>
      messageOfPostgres('R', text),
    );
    assert.match((await exits(1, check(box))).stderr, /^next: set PGPASSWORD/m);
    // It starts up, and will work soon.
    answers.now = [refusalOfPostgres('57P03')];
    assert.match((await exits(0, check(box))).stdout, /warning: the database cannot be looked into: refused/);
  });
});
