// The outbound client behind a real CONNECT proxy, which looks names up itself.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { parseIpRange } from '../../src/config/addresses.ts';
import type { JwksFetchConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type FetchRefusal, FetchRefused } from '../../src/platform/network/fetch-refused.ts';
import { type OutboundNeeds, outboundClient } from '../../src/platform/network/outbound-client.ts';
import { createRootCa, issueServerCertificate } from '../../src/platform/x509/pki.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { noLimits } from '../support/outbound-limits.ts';

const needs = { clock: systemClock };
const ca = await createRootCa(needs, { commonName: 'Root of a provider', days: 3 });
const issued = await issueServerCertificate(needs, {
  dnsNames: ['idp.corp.invalid', 'near.corp.invalid'],
  ips: ['127.0.0.1', '203.0.113.9'],
  days: 2,
  ca,
});
const identity = { cert: issued.certPem, key: issued.keyPem };
let redirect: string | null = null;
const bodies: string[] = [];
const provider = createServer(identity, async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  bodies.push(body);
  if (redirect === null) response.end('{"keys":[]}');
  else response.writeHead(302, { location: redirect }).end();
});
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
const { port } = provider.address() as AddressInfo;
const proxy = await startConnectProxy(port);
const secureProxy = await startConnectProxy(port, identity);
after(async () => {
  await Promise.all([proxy.close(), secureProxy.close()]);
  provider.close();
});
beforeEach(() => {
  redirect = null;
  proxy.asked.length = 0;
  bodies.length = 0;
  proxy.answer(null);
  proxy.demand(null);
});

const wanted = { accept: 'application/json', maxBytes: 100_000 };
const known = new Map([
  ['public.example', ['93.184.216.34']],
  ['private.example', ['10.0.0.7', '10.0.0.8']],
  ['metadata.example', ['169.254.169.254']],
  ['near.corp.invalid', ['127.0.0.1']],
]);
const resolve: NonNullable<OutboundNeeds['resolve']> = async (name) => {
  if (name === 'slow.invalid') return new Promise(() => undefined);
  const found = known.get(name);
  if (found === undefined) throw new Error('ENOTFOUND');
  return found.map((address) => ({ address, family: 4 }));
};

function client(changed: Partial<JwksFetchConfig> = {}, more: OutboundNeeds = {}) {
  const limits = { ...noLimits, blockPrivateAddresses: true, proxy: proxy.url, ...changed };
  return outboundClient(limits, { trustedRoots: [ca.certPem], resolve, ...more });
}

async function assertRefused(fetch: Promise<unknown>, reason: FetchRefusal, about: string): Promise<void> {
  await assert.rejects(fetch, (error) => {
    assert.ok(error instanceof FetchRefused, `${about}: ${String(error)}`);
    assert.equal(error.reason, reason, about);
    return true;
  });
}

describe('behind a proxy', () => {
  test('a name that only the proxy can resolve is reached, and proves who it is inside the tunnel', async () => {
    for (const [through, url] of [
      [proxy, proxy.url],
      [secureProxy, secureProxy.url],
      [proxy, `${proxy.url}/`],
    ] as const) {
      const body = await client({ proxy: url }).get('https://idp.corp.invalid/keys', wanted);
      assert.equal(body.toString(), '{"keys":[]}');
      assert.equal(through.asked.pop(), 'idp.corp.invalid:443');
    }
    await client().postForm('https://idp.corp.invalid:8443/token', { code: 'a b' }, wanted);
    assert.deepEqual([bodies.pop(), proxy.asked.pop()], ['code=a+b', 'idp.corp.invalid:8443']);
  });

  test('a certificate for another name, or of an unknown root, is refused inside the tunnel', async () => {
    await assertRefused(client().get('https://elsewhere.invalid/keys', wanted), 'tls-name', 'another name');
    const distrusting = client({}, { trustedRoots: [] });
    await assertRefused(distrusting.get('https://idp.corp.invalid/keys', wanted), 'tls', 'unknown root');
    await assertRefused(
      client({ proxy: secureProxy.url }, { trustedRoots: [] }).get('https://idp.corp.invalid/', wanted),
      'proxy',
      'unknown root of the proxy',
    );
    assert.equal(bodies.length, 0);
  });

  test('targets that we can judge are refused before the proxy is asked: names, bare addresses, what names lead to', async () => {
    for (const [url, reason, limits] of [
      ['https://10.0.0.1/', 'private-address', {}],
      ['https://[fd00::1]/', 'private-address', {}],
      ['https://169.254.169.254/latest', 'address', { blockPrivateAddresses: false }],
      ['https://[::ffff:169.254.169.254]/', 'address', { blockPrivateAddresses: false }],
      ['https://private.example/', 'private-address', {}],
      ['https://metadata.example/', 'address', { additionalHostnames: ['metadata.example'] }],
      ['https://public.example/', 'host', { deniedHostnames: ['public.example'] }],
      ['https://public.example/', 'host', { allowedHostnames: ['idp.corp.invalid'] }],
      ['https://public.example/', 'address', { deniedIPs: [parseIpRange('93.184.216.0/24')] }],
      ['http://public.example/', 'scheme', {}],
    ] as const)
      await assertRefused(client(limits).get(url, wanted), reason, url);
    redirect = 'https://169.254.169.254/latest';
    await assertRefused(client().get('https://idp.corp.invalid/', wanted), 'address', 'a redirect');
    assert.deepEqual(proxy.asked, ['idp.corp.invalid:443']);
  });

  test('a name that leads to a private network here is asked for there once it is allowed', async () => {
    for (const limits of [
      { additionalHostnames: ['private.example'] },
      { allowedHostnames: ['private.example'] },
      { blockPrivateAddresses: false },
    ]) {
      // Its certificate is that of the provider, so it gets as far as the tunnel.
      await assertRefused(
        client(limits).get('https://private.example/', wanted),
        'tls-name',
        JSON.stringify(limits),
      );
      assert.equal(proxy.asked.pop(), 'private.example:443');
    }
  });

  test('a slow look-up of ours does not use up the time of the fetch', async () => {
    const slow = client({ timeout: 1000 }).get('https://slow.invalid/', wanted);
    await assertRefused(slow, 'tls-name', 'the tunnel was opened');
    assert.equal(proxy.asked.pop(), 'slow.invalid:443');
  });

  test('noProxy and this machine are asked directly', async () => {
    const get = (host: string, noProxy: JwksFetchConfig['noProxy']) =>
      client({ noProxy, blockPrivateAddresses: false }).get(`https://${host}:${port}/`, wanted);
    for (const [host, noProxy] of [
      ['near.corp.invalid', ['near.corp.invalid']],
      ['near.corp.invalid', ['.corp.invalid']],
      ['near.corp.invalid', ['.invalid', 'other.example']],
      ['127.0.0.1', []],
      ['127.0.0.1', [parseIpRange('10.0.0.0/8')]],
    ] as const)
      await get(host, noProxy);
    assert.deepEqual(proxy.asked, []);
    // A name that only ends in the same letters is another one.
    for (const noProxy of [['r.corp.invalid'], ['.near.corp.invalid'], ['corp.invalid']])
      await get('near.corp.invalid', noProxy);
    assert.equal(proxy.asked.length, 3);
  });

  test('gets user and password of its URL, and is not mistaken for the server', async () => {
    proxy.demand(`Basic ${Buffer.from('ada:p@ss:w/rd').toString('base64')}`);
    const get = (url: string) => client({ proxy: url }).get('https://idp.corp.invalid/', wanted);
    const named = (credentials: string) => proxy.url.replace('//', `//${credentials}@`);
    assert.equal((await get(named('ada:p%40ss%3Aw%2Frd'))).toString(), '{"keys":[]}');
    await assertRefused(get(named('ada:wrong')), 'proxy-refused', 'wrong password');
    await assertRefused(get(proxy.url), 'proxy-refused', 'no password');
    for (const answer of [
      'HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\n{}',
      'HTTP/1.1 302 Found\r\nlocation: https://idp.corp.invalid/\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{"keys":[]}',
      'HTTP/1.1 502 Bad Gateway\r\n\r\n',
    ]) {
      proxy.answer(answer);
      await assertRefused(get(proxy.url), 'proxy-refused', answer);
    }
    proxy.answer('SSH-2.0\r\n\r\n');
    await assertRefused(get(proxy.url), 'proxy', 'another protocol');
    await assertRefused(get('http://127.0.0.1:1'), 'proxy', 'nothing listens there');
  });
});

describe('additional hosts', () => {
  test('may have private addresses, while all public ones stay reachable', async () => {
    const url = `https://near.corp.invalid:${port}/`;
    const direct = (limits: Partial<JwksFetchConfig>) => client({ proxy: null, ...limits });
    await assertRefused(direct({}).get(url, wanted), 'private-address', 'not additional');
    const additional = { additionalHostnames: ['near.corp.invalid'] };
    await direct(additional).get(url, wanted);
    await direct({ ...additional, allowedIPs: [parseIpRange('93.184.216.34')] }).get(url, wanted);
    await direct({ ...additional, allowedHostnames: ['public.example'] }).get(url, wanted);
    const denied = { ...additional, deniedIPs: [parseIpRange('127.0.0.0/8')] };
    await assertRefused(direct(denied).get(url, wanted), 'address', 'denied');
    // Others are judged as before.
    await assertRefused(direct(additional).get('https://10.0.0.1/', wanted), 'private-address', 'another');
  });
});
