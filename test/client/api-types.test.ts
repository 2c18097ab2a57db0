import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { apiTypes, describedApis } from '../../packages/client/scripts/api-types.ts';
import { startTestServer } from '../support/test-server.ts';

test('the types of the client library are those of the OpenAPI documents', async () => {
  await using server = await startTestServer();
  for (const { root, file } of describedApis) {
    const { json: document } = await server.get(`${root}/openapi.json`);
    const isCurrent = readFileSync(file, 'utf8') === (await apiTypes(document, root));
    assert.ok(isCurrent, `the types of ${root} are not current: run npm run client-types, and commit`);
  }
});
