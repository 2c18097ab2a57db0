import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { tcpProxy } from './tcp-proxy.ts';

describe('the proxy that tests cut', async () => {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  async function echo(word: string): Promise<number> {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (data) => socket.write(`${word}:${data}`));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ends.push(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    return address.port;
  }
  async function dial(port: number): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1' });
    ends.push(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  }
  async function ask(socket: Socket, text: string): Promise<string> {
    socket.write(text);
    const [data] = await once(socket, 'data');
    return String(data);
  }

  it('carries bytes, resets what is open when it is cut, and is whole again after', async () => {
    const proxy = await tcpProxy(await echo('a'));
    ends.push(() => proxy.close());
    const socket = await dial(proxy.port);
    assert.equal(await ask(socket, 'hello'), 'a:hello');
    const failure = once(socket, 'error');
    proxy.cut();
    assert.equal((await failure)[0].code, 'ECONNRESET');
    const refused = connect({ port: proxy.port, host: '127.0.0.1' });
    assert.equal((await once(refused, 'error'))[0].code, 'ECONNRESET');
    proxy.heal();
    assert.equal(await ask(await dial(proxy.port), 'again'), 'a:again');
  });

  it('keeps silent while it is frozen, and resets what hung when it heals', async () => {
    const proxy = await tcpProxy(await echo('a'));
    ends.push(() => proxy.close());
    const socket = await dial(proxy.port);
    assert.equal(await ask(socket, '1'), 'a:1');
    proxy.freeze();
    let heard = '';
    socket.on('data', (data) => {
      heard += data;
    });
    socket.write('2');
    const late = await dial(proxy.port);
    late.write('3');
    late.on('data', (data) => {
      heard += data;
    });
    // A round trip over another wire takes long enough for an answer to arrive.
    const other = await tcpProxy(await echo('b'));
    ends.push(() => other.close());
    assert.equal(await ask(await dial(other.port), 'x'), 'b:x');
    assert.equal(heard, '');
    const gone = Promise.all([once(socket, 'error'), once(late, 'error')]);
    proxy.heal();
    await gone;
    assert.equal(await ask(await dial(proxy.port), '4'), 'a:4');
  });

  it('leads to another port when it is told to', async () => {
    const proxy = await tcpProxy(await echo('a'));
    ends.push(() => proxy.close());
    const socket = await dial(proxy.port);
    assert.equal(await ask(socket, '1'), 'a:1');
    const gone = once(socket, 'error');
    proxy.pointTo(await echo('b'));
    await gone;
    assert.equal(await ask(await dial(proxy.port), '2'), 'b:2');
  });
});
