// The controller with every part as it is but one: passwords are not hashed. What a login costs beside its hash
// would otherwise be lost in the variation of the hash.

import { readFileSync } from 'node:fs';
import { loadConfig } from '../../src/config/load.ts';
import { startController } from '../../src/controller/controller.ts';
import { openFoundations } from '../../src/controller/foundations.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openLogger } from '../../src/platform/log/logger.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { HashPool } from '../../src/platform/secrets/hash-pool.ts';

const { config } = loadConfig(process.argv[2] ?? '', {
  readFile: (path) => readFileSync(path, 'utf8'),
  env: {},
});
const log = openLogger({ level: config.log.level, format: config.log.format, to: 'stdout' });
const foundations = await openFoundations({ config, clock: systemClock, random: systemRandom, log, env: {} });
const { hashPool } = foundations;
const free: HashPool = {
  cost: hashPool.cost,
  hash: (password, source) => hashPool.hash(password, source),
  verify: async (phc) => phc !== null,
  depth: () => hashPool.depth(),
  close: () => hashPool.close(),
};
await startController({ ...foundations, hashPool: free });
