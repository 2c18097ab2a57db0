import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { login } from '../support/flow.ts';
import { serverOfRoot } from './support.ts';

const { server, cli: admin } = await serverOfRoot();

const fine = (...args: readonly string[]) => admin.exits(0, args);

async function use(url: string, chosen: string): Promise<number> {
  const t = new URL(url).searchParams.get('t') ?? '';
  const form = { t, password: chosen, repeated: chosen };
  return (await server.post('/invite', { form, headers: { accept: 'text/html' } })).status;
}

test('a person without a password is invited, and chooses one', async () => {
  await fine('create', 'identity', 'ana');
  const { stdout } = await fine('invite', 'ana');
  const [url = ''] = stdout.split('\n');
  assert.ok(url.startsWith(`${server.url}/invite?t=`), stdout);
  assert.match(stdout, /works once, until .* choose the password of ana/);
  assert.equal(await use(url, 'eleven loud umbrellas'), 200);
  assert.equal(typeof (await login(server, 'ana', 'eleven loud umbrellas')).access_token, 'string');
});

test("a link is written to its owner's file, drawn, and returned to programs", async () => {
  await fine('create', 'identity', 'ben');
  const file = join(admin.cwd, 'ben.url');
  const { stdout } = await fine('invite', 'ben', '--expires', '7d', '-o', file);
  const url = readFileSync(file, 'utf8').trim();
  assert.ok(!stdout.includes('/invite?t='), stdout);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(url, /\/invite\?t=[\w-]{91}$/);
  // A taken name is refused before the link in the file is replaced.
  await admin.exits(2, ['invite', 'ben', '-o', file]);
  assert.equal(await use(url, 'eleven loud umbrellas'), 200);

  const drawn = await fine('invite', 'ben', '--qr', '--end-sessions');
  assert.match(drawn.stdout, /[█▀▄]/);
  const { json } = await fine('invite', 'ben', '--expires', '90m', '-j');
  assert.deepEqual(Object.keys(json).sort(), ['expiresAt', 'id', 'name', 'url']);
  await fine('invite', 'ben', '--withdraw');
  assert.equal(await use(json.url, 'twelve loud umbrellas'), 404);
});

test('impossible requests are refused with advice', async () => {
  await fine('create', 'identity', 'dora');
  for (const [args, code, text] of [
    [['invite', 'nobody'], 1, /nobody/],
    [['invite', 'dora', '--expires', '1m'], 1, /5 minutes/],
    [['invite', 'dora', '--withdraw', '--qr'], 2, /--withdraw and --qr exclude each other/],
    [['invite', 'dora', '--withdraw'], 1, /next:/],
  ] as const) {
    const outcome = await admin.run([...args]);
    assert.equal(outcome.code, code, outcome.stderr);
    assert.match(outcome.stderr, text);
  }
});
