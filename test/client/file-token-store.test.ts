// Two programs with one login: they renew once, and neither uses a refresh token that the other has used.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, beforeEach, describe, test } from 'node:test';
import { createClientApi } from '../../packages/client/src/api/edge-api.ts';
import { startDirectLogin } from '../../packages/client/src/login/direct-login.ts';
import { fileTokenStore } from '../../packages/client/src/node/file-token-store.ts';
import { discover } from '../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../packages/client/src/oidc/tokens.ts';
import { password } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { transportTo } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-tokens-'));
let file: string;
const server = await startTestServer();
await server.createUser({ name: 'ada', password });
writeFileSync(join(folder, 'ca.pem'), server.caPem);
beforeEach((t) => {
  file = join(folder, t.name.replace(/\W+/g, '-').slice(0, 30), 'tokens.json');
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function loggedIn(): Promise<Tokens> {
  const provider = await discover({ baseUrl: server.url, transport: transportTo(server) });
  const state = await (await startDirectLogin(provider)).password({ username: 'ada', password });
  assert.ok(state.kind === 'done');
  await fileTokenStore(file).update(async () => [state.tokens, undefined]);
  return state.tokens;
}

/** A program that renews the access token that it is given, and prints the new one. */
function program(refused: string): Promise<{ readonly code: number | null; readonly text: string }> {
  const from = (path: string) =>
    JSON.stringify(new URL(`../../packages/client/src/${path}`, import.meta.url).href);
  const script = `
    import { readFileSync } from 'node:fs';
    import { discover } from ${from('oidc/provider.ts')};
    import { openSession } from ${from('session/session.ts')};
    import { fileTokenStore } from ${from('node/file-token-store.ts')};
    import { httpsTransport } from ${from('node/https-transport.ts')};
    const { send, close } = httpsTransport({ ca: readFileSync(${JSON.stringify(join(folder, 'ca.pem'))}, 'utf8') });
    const provider = await discover({ baseUrl: ${JSON.stringify(server.url)}, transport: send });
    const session = openSession({ provider, store: fileTokenStore(${JSON.stringify(file)}) });
    process.stdout.write(await session.renewedToken(${JSON.stringify(refused)}).catch((error) => error.reason));
    close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data;
  });
  return new Promise((over) => child.on('close', (code) => over({ code, text })));
}

describe('tokens in a file', () => {
  test('are renewed once by programs that run at the same time', async () => {
    const first = await loggedIn();
    const all = await Promise.all(Array.from({ length: 4 }, () => program(first.accessToken)));
    for (const { code } of all) assert.equal(code, 0);
    const tokens = new Set(all.map(({ text }) => text));
    assert.equal(tokens.size, 1);
    const [token = ''] = tokens;
    assert.notEqual(token, first.accessToken);
    const api = createClientApi({
      baseUrl: server.url,
      token: (await fileTokenStore(file).read()) ?? '',
      transport: transportTo(server),
    });
    assert.equal((await api.GET('/current-identity')).data.data.name, 'ada');

    // The session is alive: the old refresh token was not used.
    const { text } = await program(token);
    assert.notEqual(text, token);
    assert.match(text, /^ey/);
  });

  test('are readable by their owner only, and gone when the session has ended', async () => {
    const { accessToken, refreshToken } = await loggedIn();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    chmodSync(file, 0o644);
    await fileTokenStore(file).read();
    assert.equal(statSync(file).mode & 0o777, 0o600);

    await server.post('/oidc/revoke', { form: { client_id: 'overlay', token: refreshToken ?? '' } });
    assert.equal((await program(accessToken)).text, 'refused');
    assert.equal(await fileTokenStore(file).read(), null);
    assert.equal((await program(accessToken)).text, 'not-logged-in');
  });

  test('never go into a file, or through a link, of another user', async () => {
    const tokens = await loggedIn();
    const store = fileTokenStore(file);
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'of somebody else');
    chmodSync(elsewhere, 0o666);
    for (const plant of [symlinkSync, linkSync]) {
      plant(elsewhere, `${file}.new`);
      await store.update(async () => [{ ...tokens }, undefined]);
      assert.equal(readFileSync(elsewhere, 'utf8'), 'of somebody else', plant.name);
      assert.ok(lstatSync(file).isFile());
      assert.equal(statSync(file).mode & 0o777, 0o600);
    }
  });

  test('that are damaged are refused, and stay as they are', async () => {
    await loggedIn();
    for (const text of ['', '{', '[]', 'null', '{"accessToken":1}']) {
      writeFileSync(file, text);
      const store = fileTokenStore(file);
      await assert.rejects(
        store.update(async () => [null, undefined]),
        /remove it, and log in again/,
      );
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  test('stay when a change fails, and the lock is free again', async () => {
    const tokens = await loggedIn();
    const store = fileTokenStore(file);
    await assert.rejects(
      store.update(() => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.deepEqual(await store.read(), tokens);
    await store.update(async (before) => [before, undefined]);
  });

  test('are locked against other programs while another part of this one waits for them', async (t) => {
    const tokens = await loggedIn();
    const other = `
      const { DatabaseSync } = require('node:sqlite');
      try { new DatabaseSync(process.argv[1], { timeout: 0 }).exec('BEGIN EXCLUSIVE'); }
      catch ({ errcode }) { process.exitCode = errcode; }`;
    const busy = 5;
    const { close } = DatabaseSync.prototype;
    const { promise: refused, resolve } = Promise.withResolvers<void>();
    let waiting: Promise<unknown> | undefined;
    await fileTokenStore(file).update(async () => {
      // Each try that finds the lock taken closes its database.
      t.mock.method(DatabaseSync.prototype, 'close', function (this: DatabaseSync) {
        close.call(this);
        resolve();
      });
      waiting = fileTokenStore(file).update(async (before) => [before, undefined]);
      await refused;
      assert.equal(spawnSync(process.execPath, ['-e', other, `${file}.lock`]).status, busy);
      return [tokens, undefined];
    });
    await waiting;
    assert.equal(statSync(`${file}.lock`).mode & 0o777, 0o600);
  });
});
