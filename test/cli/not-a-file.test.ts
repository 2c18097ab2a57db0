// Pipes, devices, sockets and folders where the configuration names files. Opening a pipe waits for its writer.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { clientOfHome, sandbox, stopped, untilReady } from '../support/command.ts';

const makePipe = (path: string) => void execFileSync('mkfifo', [path]);

describe('what is not a file', { skip: process.platform === 'win32' }, () => {
  test('is refused by name at a reload, also beside other mistakes, and the controller answers on', async (t) => {
    await using box = sandbox();
    await box.home('h', 'localhost:0');
    const [file, cert] = ['controller.yml', 'pki/server.cert.pem'].map((name) => join(box.cwd, 'h', name));
    assert.ok(file !== undefined && cert !== undefined);
    const run = box.start(['run', 'controller', file, '--log-format', 'json']);
    const { url } = await untilReady(run);
    const client = clientOfHome(url, join(box.cwd, 'h'));
    t.after(async () => client.closeConnections());
    const reload = () => box.run(['config', 'reload', '--config', file]);
    const text = readFileSync(file, 'utf8');
    renameSync(cert, `${cert}.aside`);
    makePipe(cert);
    for (const [yaml, words] of [
      [text, /server\.cert\.pem cannot be read: it is a pipe or a device, not a file/],
      [text.replace('v: 3', 'v: 9'), /controller\.yml:\d+:\d+: v: /],
    ] as const) {
      writeFileSync(file, yaml);
      const { code, stderr } = await reload();
      assert.match(stderr, words);
      assert.equal(code, 1);
      assert.equal((await client.get('/oidc/.well-known/openid-configuration')).status, 200);
    }
    renameSync(`${cert}.aside`, cert);
    renameSync(file, `${file}.aside`);
    makePipe(file);
    assert.match((await reload()).stderr, /controller\.yml.*cannot be read: it is a pipe or a device/);
    writeFileSync(`${file}.aside`, text);
    renameSync(`${file}.aside`, file);
    assert.equal((await reload()).stdout, 'Read again; no setting has changed.\n');
    assert.equal((await stopped(run)).code, 0);
  });

  test('is refused by name at the start, whatever it is and whichever file it replaces', async () => {
    await using box = sandbox();
    await box.home('h', 'localhost:0');
    const socket = createServer().listen(join(box.cwd, 's'));
    await once(socket, 'listening');
    const kinds = [
      [makePipe, /it is a pipe or a device, not a file/],
      [mkdirSync, /it is a folder/],
      [(path: string) => symlinkSync('/dev/zero', path), /it is a pipe or a device, not a file/],
      [(path: string) => symlinkSync(join(box.cwd, 's'), path), /it is a socket, not a file/],
    ] as const;
    const names = ['controller.yml', 'secrets/master.key', 'pki/ca-bundle.pem', 'pki/client-ca.key.pem'];
    for (const [index, [make, reason]] of kinds.entries()) {
      const name = names[index % names.length] ?? '';
      for (const one of index === 0 ? names : [name]) {
        const path = join(box.cwd, 'h', one);
        renameSync(path, `${path}.aside`);
        make(path);
        const { code, stderr } = await box.run(['run', 'controller', 'h/controller.yml']);
        assert.match(stderr, reason, `${one}: ${stderr}`);
        assert.ok(stderr.includes(one), stderr);
        assert.equal(code, 1);
        rmSync(path, { recursive: true });
        renameSync(`${path}.aside`, path);
      }
    }
    socket.close();
    await once(socket, 'close');
  });

  test('is a pipe that the shell opens for one command, and is read', () => {
    const script = 'echo v: 9 | "$0" "$1" config validate /dev/stdin';
    const program = new URL('../../src/main.ts', import.meta.url).pathname;
    const { stderr } = spawnSync('sh', ['-c', script, process.execPath, program], { encoding: 'utf8' });
    assert.match(stderr, /\/dev\/stdin:1:4: v: /);
  });
});
