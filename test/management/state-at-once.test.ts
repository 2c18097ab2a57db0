// A document that is applied while another administrator changes the same entities.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

// One thread: it reaches into the store of that.
const server = await serverOfFile({ threads: 1 });
const admin = await rootOf(server);

const apply = (state: object) => admin.call('POST', 'state', { state });
const policy = (name: string, minPasswordLength: number) => ({
  name,
  primary: { updb: { minPasswordLength } },
});
const policies = (one: number, other: number) => ({
  'auth-policy': [policy('one', one), policy('other', other)],
});

test('is not applied if an entity that it leaves as it is was changed meanwhile, as by a document at another node', async (t) => {
  assert.equal((await apply(policies(10, 10))).status, 200);
  const [{ id }] = (await admin.get(`auth-policies?filter=${encodeURIComponent('name="other"')}`)).json.data;
  const { configTypes } = server.store;
  const list = configTypes.list.bind(configTypes);
  // These are read after the policies.
  const meanwhile = t.mock.method(
    configTypes,
    'list',
    async (query: Parameters<typeof list>[0]) => {
      assert.equal((await admin.call('PATCH', `auth-policies/${id}`, policy('other', 14))).status, 200);
      return list(query);
    },
    { times: 1 },
  );
  const document = { ...policies(12, 10), 'config-type': [] };
  assertRefused(await apply(document), 409, 'CONFLICT');
  assert.equal(meanwhile.mock.callCount(), 1);
  const { changed } = (await apply(policies(10, 14))).json.data;
  assert.deepEqual(changed, [], 'nothing of it was applied');
});
