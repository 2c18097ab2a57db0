import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { clientOfHome, sandbox, stopped, untilReady } from '../support/command.ts';

interface ListedKey {
  readonly kid: string;
  readonly alg: string;
  readonly use: string;
}

describe('keys', () => {
  test('rotate publishes the next key ahead; --now lets it sign at once', async (t) => {
    const box = sandbox();
    t.after(() => box.close());
    await box.run(['init', '--home', 'h']);
    const config = ['--config', 'h/controller.yml'];
    const list = async (): Promise<ListedKey[]> =>
      JSON.parse((await box.run(['keys', 'list', ...config, '-j'])).stdout);
    const usesOf = async (alg: string) =>
      (await list()).filter((key) => key.alg === alg).map(({ use }) => use);
    assert.deepEqual(
      (await list()).map(({ alg, use }) => `${alg} ${use}`),
      ['ES256 signing', 'RS256 signing'],
    );

    const ahead = await box.run(['keys', 'rotate', ...config]);
    assert.equal(ahead.code, 0, ahead.stderr);
    assert.match(ahead.stdout, /^ES256 [\w-]{43} is published and signs from \d{4}-.*\nRS256 [\w-]{43} is /);
    for (const alg of ['ES256', 'RS256']) assert.deepEqual(await usesOf(alg), ['signing', 'next']);

    const status = JSON.parse((await box.run(['status', ...config, '-j'])).stdout);
    assert.deepEqual(status.signingKeys, await list());
    assert.deepEqual(status.bindPoints, [
      { listener: 'default', interface: '127.0.0.1:1280', issuer: 'https://localhost:1280/oidc' },
    ]);
    assert.equal(status.certificates.length, 4);

    const now = await box.run(['keys', 'rotate', '--now', ...config]);
    assert.match(now.stdout, /^ES256 [\w-]{43} signs from now on\.\nRS256 [\w-]{43} signs from now on\.\n$/);
    const replaced = ahead.stdout.split(' ')[1];
    const made = now.stdout.split(' ')[1];
    const uses = new Map((await list()).map(({ kid, use }) => [kid, use]));
    assert.equal(uses.get(made ?? ''), 'signing');
    assert.equal(uses.get(replaced ?? ''), 'unused');
    const log = readFileSync(join(box.cwd, 'h', 'controller.log'), 'utf8');
    assert.equal(log.match(/command="keys rotate".*event=key\.rotated/g)?.length, 4);
  });

  test('a running controller publishes a key that was made beside it', async (t) => {
    const box = sandbox();
    t.after(() => box.close());
    await box.run(['init', '--home', 'h', '--address', 'localhost:0']);
    const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
    const ready = await untilReady(run);
    const client = clientOfHome(ready.url, join(box.cwd, 'h'));
    t.after(() => client.closeConnections());
    const kids = async () =>
      (await client.get('/oidc/keys')).json.keys.map(({ kid }: { kid: string }) => kid);
    assert.equal((await kids()).length, 2);
    const rotated = await box.run(['keys', 'rotate', '--config', 'h/controller.yml', '-j']);
    const [made] = JSON.parse(rotated.stdout);
    let known = await kids();
    for (let tries = 0; tries < 100 && !known.includes(made.kid); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      known = await kids();
    }
    assert.ok(known.includes(made.kid));
    assert.equal((await stopped(run)).code, 0);
  });

  test('without a configuration it says where one is looked for', async (t) => {
    const box = sandbox();
    t.after(() => box.close());
    for (const args of [
      ['keys', 'list'],
      ['keys', 'rotate'],
    ]) {
      const { code, stderr } = await box.run(args);
      assert.equal(code, 1);
      assert.match(stderr, /^error: \.overlay\/controller\.yml: the file does not exist\./);
    }
  });
});
