import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { certificateLogin, registerCa } from '../support/certificates.ts';
import { authority, client } from '../support/chains.ts';
import { commandLine } from '../support/command-line.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { login } from '../support/flow.ts';
import { httpsClient } from '../support/https-client.ts';
import { loggedIn, password } from '../support/management.ts';
import { serverOfRoot } from './support.ts';

const { server, cli } = await serverOfRoot({ signing: true });
const admin = await loggedIn(server, 'root');

const fine = (args: readonly string[], input = '') => cli.exits(0, args, { input });
const inFolder = (name: string) => join(cli.cwd, name);
const text = (name: string) => readFileSync(inFolder(name), 'utf8');
const withoutPrefix = (pem: string) => pem.replace(/^pem:/, '');

describe('enrolling on the command line', () => {
  test('makes a key, and writes an identity file that logs in', async () => {
    const created = await fine(['create', 'identity', 'laptop', '-o', 'laptop.jwt']);
    assert.match(created.stderr, /overlay-auth enroll laptop\.jwt/);
    assert.equal(statSync(inFolder('laptop.jwt')).mode & 0o777, 0o600);
    const enrolled = await fine(['enroll', 'laptop.jwt']);
    assert.match(enrolled.stdout, /laptop\.json/);
    assert.equal(statSync(inFolder('laptop.json')).mode & 0o777, 0o600);
    const { ztAPI, id } = JSON.parse(text('laptop.json'));
    assert.equal(ztAPI, `${server.url}/edge/client/v1`);
    const [cert, key, ca] = [id.cert, id.key, id.ca].map(withoutPrefix);
    assert.ok(cert && key && ca);
    const device = httpsClient(server.url, ca, { cert, key, maxSockets: 1 });
    assert.equal(typeof (await certificateLogin(device)).access_token, 'string');
    device.closeConnections();
    assert.match(enrolled.stderr, /^next: overlay-auth login -c laptop\.json$/m);

    const again = await cli.exits(1, ['enroll', 'laptop.jwt', '-o', 'again.json']);
    assert.match(again.stderr, /Not enrolled: .*\nreference: (\w+)\nnext: .*explain \w+\n$/);
    const taken = await cli.exits(2, ['enroll', 'laptop.jwt']);
    assert.match(taken.stderr, /laptop\.json exists already/);
  });

  test('the identity file alone is enough to log in, and names the server', async () => {
    await fine(['create', 'identity', 'drone', '-o', 'drone.jwt']);
    await fine(['enroll', 'drone.jwt']);
    await using device = commandLine();
    const done = await device.exits(0, ['login', '-c', inFolder('drone.json')]);
    assert.equal(done.stdout, `Logged in to ${server.url} as drone (cert).\n`);
    assert.equal((await device.run(['whoami', '-j'])).json.name, 'drone', 'later commands present it too');

    const { ztAPI, id } = JSON.parse(text('drone.json'));
    const write = (name: string, value: object) => writeFileSync(inFolder(name), JSON.stringify(value));
    write('stranger.json', { ztAPI, id: { ...id, ca: `pem:${authority().certPem}` } });
    write('elsewhere.json', { ztAPI, id: { ...id, key: 'pkcs11://token' } });
    await using stranger = commandLine();
    const untrusted = await stranger.exits(1, ['login', '-c', inFolder('stranger.json')]);
    assert.match(untrusted.stderr, /authority that is not known here/);
    const hardware = await stranger.exits(2, ['login', '-c', inFolder('elsewhere.json')]);
    assert.match(hardware.stderr, /is not an identity file with certificate and key in it/);
  });

  test('sets the password that the person chooses', async () => {
    await fine(['create', 'identity', 'Olga', '--updb', 'olga', '-o', 'olga.jwt']);
    const weak = await cli.exits(1, ['enroll', 'olga.jwt', '--password-stdin'], { input: 'short' });
    assert.match(weak.stderr, /at least/);
    const enrolled = await fine(['enroll', 'olga.jwt', '--password-stdin'], password);
    assert.match(enrolled.stderr, /next: overlay-auth login https:/);
    assert.equal(typeof (await login(server, 'olga', password)).access_token, 'string');
  });

  test('brings a certificate of a third-party CA', async () => {
    const ca = authority();
    await registerCa(admin, ca, { name: 'makers', isOttCaEnrollmentEnabled: true });
    await fine(['create', 'identity', 'press', '--ott-ca', 'makers', '-o', 'press.jwt']);
    const leaf = client({ issuer: ca });
    writeFileSync(inFolder('press.pem'), leaf.certPem);
    writeFileSync(inFolder('press.key'), leaf.keyPem);
    const without = await cli.exits(2, ['enroll', 'press.jwt']);
    assert.match(without.stderr, /--cert CERT --key KEY/);
    await fine(['enroll', 'press.jwt', '--cert', 'press.pem', '--key', 'press.key']);
    assert.equal(withoutPrefix(JSON.parse(text('press.json')).id.cert), leaf.certPem);
  });

  test('sends the token to no other server than the one that signed it', async () => {
    await fine(['create', 'identity', 'lost', '-o', 'lost.jwt']);
    const [header, payload = '', signature = ''] = text('lost.jwt').split('.');
    const forged = `${signature.slice(0, -6)}AAAAAA`;
    writeFileSync(inFolder('forged.jwt'), [header, payload, forged].join('.'));
    const outcome = await cli.exits(1, ['enroll', 'forged.jwt']);
    assert.match(outcome.stderr, /did not sign this JWT/);
    await fine(['enroll', 'lost.jwt']);
  });

  test('uses nothing up when the file cannot be written, and leaves none when it is refused', async () => {
    await fine(['create', 'identity', 'no room', '-o', 'room.jwt']);
    const lost = await cli.exits(1, ['enroll', 'room.jwt', '-o', 'missing/room.json']);
    assert.match(lost.stderr, /missing\/room\.json cannot be written/);
    await fine(['enroll', 'room.jwt']);
    await cli.exits(1, ['enroll', 'room.jwt', '-o', 'other.json']);
    assert.equal(existsSync(inFolder('other.json')), false);
  });

  test('says what is wrong with a file before it asks anybody', async () => {
    const claims = { iss: server.url, em: 'network' };
    const jwt = (payload: object) =>
      ['{"alg":"ES256"}', JSON.stringify(payload)]
        .map((part) => Buffer.from(part).toString('base64url'))
        .concat('AAAA')
        .join('.');
    for (const [content, said] of [
      [jwt(claims), /names a network.*\nnext: overlay-auth login/],
      [jwt({ sub: 'x' }), /not an enrollment JWT/],
      [jwt({ ...claims, iss: 'https://x;id$(id)' }), /not an enrollment JWT/],
      [jwt({ ...claims, em: 'ott', exp: 1 }), /has expired at 1970.*\nnext: ask the operator/],
      ['abc', /contains no JWT/],
    ] as const) {
      writeFileSync(inFolder('odd.jwt'), content);
      const outcome = await cli.run(['enroll', 'odd.jwt']);
      assert.notEqual(outcome.code, 0);
      assert.match(outcome.stderr, said);
    }
  });

  test('enrollments are created, listed, shown, refreshed and deleted', async () => {
    await fine(['create', 'identity', 'pump']);
    await fine(['create', 'enrollment', 'ott', 'pump', '-o', 'pump.jwt']);
    assert.match((await fine(['list', 'enrollments'])).stdout, /ott +pump/);
    const shown = (await fine(['get', 'enrollment', 'pump', '-j'])).json;
    assert.equal(shown.jwt.split('.')[1], text('pump.jwt').split('.')[1]);
    // A file that cannot be written costs neither an enrollment nor an identity.
    const nowhere = ['-o', 'missing/x.jwt'];
    const unwritten = await cli.exits(1, ['enrollment', 'refresh', 'pump', ...nowhere]);
    assert.match(
      unwritten.stderr,
      /^error: missing\/x\.jwt cannot be written: its folder does not exist\.\nnext: name a file in a folder /,
    );
    const again = (await fine(['get', 'enrollment', 'pump', '-j'])).json;
    assert.equal(again.jwt.split('.')[1], shown.jwt.split('.')[1]);
    await cli.exits(1, ['create', 'identity', 'hose', ...nowhere]);
    await cli.exits(2, ['create', 'identity', 'hose', '-o', 'pump.jwt']);
    await cli.exits(1, ['create', 'identity', 'hose', '-o', 'hose.jwt', '--ott-ca', 'nobody']);
    assert.ok(!existsSync(inFolder('hose.jwt')));
    await cli.exits(1, ['get', 'identity', 'hose']);
    await fine(['create', 'identity', 'hose']);
    await cli.exits(1, ['create', 'enrollment', 'ott', 'hose', ...nowhere]);
    await cli.exits(1, ['get', 'enrollment', 'hose']);
    await fine(['enrollment', 'refresh', 'pump', '-o', 'pump2.jwt']);
    await cli.exits(1, ['enroll', 'pump.jwt']);
    await fine(['enroll', 'pump2.jwt']);
    await fine(['create', 'identity', 'valve']);
    await fine(['create', 'enrollment', 'updb', 'valve', '--username', 'valve']);
    await fine(['delete', 'enrollment', 'valve']);
    await cli.exits(1, ['get', 'enrollment', 'valve']);
  });

  test('an expired JWT is recognized without asking the server', async () => {
    await fine(['create', 'identity', 'late', '-o', 'late.jwt']);
    await using other = commandLine(fixedClock(systemClock.now() + 4 * HOUR));
    writeFileSync(join(other.cwd, 'late.jwt'), text('late.jwt'));
    const outcome = await other.run(['enroll', 'late.jwt']);
    assert.match(outcome.stderr, /has expired/);
  });
});
