// Installs the dependencies when they are missing or older than the lockfile, so that
// `npm start` and `npm test` work in a fresh clone. Plain JavaScript without imports from
// node_modules, because it runs on whatever Node the system has.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const stamp = 'node_modules/.overlay-auth-installed';
const wanted = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
const have = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';

if (have !== wanted) {
  process.stderr.write('Installing dependencies (first run or the lockfile changed) …\n');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) {
    process.stderr.write(
      'The dependencies could not be installed. Check the connection to the npm registry, then run the same command again.\n',
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
