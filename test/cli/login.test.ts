import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { HOUR, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { type CommandLine, commandLine, exits } from '../support/command-line.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorize, claimsOf } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, totpPolicy } from '../support/totp.ts';
import { logInAs } from './support.ts';

// On a full second, because times in tokens are in seconds.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);

const server = await serverOfFile({ clock });
await server.createUser({ name: 'ada', password, isAdmin: true });

const loginAs = (cli: CommandLine, secret = password, ...more: string[]) =>
  logInAs(cli, server, 'ada', secret, ...more);

const byBrowser = ['login', server.url, '--ca', join(server.home, 'ca.pem'), '--no-browser'];

/** What a browser does with the printed address: log in there and follow the way back. */
async function logInAt(text: string): Promise<{ status: number; page: string }> {
  const address = new URL(/https:\/\/\S+/.exec(text)?.[0] ?? '');
  const start = await server.get(address.pathname + address.search);
  const loginUrl = new URL(start.headers.location ?? '', server.url);
  const authRequestId = loginUrl.searchParams.get('authRequestID');
  const json = { authRequestId, username: 'ada', password };
  const done = await server.post(loginUrl.pathname, { json });
  return visit(new URL(done.headers.location ?? ''));
}

function visit(url: URL): Promise<{ status: number; page: string }> {
  return new Promise((fulfil, fail) => {
    httpGet(url, async (response) => {
      let page = '';
      for await (const chunk of response) page += String(chunk);
      fulfil({ status: response.statusCode ?? 0, page });
    }).on('error', fail);
  });
}

describe('login with a password', () => {
  test('saves a session with which whoami and token work, readable by its owner only', async () => {
    await using cli = commandLine(clock);
    const login = await exits(0, loginAs(cli));
    assert.match(login.stdout, new RegExp(`^Logged in to ${server.url} as ada \\(password\\)\\.\\n$`));

    const whoami = await cli.exits(0, ['whoami', '-j']);
    assert.equal(whoami.json.name, 'ada');
    assert.equal(whoami.json.isAdmin, true);
    assert.equal(whoami.json.expirationSeconds, 1800);

    const token = await cli.run(['token']);
    assert.equal(claimsOf(token.stdout.trim()).sub, whoami.json.id);
    const decoded = await cli.run(['token', 'id', '--decode']);
    assert.equal(decoded.json.payload.sub, whoami.json.id);
    await cli.exits(2, ['token', 'refresh', '--decode']);

    assert.equal(statSync(join(cli.configDir, 'credentials.json')).mode & 0o777, 0o600);
    assert.equal(statSync(cli.configDir).mode & 0o777, 0o700);
  });

  test('never leaves a password behind, in files or in output', async () => {
    await using cli = commandLine(clock);
    const { stdout, stderr } = await loginAs(cli);
    const saved = readFileSync(join(cli.configDir, 'credentials.json'), 'utf8');
    for (const text of [stdout, stderr, saved]) assert.ok(!text.includes(password));
  });

  test('takes the password from a file or the environment too', async () => {
    await using cli = commandLine(clock);
    const args = ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', 'ada'];
    await cli.exits(0, args, { env: { OVERLAY_AUTH_PASSWORD: password } });
    const nobodyToAsk = await cli.exits(2, args);
    assert.match(nobodyToAsk.stderr, /next: add --password-stdin, or set OVERLAY_AUTH_PASSWORD/);
  });

  test('exits with 3 and a reference id when the password is wrong, and saves nothing', async () => {
    await using cli = commandLine(clock);
    const refused = await exits(3, loginAs(cli, 'not the password'));
    assert.match(refused.stderr, /^error: The login was refused: .*\nreference: \S+\nnext: .+\n$/);
    await cli.exits(3, ['whoami']);
  });

  test('recognizes a server by its address without a scheme, and by its issuer', async () => {
    await using cli = commandLine(clock);
    await loginAs(cli);
    for (const address of [server.issuer, new URL(server.url).host]) {
      await cli.exits(0, ['login', address, '-u', 'ada', '--password-stdin'], { input: password });
    }
    assert.equal((await cli.run(['login', 'list', '-j'])).json.length, 1);
  });
});

describe('login with a client certificate', () => {
  test('says which files do not fit together, before anything is sent', async () => {
    await using cli = commandLine(clock);
    const ca = join(server.home, 'ca.pem');
    const key = join(server.home, 'server.key');
    for (const pair of [
      ['-c', ca, '-k', key],
      ['-c', ca],
      ['-c', key, '-k', key],
    ]) {
      const refused = await cli.exits(2, ['login', server.url, '--ca', ca, ...pair]);
      assert.match(refused.stderr, /(are not|does not contain) a certificate and its key in PEM form/);
    }
  });
});

describe('login with a one-time code', () => {
  before(async () => void (await createTotpUser(server, await totpPolicy(server), 'tess')));

  const loginWith = (cli: CommandLine, ...more: string[]) => logInAs(cli, server, 'tess', password, ...more);

  test('leads to the browser while the app is not set up', async () => {
    await using cli = commandLine(clock);
    const login = await exits(3, loginWith(cli, '--totp-code', '123456'));
    assert.match(
      login.stderr,
      /requires one-time codes.*\nnext: overlay-auth login https:\/\/localhost:\d+ /,
    );
  });

  test('succeeds with the code of the app, also with a space in it', async () => {
    const { app } = await enroll(server, clock, 'tess');
    await using cli = commandLine(clock);
    const code = app.code();
    const login = await exits(0, loginWith(cli, '--totp-code', `${code.slice(0, 3)} ${code.slice(3)}`));
    assert.match(login.stdout, / as tess \(password, \w+\)\./);
  });

  test('exits with 3 for a wrong code, and when there is no terminal to ask for one', async () => {
    await using cli = commandLine(clock);
    const wrong = await exits(3, loginWith(cli, '--totp-code', '000000'));
    assert.match(
      wrong.stderr,
      /^error: The one-time code was refused: .*\nreference: \S+\nnext: overlay-auth login /,
    );
    const missing = await exits(3, loginWith(cli));
    assert.match(missing.stderr, /next: overlay-auth login \S+ … --totp-code CODE/);
  });
});

describe('login in the browser', () => {
  test('returns to this computer and shows the page once it has the tokens', async () => {
    await using cli = commandLine(clock);
    let visited: Promise<{ status: number; page: string }> | undefined;
    const login = await cli.exits(0, byBrowser, {
      onStderr(text) {
        if (/https:\/\/\S+\n/.test(text)) visited ??= logInAt(text);
      },
    });
    // A browser on another computer cannot return to this one.
    assert.ok(
      login.stderr.includes(`another device: overlay-auth login --device ${server.url}\n`),
      login.stderr,
    );
    const { status, page } = (await visited) ?? { status: 0, page: '' };
    assert.equal(status, 200);
    assert.match(page, /<h1>Logged in<\/h1>.*You can close this tab/);
    assert.equal((await cli.run(['whoami', '-j'])).json.name, 'ada');
  });

  test('is not disturbed by answers that belong to another login', async () => {
    await using cli = commandLine(clock);
    let visited: Promise<unknown> | undefined;
    const strangers: number[] = [];
    await cli.exits(0, byBrowser, {
      onStderr(text) {
        const address = /https:\/\/\S+(?=\n)/.exec(text)?.[0];
        if (address === undefined) return;
        visited ??= (async () => {
          const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
          for (const query of ['?code=x', '?code=x&state=guess', '?error=access_denied&state=']) {
            strangers.push((await visit(new URL(query, back))).status);
          }
          strangers.push((await visit(new URL('/favicon.ico', back))).status);
          return logInAt(text);
        })();
      },
    });
    await visited;
    assert.deepEqual(strangers, [400, 400, 400, 404]);
  });

  test('says on the page and in the terminal that the server refused', async () => {
    await using cli = commandLine(clock);
    let visited: Promise<{ status: number; page: string }> | undefined;
    const login = await cli.exits(3, byBrowser, {
      onStderr(text) {
        const address = /https:\/\/\S+(?=\n)/.exec(text)?.[0];
        if (address === undefined || visited !== undefined) return;
        const asked = new URL(address).searchParams;
        const back = new URL(asked.get('redirect_uri') ?? '');
        const refusal = {
          error: 'access_denied',
          error_description: 'not <b>today</b>',
          iss: server.issuer,
        };
        back.search = new URLSearchParams({ ...refusal, state: asked.get('state') ?? '' }).toString();
        visited = visit(back);
      },
    });
    assert.match(login.stderr, /error: The login was refused: not <b>today<\/b>/);
    const { status, page } = (await visited) ?? { status: 0, page: '' };
    assert.equal(status, 400);
    assert.ok(!page.includes('<b>'), page);
  });

  test('refuses an answer that names another issuer', async () => {
    await using cli = commandLine(clock);
    const login = await cli.exits(1, byBrowser, {
      onStderr(text) {
        const address = /https:\/\/\S+(?=\n)/.exec(text)?.[0];
        if (address === undefined) return;
        const asked = new URL(address).searchParams;
        const back = new URL(asked.get('redirect_uri') ?? '');
        const state = asked.get('state') ?? '';
        back.search = new URLSearchParams({
          code: 'x',
          state,
          iss: 'https://elsewhere.example/oidc',
        }).toString();
        visit(back).catch(() => undefined);
      },
    });
    assert.match(login.stderr, /another server/);
  });

  test('works where only the localhost spelling of the redirect URI is allowed', async () => {
    await using strict = await startTestServer({
      clock,
      configure: (yaml) =>
        yaml.replace(
          '      - binding: health-checks\n',
          '      - binding: edge-oidc\n        options: { redirectURIs: ["http://localhost:*/auth/callback"] }\n$&',
        ),
    });
    await strict.createUser({ name: 'ada', password });
    const numeric = await authorize(strict, { redirect_uri: 'http://127.0.0.1:1/auth/callback' });
    assert.equal(numeric.status, 400);
    await using cli = commandLine(clock);
    const args = ['login', strict.url, '--ca', join(strict.home, 'ca.pem'), '-u', 'ada', '--password-stdin'];
    await cli.exits(0, args, { input: password });
  });
});

describe('a session', () => {
  test('is renewed when the access token is about to end, once for commands that run at the same time', async () => {
    await using cli = commandLine(clock);
    await loginAs(cli);
    const before = (await cli.run(['token', 'refresh'])).stdout;
    clock.advance(30 * MINUTE - 5_000);
    const all = await Promise.all([1, 2, 3, 4].map(() => cli.run(['whoami', '-j'])));
    for (const { code, stderr } of all) assert.equal(code, 0, stderr);
    const tokens = await Promise.all([1, 2, 3].map(() => cli.run(['token'])));
    assert.equal(new Set(tokens.map(({ stdout }) => stdout)).size, 1);
    assert.notEqual((await cli.run(['token', 'refresh'])).stdout, before);
  });

  test('that has ended names the command that begins a new one, and stays known as ended', async () => {
    await using cli = commandLine(clock);
    await loginAs(cli);
    clock.advance(25 * HOUR);
    for (let run = 1; run <= 2; run += 1) {
      const whoami = await cli.exits(3, ['whoami']);
      assert.match(whoami.stderr, new RegExp(`error: The session of ada at ${server.url} is over\\.`));
      assert.match(whoami.stderr, new RegExp(`next: overlay-auth login ${server.url} -u ada\n`));
    }
    assert.match((await cli.run(['login', 'list'])).stdout, /ada .*over/);
  });

  test('that has ended is begun again at the same address of the APIs', async () => {
    await using cli = commandLine(clock);
    await exits(0, loginAs(cli, password, '--api-url', server.url));
    clock.advance(25 * HOUR);
    const { stderr } = await cli.exits(3, ['whoami']);
    assert.ok(stderr.endsWith(`next: overlay-auth login ${server.url} -u ada --api-url ${server.url}\n`));
  });

  test('that an administrator ended is noticed at the next call', async () => {
    await using cli = commandLine(clock);
    await using other = commandLine(clock);
    await loginAs(cli);
    await loginAs(other);
    const ended = await other.exits(0, ['identity', 'end-sessions', 'ada', '-j']);
    assert.ok(ended.json.ended >= 2);
    await cli.exits(3, ['whoami']);
  });

  test('ends at the server with logout, and is then forgotten', async () => {
    await using cli = commandLine(clock);
    await loginAs(cli);
    const accessToken = (await cli.run(['token'])).stdout.trim();
    await cli.exits(0, ['logout']);
    await cli.exits(3, ['whoami']);
    const headers = { authorization: `Bearer ${accessToken}` };
    assert.equal((await server.get('/edge/client/v1/current-identity', { headers })).status, 401);
    assert.ok(!readFileSync(join(cli.configDir, 'credentials.json'), 'utf8').includes(accessToken));
  });

  test('is bound to a key in its file, unless its tokens are for other programs', async () => {
    await using cli = commandLine(clock);
    const file = join(cli.configDir, 'credentials.json');
    const logIn = async (...more: string[]) => assert.equal((await loginAs(cli, password, ...more)).code, 0);
    const asBearer = async () => {
      const { stdout, stderr } = await cli.run(['token']);
      const headers = { authorization: `Bearer ${stdout.trim()}` };
      return { stderr, ...(await server.get('/edge/client/v1/current-identity', { headers })) };
    };
    await logIn();
    assert.match(readFileSync(file, 'utf8'), /"d": "[\w-]{43}"/);
    const bound = await asBearer();
    assert.equal(bound.status, 401);
    assert.match(
      bound.stderr,
      new RegExp(`for other programs: overlay-auth login ${server.url} --bearer -u ada`),
    );
    clock.advance(31 * MINUTE);
    await cli.exits(0, ['whoami']);

    await logIn('--bearer');
    assert.doesNotMatch(readFileSync(file, 'utf8'), /"d":/);
    const bearer = await asBearer();
    assert.deepEqual([bearer.status, bearer.stderr], [200, '']);
    clock.advance(31 * MINUTE);
    assert.equal((await asBearer()).status, 200);
  });

  test('without any login, every command that needs one says how to begin', async () => {
    await using cli = commandLine(clock);
    for (const args of [
      ['whoami'],
      ['token'],
      ['logout'],
      ['list', 'identities'],
      ['identity', 'enable', 'x'],
    ]) {
      const outcome = await cli.run(args);
      assert.equal(outcome.code, 3, args.join(' '));
      assert.match(outcome.stderr, /next: overlay-auth login /);
    }
  });
});
