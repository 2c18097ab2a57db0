import assert from 'node:assert/strict';
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { memoryLogger } from '../../../../test/support/memory-logger.ts';
import { openControlSocket } from './control-socket.ts';

const isWindows = process.platform === 'win32';
const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-control-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function newPath(): string {
  count += 1;
  return join(folder, `${count}.sock`);
}

const refused = { outcome: 'refused', reason: 'for this test' } as const;
async function open(path: string) {
  const log = memoryLogger();
  const control = { reload: async () => refused, health: async () => [] };
  const { close } = await openControlSocket(
    { file: path.replace(/\.sock$/, ''), platform: process.platform, log },
    control,
  );
  const isReachable = !log.entries.some(({ message }) => message.includes('SIGHUP only'));
  return { close, isReachable };
}

/** What comes back for a text, when the other side has closed. */
function ask(path: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(path, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', () => {}).once('close', () => resolve(answer));
  });
}

describe('the control socket', { skip: isWindows }, () => {
  test('belongs to its owner, answers one word, and ends with the controller', async () => {
    const path = newPath();
    const control = await open(path);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(await ask(path, 'reload\n')), refused);
    for (const other of ['stop\n', 'reload now\n', 'GET / HTTP/1.1\r\n\r\n', '\n', 'reload\nhealth\n']) {
      assert.equal(await ask(path, other), '', other);
    }
    await control.close();
    assert.equal(existsSync(path), false);
  });

  test('replaces one that a killed controller left behind', async () => {
    const path = newPath();
    const left = createServer();
    await new Promise<void>((resolve) => left.listen(`${path}.other`, resolve));
    // Another name for the same socket stays when the server closes, as after a kill.
    linkSync(`${path}.other`, path);
    await new Promise((resolve) => left.close(resolve));
    const control = await open(path);
    assert.ok(control.isReachable);
    await control.close();
  });

  test('leaves a controller alone that answers there', async () => {
    const path = newPath();
    const [first, second] = [await open(path), await open(path)];
    assert.deepEqual([first.isReachable, second.isReachable], [true, false]);
    await second.close();
    assert.deepEqual(JSON.parse(await ask(path, 'reload\n')), refused);
    await first.close();
  });

  test('removes only sockets, neither a file nor a link', async () => {
    const [file, link] = [newPath(), newPath()];
    const target = join(folder, 'target');
    for (const path of [file, target]) writeFileSync(path, 'of somebody');
    symlinkSync(target, link);
    for (const path of [file, link]) {
      const control = await open(path);
      assert.equal(control.isReachable, false);
      await control.close();
      assert.equal(readFileSync(path, 'utf8'), 'of somebody');
    }
  });
});
