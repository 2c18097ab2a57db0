// Rotating the authorities of a home: OpenSSL judges what clients with the old root, the new one or both accept.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import fs, { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DAY, systemClock } from '../../src/platform/clock.ts';
import { createRootCa } from '../../src/platform/x509/pki.ts';
import { parseCertificates } from '../../src/platform/x509/x509.ts';
import { clientOfHome, type Sandbox, sandbox, stopped, untilReady } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { csrPem } from '../support/csr.ts';
import { clientApi, enrolledDevice, invited, verifiedClaims } from '../support/enrollment.ts';
import { httpsClient } from '../support/https-client.ts';
import { loggedIn, password } from '../support/management.ts';
import { isFullSize } from '../support/size.ts';

const configFile = 'h/controller.yml';

class Home {
  readonly box: Sandbox;
  constructor(box: Sandbox) {
    this.box = box;
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.box.close();
  }
  path(name: string): string {
    return join(this.box.cwd, 'h', 'pki', name);
  }
  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }
  /** A copy that stays as it is. */
  keep(name: string, as: string): string {
    const copy = join(this.box.cwd, as);
    copyFileSync(this.path(name), copy);
    return copy;
  }
  rotate(...args: string[]) {
    return this.box.run(['pki', 'rotate', ...args, '--config', configFile]);
  }
  async rotated(...args: string[]) {
    const done = await exits(0, this.rotate(...args));
    return done;
  }
  async refused(args: readonly string[], words: RegExp) {
    const before = this.everything();
    const { code, stderr } = await this.rotate(...args);
    assert.equal(code, 1, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, words);
    assert.deepEqual(this.everything(), before, 'nothing was changed');
  }
  everything(): Readonly<Record<string, string>> {
    const names = readdirSync(this.path('.')).filter((name) => !name.endsWith('.lock'));
    return Object.fromEntries(names.map((name) => [name, this.read(name)]));
  }
  /** Whether a client that trusts only these authorities accepts what the server presents. */
  accepts(...roots: readonly string[]): boolean {
    const trusted = join(this.box.cwd, 'trusted.pem');
    writeFileSync(trusted, roots.map((file) => readFileSync(file, 'utf8')).join(''));
    return isVerified(trusted, this.path('server.cert.pem'), this.path('server.cert.pem'));
  }
}

function isVerified(trusted: string, untrusted: string, leaf: string, ...more: string[]): boolean {
  const args = [
    'verify',
    '-x509_strict',
    '-no-CApath',
    ...more,
    '-CAfile',
    trusted,
    '-untrusted',
    untrusted,
    leaf,
  ];
  return spawnSync('openssl', args).status === 0;
}

async function newHome(...more: string[]): Promise<Home> {
  const box = sandbox();
  if (more.length === 0) await box.home('h', 'localhost:0');
  else {
    writeFileSync(join(box.cwd, 'password'), `${password}\n`);
    await box.exits(0, ['init', '--home', 'h', '--address', 'localhost:0', ...more]);
  }
  return new Home(box);
}

describe('pki rotate root', () => {
  test('clients with the old root, the new one, or both accept the server until the old one is retired', async () => {
    await using home = await newHome();
    const untouched = home.everything();
    const old = home.keep('root-ca.cert.pem', 'old.pem');
    const all = () => [home.accepts(old), home.accepts(fresh), home.accepts(old, fresh)];
    const prepared = await home.rotated('root');
    assert.match(prepared.stdout, /^The next root CA is CN=Overlay Auth root CA 2, SHA-256 /);
    assert.match(
      prepared.stderr,
      /next: overlay-auth config reload .*\nnext: .*rotate root --switch --config h/,
    );
    const fresh = home.keep('root-ca.cert.pem.next', 'new.pem');
    assert.deepEqual(all(), [true, true, true]);
    await home.refused(['root'], /is prepared, and does not sign yet\.\nnext: .*rotate root --switch/);
    await home.refused(['root', '--retire'], /does not sign yet/);
    await home.refused(['client-ca'], /The root CA is being rotated[\s\S]*rotate root --switch/);

    await home.rotated('root', '--undo');
    assert.deepEqual(home.everything(), untouched, 'all is as it was');
    await home.refused(
      ['root', '--switch'],
      /The root CA is not being rotated\.\nnext: .*rotate root --config/,
    );
    await home.refused(['root', '--undo'], /not being rotated/);
    await home.rotated('root');
    copyFileSync(home.path('root-ca.cert.pem.next'), fresh);

    const serverKey = home.read('server.key.pem');
    for (const [step, issuer] of [
      ['--switch', 'CN=Overlay Auth root CA 2'],
      ['--undo', 'CN=Overlay Auth root CA'],
      ['--switch', 'CN=Overlay Auth root CA 2'],
    ] as const) {
      await home.rotated('root', step);
      assert.equal(new X509Certificate(home.read('server.cert.pem')).issuer, issuer);
      assert.equal(new X509Certificate(home.read('client-ca.cert.pem')).issuer, issuer);
      assert.deepEqual(all(), [true, true, true]);
      assert.equal(home.read('server.key.pem'), serverKey, 'enrollment JWTs stay good');
    }
    await home.refused(
      ['root'],
      /has been replaced, and the previous one is still trusted\.\nnext: .*--retire/,
    );
    await home.box.exits(0, ['pki', 'renew', '--config', configFile]);
    assert.deepEqual(all(), [true, true, true], 'a renewal meanwhile keeps the way from the old root');

    const shown = await home.box.run(['pki', 'show', '--config', configFile]);
    assert.match(shown.stdout, /Overlay Auth root CA 2 +server /);
    assert.match(
      shown.stderr,
      /pki rotate root: the previous authority is still trusted; --retire, or --undo/,
    );
    const status = await home.box.run(['status', '--config', configFile, '-j']);
    assert.equal(JSON.parse(status.stdout).rotations.length, 1);

    await home.rotated('root', '--retire');
    assert.deepEqual(all(), [false, true, true]);
    assert.ok(isVerified(fresh, home.path('client-ca.cert.pem'), home.path('client-ca.cert.pem')));
    assert.equal(parseCertificates(home.read('ca-bundle.pem')).length, 2);
    await home.rotated('root', '--undo');
    assert.deepEqual(all(), [true, true, true], 'a backup from before may need the old one again');
    await home.rotated('root', '--retire');
    assert.equal(
      JSON.parse((await home.box.run(['status', '--config', configFile, '-j'])).stdout).rotations.length,
      0,
    );
    const again = await home.rotated('root');
    assert.match(again.stdout, /CN=Overlay Auth root CA 3, /);
  });

  test('with the same key, what one root has issued the other verifies', async () => {
    await using home = await newHome();
    const old = home.keep('root-ca.cert.pem', 'old.pem');
    await home.rotated('root', '--same-key');
    const fresh = home.keep('root-ca.cert.pem.next', 'new.pem');
    assert.notEqual(readFileSync(fresh, 'utf8'), readFileSync(old, 'utf8'));
    for (const step of ['--switch', '--retire']) {
      await home.rotated('root', step);
      assert.deepEqual([home.accepts(old), home.accepts(fresh)], [true, true]);
    }
    assert.equal(parseCertificates(home.read('server.cert.pem')).length, 1);
    assert.equal(parseCertificates(home.read('ca-bundle.pem')).length, 2);
  });

  test('a lost key of the old root does not stop it, if that is said', async () => {
    await using home = await newHome();
    const old = home.keep('root-ca.cert.pem', 'old.pem');
    rmSync(home.path('root-ca.key.pem'));
    await home.refused(['root'], /The key of the present root CA is not at .*\nnext: .*add --no-cross/);
    await home.rotated('root', '--no-cross');
    await home.rotated('root', '--switch');
    const fresh = home.keep('root-ca.cert.pem', 'new.pem');
    assert.deepEqual([home.accepts(old), home.accepts(fresh)], [false, true]);
  });

  test('an authority made elsewhere is checked before anything depends on it', async () => {
    await using home = await newHome();
    const at = (offset: number) => ({ clock: { ...systemClock, now: () => systemClock.now() + offset } });
    const files = (name: string, pair: { certPem: string; keyPem: string }) => {
      for (const [end, text] of [
        ['crt', pair.certPem],
        ['key', pair.keyPem],
      ] as const)
        writeFileSync(join(home.box.cwd, `${name}.${end}`), text);
      return ['--cert', `${name}.crt`, '--key', `${name}.key`];
    };
    const good = await createRootCa(at(0), { commonName: 'Corp root', days: 900 });
    const other = await createRootCa(at(0), { commonName: 'Overlay Auth root CA', days: 900 });
    const present = { certPem: home.read('root-ca.cert.pem'), keyPem: home.read('root-ca.key.pem') };
    const leaf = { certPem: home.read('server.cert.pem'), keyPem: home.read('server.key.pem') };
    const client = { certPem: home.read('client-ca.cert.pem'), keyPem: home.read('client-ca.key.pem') };
    const over = await createRootCa(at(-40 * DAY), { commonName: 'Over', days: 30 });
    const early = await createRootCa(at(40 * DAY), { commonName: 'Early', days: 30 });
    for (const [args, words] of [
      [files('over', over), /"?CN=Over"? .*expired/],
      [files('early', early), /not valid before/],
      [
        files('mixed', { ...good, keyPem: over.keyPem }),
        /the private key does not belong to the certificate/,
      ],
      [files('same', other), /its name is that of the present one .* but its key is another/],
      [files('present', present), /it is the present one/],
      [files('leaf', leaf), /not the certificate of an authority/],
      [files('client', client), /another authority has issued it, so it is no root/],
      [files('text', { certPem: 'text', keyPem: 'text' }), /no certificate/],
      [['--cert', 'none.crt', '--key', 'none.key'], /none\.crt cannot be used/],
    ] as const)
      await home.refused(['root', ...args], words);
    await exits(2, home.rotate('root', '--cert', 'over.crt'));
    await exits(2, home.rotate('root', '--switch', '--retire'));
    await exits(2, home.rotate('elsewhere'));

    // OpenSSL makes names, extensions and key identifiers in its own way.
    const made = 'req -x509 -newkey rsa:2048 -nodes -days 300 -keyout o.key -out o.crt'.split(' ');
    execFileSync(
      'openssl',
      [...made, '-subj', '/C=DE/O=Corp/CN=Corp root', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
      {
        cwd: home.box.cwd,
        stdio: 'ignore',
      },
    );
    const old = home.keep('root-ca.cert.pem', 'old.pem');
    const said = await home.rotated('root', '--cert', 'o.crt', '--key', 'o.key');
    assert.match(said.stdout, /It ends in \d+ days, and so does everything that it signs\./);
    const fresh = join(home.box.cwd, 'o.crt');
    for (const step of [[], ['--switch']] as const) {
      if (step.length > 0) await home.rotated('root', ...step);
      assert.deepEqual([home.accepts(old), home.accepts(fresh)], [true, true]);
    }
  });

  test('a step that was interrupted at any place is finished when it is made again, or taken back', async () => {
    await using home = await newHome();
    const old = home.keep('root-ca.cert.pem', 'old.pem');
    await home.rotated('root');
    const prepared = home.everything();
    await home.rotated('root', '--switch');
    const switched = home.everything();
    const restore = (files: Readonly<Record<string, string>>) => {
      for (const name of Object.keys(home.everything())) rmSync(home.path(name));
      for (const [name, text] of Object.entries(files)) writeFileSync(home.path(name), text, { mode: 0o600 });
    };
    const kept = { 'root-ca.key.pem.previous': switched['root-ca.key.pem.previous'] ?? '' };
    const copied = { ...kept, 'root-ca.cert.pem.previous': switched['root-ca.cert.pem.previous'] ?? '' };
    const keyGiven = { 'root-ca.key.pem': switched['root-ca.key.pem'] ?? '' };
    const certGiven: Record<string, string> = { ...prepared, ...copied, ...keyGiven };
    delete certGiven['root-ca.cert.pem.next'];
    certGiven['root-ca.cert.pem'] = switched['root-ca.cert.pem'] ?? '';
    for (const files of [
      { ...prepared, ...kept },
      { ...prepared, ...copied },
      { ...prepared, ...copied, ...keyGiven },
      certGiven,
    ]) {
      for (const step of ['--switch', '--undo'] as const) {
        restore(files);
        await home.rotated('root', step);
        const next = existsSync(home.path('root-ca.cert.pem.next'))
          ? 'root-ca.cert.pem.next'
          : 'root-ca.cert.pem';
        assert.equal(home.accepts(old), true, step);
        if (step === '--switch') assert.equal(home.accepts(home.path(next)), true);
        const pair = new X509Certificate(home.read('root-ca.cert.pem'));
        const renewed = await home.box.run(['pki', 'renew', '--config', configFile]);
        assert.equal(renewed.code, 0, `${pair.subject}: ${renewed.stderr}`);
      }
    }
  });

  test('a step that stops at any file is finished when it is made again', {
    // It stops between two calls of the command.
    skip: isFullSize,
  }, async (t) => {
    await using home = await newHome();
    let [steps, most] = [0, Number.POSITIVE_INFINITY];
    for (const name of ['renameSync', 'rmSync'] as const) {
      const original = fs[name] as (...args: unknown[]) => void;
      const mocked = t.mock.method(fs, name, (...args: unknown[]) => {
        const path = String(args[0]);
        if (path.startsWith(home.path('.')) && existsSync(path)) steps += 1;
        if (steps > most) throw new Error('pulled the plug');
        original(...args);
      });
      t.after(() => mocked.mock.restore());
    }
    syncBuiltinESMExports();
    t.after(syncBuiltinESMExports);
    const counted = () =>
      Object.entries(home.everything()).map(([of, pem]) => [of, pem.match(/BEGIN/g)?.length]);
    for (const [step, repeated] of [
      [[], /The next root CA is prepared/],
      [['--retire'], /The root CA is not being rotated/],
    ] as const) {
      const before = home.everything();
      [steps, most] = [0, Number.POSITIVE_INFINITY];
      await home.rotated('root', ...step);
      const [all, files, complete] = [steps, counted(), home.everything()];
      assert.ok(all > 3, `${all}`);
      const put = (state: typeof before) => {
        for (const name of Object.keys(home.everything())) rmSync(home.path(name));
        for (const [name, text] of Object.entries(state))
          writeFileSync(home.path(name), text, { mode: 0o600 });
      };
      for (let until = 0; until < all; until += 1) {
        put(before);
        [steps, most] = [0, until];
        await home.rotate('root', ...step);
        most = Number.POSITIVE_INFINITY;
        const again = await home.rotate('root', ...step);
        if (again.code !== 0) assert.match(again.stderr, repeated);
        assert.deepEqual(counted(), files, `${step} stopped before step ${until + 1}`);
      }
      put(complete);
      if (step.length === 0) await home.rotated('root', '--switch');
    }
  });

  test('a reload names what is trusted or not from then on, and not the client CA, which only has a new certificate', async (t) => {
    await using home = await newHome();
    const { box } = home;
    const run = box.start(['run', 'controller', configFile, '--log-format', 'json']);
    await untilReady(run);
    t.after(() => stopped(run));
    const steps: string[] = [];
    for (const step of [[], ['--switch'], ['--retire']]) {
      await home.rotated('root', ...step);
      const { stdout } = await box.exits(0, ['config', 'reload', '--config', configFile]);
      steps.push(
        stdout
          .replaceAll(/, h\/pki\/\S+, valid until [\d-]+/g, '')
          .replaceAll(/.*(is presented|no setting).*\n/g, ''),
      );
    }
    assert.deepEqual(steps, [
      'Another authority is trusted: CN=Overlay Auth root CA 2.\n',
      'A new certificate of a trusted authority is used: CN=Overlay Auth client CA.\nThe authority that signs client certificates has a new certificate: CN=Overlay Auth client CA.\n',
      'No longer trusted: CN=Overlay Auth root CA.\n',
    ]);
  });

  test('is refused where the server certificate is not of the home', async () => {
    await using home = await newHome();
    const file = join(home.box.cwd, configFile);
    for (const end of ['cert', 'key'])
      copyFileSync(home.path(`server.${end}.pem`), home.path(`mine.${end}.pem`));
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('./pki/server.', './pki/mine.'));
    await home.refused(['root'], /was not made by overlay-auth[\s\S]*identity\.ca/);
  });
});

describe('pki rotate client-ca', () => {
  test('enrolled clients log in and renew by the new authority, and the old one is retired when none needs it', async (t) => {
    await using home = await newHome('--admin', 'root', '--admin-password-file', 'password');
    const { box } = home;
    const run = box.start(['run', 'controller', configFile, '--log-format', 'json']);
    const { url } = await untilReady(run);
    const client = clientOfHome(url, join(box.cwd, 'h'));
    t.after(async () => {
      client.closeConnections();
      await stopped(run);
    });
    const admin = await loggedIn(client, 'root');
    const reload = async () => {
      const done = await box.exits(0, ['config', 'reload', '--config', configFile]);
      return done.stdout;
    };
    const cacerts = async () => {
      const { text } = await client.get('/.well-known/est/cacerts');
      const p7 = join(box.cwd, 'cacerts.p7');
      writeFileSync(p7, Buffer.from(text, 'base64'));
      return execFileSync('openssl', ['pkcs7', '-inform', 'DER', '-in', p7, '-print_certs', '-noout'], {
        encoding: 'utf8',
      });
    };
    const device = async () => {
      const invitation = await invited(admin);
      const enrolled = await enrolledDevice(client, invitation.token);
      return { ...invitation, ...enrolled };
    };
    const over = <T>(
      { certPem, keyPem }: { certPem: string; keyPem: string },
      call: (as: ReturnType<typeof httpsClient>) => Promise<T>,
    ) => {
      const connection = httpsClient(url, home.read('root-ca.cert.pem'), { cert: certPem, key: keyPem });
      return call(connection).finally(() => connection.closeConnections());
    };
    const login = (as: ReturnType<typeof httpsClient>) =>
      as.post(`${clientApi}/authenticate?method=cert`, { json: {} });
    const logsIn = async (one: { certPem: string; keyPem: string }) =>
      (await over(one, login)).status === 200;

    const first = await device();
    const waiting = await invited(admin);
    await home.rotated('client-ca');
    assert.match(
      await reload(),
      /^Another authority is trusted: CN=Overlay Auth client CA 2, h\/pki\/\S+, valid until \d{4}-\d\d-\d\d\.$/m,
    );
    assert.match(await cacerts(), /CN ?= ?Overlay Auth client CA 2/);
    await home.rotated('client-ca', '--switch');
    await home.refused(
      ['client-ca', '--retire'],
      /CN=Overlay Auth client CA is still needed by 1 certificate in use by device \d+, and by what \S+ present or sign with/,
    );
    await reload();
    const second = await enrolledDevice(client, waiting.token);
    assert.match(
      new X509Certificate(second.certPem).issuer,
      /client CA 2$/,
      'an invitation from before stays good',
    );
    assert.equal((await verifiedClaims(url, waiting.jwt)).sub, waiting.id);
    assert.deepEqual([await logsIn(first), await logsIn(second)], [true, true]);
    const audited = (
      await admin.get(`audit-events?filter=${encodeURIComponent('event = "authority.rotated"')}`)
    ).json.data;
    assert.deepEqual(audited.map(({ details }: { details: { step: string } }) => details.step).toSorted(), [
      'prepare',
      'switch',
    ]);

    await home.refused(
      ['client-ca', '--retire'],
      /needed by 1 certificate in use by device \d+\.\nnext: .*--force/,
    );
    await home.rotated('client-ca', '--undo');
    await home.refused(
      ['client-ca', '--undo'],
      /CN=Overlay Auth client CA 2 is still needed by 1 certificate/,
    );
    await home.rotated('client-ca', '--switch');
    await reload();

    const renewed = await over(first, async (as) => {
      const session = (await login(as)).json.data.token;
      const headers = { 'zt-session': session };
      const own = (await as.get(`${clientApi}/current-identity/authenticators`, { headers })).json.data[0].id;
      const at = `${clientApi}/current-identity/authenticators/${own}`;
      const extended = await as.post(`${at}/extend`, {
        headers,
        json: { clientCertCsr: csrPem(first.keys) },
      });
      assert.equal(extended.status, 200, extended.text);
      const { clientCert } = extended.json.data;
      const verified = await as.post(`${at}/extend-verify`, { headers, json: { clientCert } });
      assert.equal(verified.status, 200, verified.text);
      return { certPem: clientCert as string, keyPem: first.keyPem };
    });
    const leaf = join(box.cwd, 'renewed.pem');
    writeFileSync(leaf, renewed.certPem);
    assert.ok(isVerified(home.path('root-ca.cert.pem'), leaf, leaf, '-purpose', 'sslclient'));
    await home.rotated('client-ca', '--retire');
    assert.match(await reload(), /^No longer trusted: CN=Overlay Auth client CA\.$/m);
    assert.deepEqual([await logsIn(renewed), await logsIn(first), await logsIn(second)], [true, false, true]);
    const listed = await cacerts();
    assert.match(listed, /client CA 2/);
    assert.doesNotMatch(listed, /client CA\n/);
  });

  test('a start while the files are exchanged signs with what belongs together', async () => {
    await using home = await newHome();
    await home.rotated('client-ca');
    copyFileSync(home.path('client-ca.key.pem.next'), home.path('client-ca.key.pem'));
    const check = () => home.box.run(['run', 'controller', configFile, '--check']);
    await exits(0, check());
    rmSync(home.path('client-ca.cert.pem.next'));
    assert.match((await check()).stderr, /the private key does not belong to the certificate/);
  });
});
