import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { parseRedirectUri } from '../../config/redirect-uris.ts';
import { originsOfApplications } from './cors.ts';

const clientAt = (...uris: string[]) =>
  ({ type: 'public', apiAccess: true, redirectPatterns: uris.map(parseRedirectUri) }) as const;

test('a request that names an origin costs the same however many redirect URIs are registered', () => {
  const hosts = Array.from({ length: 5000 }, (_, at) => `https://app-${at}.example.com`);
  const client = clientAt(...hosts.map((host) => `${host}/callback`));
  const isAllowed = originsOfApplications(() => [client]);
  assert.equal(isAllowed(hosts.at(-1) ?? '', true), true);
  assertCostsLess(200, () => {
    for (let requests = 0; requests < 1000; requests += 1)
      assert.equal(isAllowed('https://foreign.example', true), false);
  });
});

test('a redirect URI that is taken from an application no longer allows its origin', () => {
  let clients = [clientAt('https://a.example/callback', 'https://b.example/callback')];
  const isAllowed = originsOfApplications(() => clients);
  const allowed = () => ['https://a.example', 'https://b.example'].map((origin) => isAllowed(origin, true));
  assert.deepEqual(allowed(), [true, true]);
  clients = [clientAt('https://b.example/callback')];
  assert.deepEqual(allowed(), [false, true]);
});
