import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { FetchRefused } from '../../platform/network/fetch-refused.ts';
import { providerDirectory } from './provider-endpoints.ts';

const address = 'https://idp.example';
const document = {
  issuer: address,
  authorization_endpoint: `${address}/authorize`,
  token_endpoint: `${address}/token`,
};

/** A directory whose fetches end as listed, one after the other. */
function directory(...ends: readonly (object | Error)[]) {
  const left = [...ends];
  async function get(): Promise<Buffer> {
    const end = left.shift();
    if (end === undefined || end instanceof Error) throw end ?? new Error('fetched once too often');
    return Buffer.from(JSON.stringify(end));
  }
  return providerDirectory({ client: { get }, clock: fixedClock(0) });
}

test('a discovery document is fetched once, and a refusal is remembered too', async () => {
  const found = directory(document);
  assert.deepEqual(await found.find(address), await found.find(address));
  const missing = directory(new FetchRefused('host'));
  assert.match(String(await missing.find(address)), /^https:\/\/idp\.example\/\.well-known/);
  assert.equal(await missing.find(address), await missing.find(address));
});

test('a failure of our own rejects the call that met it, nothing else, and is not kept', async (t) => {
  const unhandled = t.mock.fn();
  process.on('unhandledRejection', unhandled);
  t.after(() => process.off('unhandledRejection', unhandled));
  const providers = directory(new Error('the roots cannot be read'), document);
  await assert.rejects(providers.find(address), /the roots cannot be read/);
  await setImmediate();
  assert.equal(unhandled.mock.callCount(), 0);
  assert.deepEqual(await providers.find(address), {
    issuer: address,
    authorizationEndpoint: document.authorization_endpoint,
    tokenEndpoint: document.token_endpoint,
    promisesIssuer: false,
    assertionAlgs: null,
  });
});
