import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bindPoint, send, sendRaw, startTestListener } from './support.ts';

const path = '/edge/client/v1/version';

describe('the Host header', () => {
  test('a host of the listener is served, in any case', async (t) => {
    const { port } = await startTestListener(t);
    for (const host of [`localhost:${port}`, `LocalHost:${port}`, `LOCALHOST:${port}`]) {
      const answer = await send(port, path, { headers: { host } });
      assert.equal(answer.status, 200, host);
      assert.equal(answer.json.data.issuer, `https://localhost:${port}/oidc`);
    }
  });

  test('a name without its port is the bind point of that name, as some SDKs send it', async (t) => {
    const { port } = await startTestListener(t);
    for (const host of ['localhost', 'LocalHost']) {
      const answer = await send(port, path, { headers: { host } });
      assert.equal(answer.status, 200, host);
      assert.equal(answer.json.data.issuer, `https://localhost:${port}/oidc`);
    }
  });

  test('a host that is not a bind point is misdirected', async (t) => {
    const { port } = await startTestListener(t);
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      'localhos',
      'localhost.',
      `localhost:${port + 1}`,
      `localhost.:${port}`,
      `127.0.0.1:${port}`,
      `localhost:${port}@evil.example`,
      `localhost:0${port}`,
      ` localhost:${port} evil`,
      '__proto__',
    ];
    for (const host of hosts) {
      const answer = await send(port, path, { headers: { host } });
      assert.equal(answer.status, 421, host);
      assert.equal(answer.json.error.code, 'MISDIRECTED_REQUEST');
      assert.ok(!answer.text.includes('evil'), 'the host is not repeated');
    }
  });

  test('no Host, two Hosts and an empty Host are refused', async (t) => {
    const { port } = await startTestListener(t);
    const here = `Host: localhost:${port}\r\n`;
    const table: readonly [string, number][] = [
      ['', 400],
      [`${here}${here}`, 400],
      [`${here}Host: evil.example\r\n`, 400],
      ['Host:\r\n', 421],
    ];
    for (const [lines, status] of table) {
      const answer = await sendRaw(port, `GET ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
      assert.equal(answer.status, status, JSON.stringify(lines));
    }
  });

  test('an absolute target must name the same bind point as the Host header', async (t) => {
    const { port } = await startTestListener(t);
    const table: readonly [string, number][] = [
      [`https://localhost:${port}${path}`, 200],
      [`https://evil.example${path}`, 421],
      [`https://localhost:${port}@evil.example${path}`, 421],
      [`http://localhost:${port}${path}`, 421],
    ];
    for (const [target, status] of table) {
      const answer = await sendRaw(
        port,
        `GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(answer.status, status, target);
    }
  });

  test('forwarding headers change neither issuer nor remote address', async (t) => {
    const { port } = await startTestListener(t);
    const answer = await send(port, path, {
      headers: {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-for': '192.0.2.1',
        'x-real-ip': '192.0.2.1',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example;for=192.0.2.1',
      },
    });
    assert.equal(answer.json.data.issuer, `https://localhost:${port}/oidc`);
    assert.equal(answer.json.data.remote, '127.0.0.1');
  });

  test('bind points of one listener have their own issuers, on ports of their own or on one', async (t) => {
    const apart = await startTestListener(t, {
      listener: { bindPoints: [bindPoint('localhost:0'), bindPoint('b2.test:0')] },
    });
    const [first, second] = apart.running.bindPoints;
    assert.ok(first !== undefined && second !== undefined);
    assert.notEqual(first.interface.port, second.interface.port);
    for (const [here, there] of [
      [first, second],
      [second, first],
    ] as const) {
      const answer = await send(here.interface.port, path, { headers: { host: here.address } });
      assert.equal(answer.json.data.issuer, here.issuer);
      const crossed = await send(here.interface.port, path, { headers: { host: there.address } });
      assert.equal(crossed.status, 421);
    }

    await apart.running.close();
    const shared = first.interface.port;
    const together = await startTestListener(t, {
      listener: {
        bindPoints: [bindPoint(`localhost:${shared}`, shared), bindPoint('b2.test:443', shared)],
      },
    });
    assert.equal(together.port, shared);
    const table = [
      [`localhost:${shared}`, `https://localhost:${shared}/oidc`],
      ['b2.test:443', 'https://b2.test/oidc'],
      ['b2.test', 'https://b2.test/oidc'],
    ] as const;
    for (const [host, issuer] of table) {
      const answer = await send(shared, path, { headers: { host } });
      assert.equal(answer.status, 200, host);
      assert.equal(answer.json.data.issuer, issuer);
    }
  });
});
