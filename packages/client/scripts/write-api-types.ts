// Generates the types of the Edge APIs: npm run client-types, after an endpoint has changed.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../../../test/support/test-server.ts';
import { apiTypes, describedApis } from './api-types.ts';

const server = await startTestServer();
try {
  for (const { root, file } of describedApis) {
    const { json: document } = await server.get(`${root}/openapi.json`);
    writeFileSync(file, await apiTypes(document, root));
    process.stdout.write(`wrote ${fileURLToPath(file)}\n`);
  }
} finally {
  await server.close();
}
