import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { clientOfHome, type Sandbox, sandbox, stopped, untilReady } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { login } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { password, submitSetup } from '../support/setup.ts';
import { sized } from '../support/size.ts';

function tokenOf(url: string): string {
  return new URL(url).searchParams.get('t') ?? '';
}

type Quickstart = Awaited<ReturnType<typeof quickstart>>;

/** Starts a quickstart on a port that the system chooses. */
async function quickstart(box: Sandbox, ...args: string[]) {
  const started = box.start(['quickstart', '--port', '0', '--json', ...args]);
  const ready = await untilReady(started);
  const client = clientOfHome(ready.url, ready.home);
  return { started, ready, client };
}

describe('metrics', () => {
  test('have their own listener on the loopback address, and a taken port prevents no login', async () => {
    await using box = sandbox();
    await box.home('.overlay', 'localhost:0');
    const file = join(box.cwd, '.overlay', 'controller.yml');
    const yaml = readFileSync(file, 'utf8');
    const port = await freePort();
    assert.equal(yaml.match(/127\.0\.0\.1:0/g)?.length, 2);
    const [main = '', metrics = ''] = yaml.split('- name: metrics');
    const moved = metrics
      .replace('127.0.0.1:0', `127.0.0.1:${port}`)
      .replace('localhost:0', `localhost:${port}`);
    writeFileSync(file, `${main}- name: metrics${moved}`);
    const second = await quickstart(box);
    const scraper = clientOfHome(`https://localhost:${port}`, join(box.cwd, '.overlay'));
    assert.equal((await second.client.get('/metrics')).status, 404);
    assert.match((await scraper.get('/metrics')).text, /^overlay_auth_build_info/m);
    for (const path of ['/version', '/oidc/.well-known/openid-configuration', '/health-checks'])
      assert.equal((await scraper.get(path)).status, 404, path);
    for (const client of [scraper, second.client]) client.closeConnections();
    await stopped(second.started);

    await using other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const third = await quickstart(box);
    assert.equal((await third.client.get('/version')).status, 200);
    third.client.closeConnections();
    const log = readFileSync(join(box.cwd, '.overlay', 'controller.log'), 'utf8');
    assert.match(log, /the metrics are not served.*another program uses this port/);
  });
});

describe('quickstart', () => {
  const box = sandbox();
  const linesOf = ({ started }: Quickstart) =>
    started
      .output()
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  let first: Quickstart;
  before(async () => {
    first = await quickstart(box);
  });
  after(() => box.close());

  test('from nothing: makes what is missing, and offers a link', async () => {
    const { started, ready, client } = first;
    assert.deepEqual(ready.issuers, [`${ready.url}/oidc`]);
    assert.equal(ready.home, join(box.cwd, '.overlay'));
    assert.deepEqual(
      linesOf(first)
        .filter(({ event }) => event === 'created')
        .map(({ what }) => what),
      [
        'master key',
        'root CA',
        'client CA',
        'server certificate',
        'database',
        'signing key',
        'signing key',
        'configuration',
      ],
    );
    assert.equal(started.output().stderr, '');
    const page = await client.get(`/setup?t=${tokenOf(ready.setup.url)}`, {
      headers: { accept: 'text/html' },
    });
    assert.equal(page.status, 200);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    assert.match(page.text, /<form method="post" action="\/setup">/);
    assert.doesNotMatch(page.text, /<script(?! src="\/assets\/)/);
  });

  test('only the owner can read the secrets that it writes', () => {
    const { home } = first.ready;
    const mode = (...path: string[]) => statSync(join(home, ...path)).mode & 0o777;
    for (const folder of ['.', 'pki', 'secrets']) assert.equal(mode(folder), 0o700, folder);
    for (const file of readdirSync(join(home, 'pki')).filter((name) => name.includes('.key.'))) {
      assert.equal(mode('pki', file), 0o600, file);
    }
    for (const file of ['secrets/master.key', 'overlay.db', 'controller.log', 'controller.yml']) {
      assert.equal(mode(file), 0o600, file);
    }
    assert.equal(readFileSync(join(home, '.gitignore'), 'utf8'), '*\n');
  });

  test('a second one on the same home is refused with one sentence', async () => {
    const { stderr, stdout } = await box.exits(1, ['quickstart']);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      new RegExp(
        `^error: Another controller is running on .*overlay\\.db \\(process ${first.started.child.pid}, localhost:0\\): stop it first.*\nnext: stop the other controller.*\n$`,
      ),
    );
    const run = await box.exits(1, ['run', 'controller', first.ready.config]);
    assert.match(run.stderr, /^error: Another controller is running/);
  });

  test('a later run continues with the same keys, and offers a newer link while there is no administrator', async () => {
    const rootCa = readFileSync(join(first.ready.home, 'pki', 'root-ca.cert.pem'), 'utf8');
    first.client.closeConnections();
    await stopped(first.started);
    const second = await quickstart(box);
    const { client, ready } = second;
    assert.deepEqual(
      linesOf(second).filter(({ event }) => event === 'created' || event === 'renewed'),
      [],
    );
    assert.equal(readFileSync(join(ready.home, 'pki', 'root-ca.cert.pem'), 'utf8'), rootCa);
    const old = await client.get(`/setup?t=${tokenOf(first.ready.setup.url)}`, {
      headers: { accept: 'text/html' },
    });
    assert.equal(old.status, 410, 'a newer link replaces an older one');

    const token = tokenOf(ready.setup.url);
    const done = await submitSetup(client, token);
    assert.equal(done.status, 201);
    assert.match(done.text, /overlay-auth login https:\/\/localhost:\d+ -u ana/);
    assert.ok((await login(client, 'ana', password)).access_token);
    client.closeConnections();

    const { stdout } = await exits(0, stopped(second.started));
    assert.equal(JSON.parse(stdout.trim().split('\n').at(-1) ?? '').event, 'stopped');
    const log = readFileSync(join(ready.home, 'controller.log'), 'utf8');
    assert.match(log, /event=setup\.completed/);
    assert.ok(!log.includes(token), 'the token is in no log line');
    assert.ok(!log.includes(password));

    const third = await quickstart(box);
    assert.equal(third.ready.setup, null);
    await stopped(third.started);
  });

  test('an ephemeral home is deleted afterwards', async () => {
    await using box = sandbox();
    const { started, ready } = await quickstart(box, '--ephemeral');
    assert.ok(existsSync(ready.config));
    await stopped(started);
    assert.ok(!existsSync(ready.home));
    assert.deepEqual(readdirSync(box.cwd), []);
  });

  test('a port that is in use is reported before anything is created, with a free one', async (t) => {
    const box = sandbox();
    const other = createServer();
    t.after(async () => {
      other.close();
      await box.close();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { stderr } = await box.exits(1, ['quickstart', '--port', String(port), '--home', 'h']);
    assert.match(
      stderr,
      new RegExp(
        `^error: Port ${port} is used by another program\\.\nnext: overlay-auth quickstart --home h --port \\d+\n$`,
      ),
    );
    assert.ok(!existsSync(join(box.cwd, 'h', 'secrets', 'master.key')));
  });

  test('impossible options are a usage error', async () => {
    await using box = sandbox();
    for (const args of [
      ['--port', '70000'],
      ['--port', 'x'],
      ['--ephemeral', '--home', 'h'],
      ['--nonsense'],
    ]) {
      const { code, stderr } = await box.run(['quickstart', ...args]);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /^error: .+\nnext: .+\n$/, args.join(' '));
    }
    assert.deepEqual(readdirSync(box.cwd), []);
  });
});

describe('init', () => {
  test('sets up for the given address and prints what it made', async () => {
    await using box = sandbox();
    writeFileSync(join(box.cwd, 'pw'), `${password}\n`);
    const at = 'init --home h --address auth.example.com:8443 --dns auth.internal --ip 192.0.2.7';
    const command = `${at} --admin ana --admin-password-file pw --yes`.split(' ');
    const { stdout, stderr } = await box.exits(0, command);
    assert.match(
      stdout,
      /server certificate +localhost, auth\.example\.com, auth\.internal, 127\.0\.0\.1, ::1, 192\.0\.2\.7 /,
    );
    assert.match(stdout, /administrator +ana/);
    assert.match(stderr, /next: overlay-auth run controller h\/controller\.yml/);
    const yaml = readFileSync(join(box.cwd, 'h', 'controller.yml'), 'utf8');
    assert.match(yaml, /address: "auth\.example\.com:8443"/);
    assert.match(yaml, /interface: "0\.0\.0\.0:8443"/);
    assert.match(yaml, /name: metrics\n +bindPoints:\n +- interface: 127\.0\.0\.1:84\d\d/);
    const check = await box.exits(0, ['run', 'controller', 'h/controller.yml', '--check']);
    assert.doesNotMatch(check.stdout, /warning/);
    assert.deepEqual(check.stdout.match(/issuer: .*/g), ['issuer: https://auth.example.com:8443/oidc']);
  });

  test('creates nothing at all if the administrator cannot be created', async () => {
    await using box = sandbox();
    writeFileSync(join(box.cwd, 'short'), 'x');
    writeFileSync(join(box.cwd, 'pw'), `${password}\n`);
    for (const [name, file, said] of [
      ['ana', 'short', /The password is not acceptable: .*12 are needed/],
      [' ana', 'pw', /--admin " ana" begins or ends with a space/],
      ['a\u0007', 'pw', /This cannot be a user name/],
    ] as const) {
      const args = ['init', '--home', 'h', '--admin', name, '--admin-password-file', file];
      const { code, stderr } = await box.run(args);
      assert.notEqual(code, 0);
      assert.match(stderr, said);
      assert.equal(existsSync(join(box.cwd, 'h')), false, name);
    }
  });

  test('names its files as a shell takes them', async () => {
    await using box = sandbox();
    const made = await box.run(['init', '--home', 'my home']);
    assert.match(made.stderr, /^next: overlay-auth run controller 'my home\/controller\.yml'$/m);
    assert.match(made.stderr, /^then: overlay-auth admin create NAME --config 'my home\/controller\.yml'$/m);
    writeFileSync(join(box.cwd, 'pw'), `${password}\n`);
    const create = ['admin', 'create', 'a b', '--password-file', 'pw', '--config', 'my home/controller.yml'];
    assert.match(
      (await box.run(create)).stderr,
      /^next: overlay-auth login https:\S+ -u 'a b' --ca 'my home\/pki\/root-ca\.cert\.pem'$/m,
    );
    const again = await box.run(create);
    assert.match(
      again.stderr,
      /^next: overlay-auth admin recover --config 'my home\/controller\.yml' 'a b'$/m,
    );
  });

  test('a suggested command is for the configuration of the command that suggests it', async () => {
    await using box = sandbox();
    await box.home('h');
    const config = ['--config', 'h/controller.yml'];
    writeFileSync(join(box.cwd, 'pw'), `${password}\n`);
    await box.exits(0, ['admin', 'create', 'ana', '--password-file', 'pw', ...config]);
    const { stderr } = await box.exits(1, ['admin', 'recover', 'bob', '--password-file', 'pw', ...config]);
    assert.match(stderr, /^next: overlay-auth admin create bob --config h\/controller\.yml$/m);
    const recovered = await box.exits(0, ['admin', 'recover', 'ana', '--password-file', 'pw', ...config]);
    assert.match(recovered.stderr, /^next: .* login \S+ -u ana --ca h\/pki\/root-ca\.cert\.pem$/m);
    writeFileSync(join(box.cwd, 'h', 'overlay.db'), '');
    for (const command of [
      ['keys', 'list', ...config],
      ['run', 'controller', 'h/controller.yml'],
    ]) {
      const emptied = await box.exits(1, command);
      assert.match(
        emptied.stderr,
        /^next: overlay-auth ops db restore --config h\/controller\.yml BACKUP /m,
        command.join(' '),
      );
    }
    const help = await box.exits(2, ['keys', 'list', 'more', ...config]);
    assert.match(help.stderr, /^next: overlay-auth keys list --help$/m);
  });

  test('prints one JSON document under -j', async () => {
    await using box = sandbox();
    const { stdout, stderr } = await box.exits(0, ['init', '--home', 'h', '-j']);
    assert.equal(stderr, '');
    const { config, steps } = JSON.parse(stdout);
    assert.equal(config, join(box.cwd, 'h', 'controller.yml'));
    assert.ok(steps.every(({ made }: { made: string }) => made === 'created'));
  });

  test('never overwrites a home', async () => {
    await using box = sandbox();
    await box.home('h');
    const key = readFileSync(join(box.cwd, 'h', 'secrets', 'master.key'));
    const { stderr } = await box.exits(1, ['init', '--home', 'h', '--yes']);
    assert.equal(
      stderr,
      'error: h/controller.yml exists already; nothing was changed.\nnext: overlay-auth run controller h/controller.yml\n',
    );
    assert.deepEqual(readFileSync(join(box.cwd, 'h', 'secrets', 'master.key')), key);
  });

  // In processes of their own: a folder that is searched for without end stops a process.
  test('ends below a folder that has no folders of ours', { skip: !existsSync('/proc/self') }, async () => {
    await using box = sandbox();
    const below = '/proc/overlay/auth';
    const noCache = await box.start(['version'], { env: { XDG_CACHE_HOME: below } }).finished;
    assert.equal(noCache.code, 0, noCache.stderr);
    const { code, stderr } = await box.start(['init', '--home', below]).finished;
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'error: /proc/overlay cannot be used: it does not exist.\nnext: check the path and the permissions\n',
    );
  });

  test('refuses what it cannot set up, and leaves nothing that runs', async () => {
    await using box = sandbox();
    writeFileSync(join(box.cwd, 'weak'), 'ana\n');
    const refusals: [string[], number, RegExp][] = [
      [['--db', 'postgres://127.0.0.1:1/overlay'], 5, /cannot be used: connect ECONNREFUSED/],
      [['--db', 'mysql://u:hunter2@db/overlay'], 2, /The value of --db is not a database URL/],
      [['--db', 'mysql:u:hunter2@db'], 2, /The value of --db is not a database URL/],
      [['--address', 'localhost'], 2, /is not host:port/],
      [['--address', '0.0.0.0:1280'], 2, /Clients cannot connect to/],
      [['--ip', 'nonsense'], 2, /is not an IP address/],
      [['--ip', '300.1.1.1'], 2, /"300.1.1.1" is not an IP address/],
      [['--dns', 'a/b'], 2, /"a\/b" is not a DNS name/],
      [['--admin', 'ana'], 2, /--admin needs --admin-password-file/],
      [['--admin-password-file', 'weak'], 2, /--admin-password-file needs --admin/],
      [['--admin', 'ana', '--admin-password-file', 'missing'], 2, /cannot be read/],
      [['--admin', 'ana', '--admin-password-file', 'weak'], 1, /password is not acceptable/],
      [['--admin', 'ana', '--admin-password-file', 'latin1'], 2, /line 1 is not in UTF-8: save/],
      [['--admin', 'ana', '--admin-password-file', 'utf16'], 2, /in UTF-16, not in UTF-8/],
      [['--admin', 'ana', '--admin-password-file', 'control'], 1, /control or unassigned character/],
      [
        ['--db', 'postgres://u:top#hunter2@db/overlay'],
        1,
        /^error: --db cannot be used: .*percent-encoded: # as %23/,
      ],
    ];
    writeFileSync(join(box.cwd, 'latin1'), Buffer.from('Admin-Passwörd-12345\n', 'latin1'));
    writeFileSync(join(box.cwd, 'control'), 'Admin-Pass\u0007word-12345\n');
    writeFileSync(join(box.cwd, 'utf16'), Buffer.from('\ufeffAdmin-Password-12345\n', 'utf16le'));
    for (const [args, exitCode, text] of refusals) {
      const { code, stderr, stdout } = await box.run(['init', '--home', 'h', ...args]);
      assert.equal(code, exitCode, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, text);
      assert.doesNotMatch(stderr, /hunter2/);
      assert.equal(stdout, '');
      assert.ok(!existsSync(join(box.cwd, 'h', 'controller.yml')));
      if (args[0] === '--admin') assert.ok(!existsSync(join(box.cwd, 'h', 'overlay.db')), String(text));
    }
    await box.exits(0, ['init', '--home', 'h']);
    await box.exits(2, ['init', '--home', 'misnamed', '--dns', 'a/b']);
    assert.ok(!existsSync(join(box.cwd, 'misnamed')));
  });

  test('names the database whose key is missing, wherever it is', async () => {
    await using box = sandbox();
    await box.home('h');
    const database = join(box.cwd, 'h', 'overlay.db');
    const { stderr } = await box.exits(1, ['init', '--home', 'other', '--db', `sqlite:${database}`]);
    assert.ok(stderr.includes(`mv ${database} ${database}.old`), stderr);
  });

  test('a set-up that was killed anywhere is finished by running it again', async () => {
    await using box = sandbox();
    const moments = sized({
      small: ['secrets/master.key', 'overlay.db'],
      full: ['secrets/master.key', 'pki/root-ca.key.pem', 'pki/server.cert.pem', 'overlay.db'],
    });
    for (const [index, moment] of moments.entries()) {
      const home = `h${index}`;
      const first = box.start(['init', '--home', home]);
      await fileAppears(join(box.cwd, home, moment), first.finished);
      first.child.kill('SIGKILL');
      await first.finished;
      const { code, stderr } = await box.run(['init', '--home', home]);
      if (stderr.includes('exists already')) continue;
      assert.equal(code, 0, `${moment}: ${stderr}`);
      const check = await box.run(['run', 'controller', `${home}/controller.yml`, '--check']);
      assert.equal(check.code, 0, `${moment}: ${check.stderr}`);
      assert.deepEqual(leftovers(join(box.cwd, home)), [], moment);
    }
  });

  test('half-written files of a killed set-up are replaced', async () => {
    await using box = sandbox();
    mkdirSync(join(box.cwd, 'h', 'secrets'), { recursive: true });
    mkdirSync(join(box.cwd, 'h', 'pki'), { recursive: true });
    for (const file of [
      'secrets/master.key',
      'pki/root-ca.key.pem',
      'pki/server.cert.pem',
      'controller.yml',
    ]) {
      writeFileSync(join(box.cwd, 'h', `${file}.partial`), 'half');
    }
    // The certificate is written after its key, so a key alone belongs to an unfinished pair.
    writeFileSync(join(box.cwd, 'h', 'pki', 'root-ca.key.pem'), 'half');
    await box.exits(0, ['init', '--home', 'h']);
    assert.deepEqual(leftovers(join(box.cwd, 'h')), []);
    await box.exits(0, ['run', 'controller', 'h/controller.yml', '--check']);
  });

  test('a database without the key it was sealed with is never given a new key', async () => {
    await using box = sandbox();
    await box.home('h');
    rmSync(join(box.cwd, 'h', 'controller.yml'));
    rmSync(join(box.cwd, 'h', 'secrets', 'master.key'));
    const { stderr } = await box.exits(1, ['init', '--home', 'h']);
    assert.match(stderr, /not the key it was sealed with/);
    assert.ok(!existsSync(join(box.cwd, 'h', 'secrets', 'master.key')));
  });
});

function leftovers(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.partial(-|$)/.test(name),
  );
}

async function fileAppears(path: string, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  ended.then(end, end);
  while (!existsSync(path) && !hasEnded) await new Promise((resolve) => setTimeout(resolve, 1));
}
