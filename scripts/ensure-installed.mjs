// Installs the dependencies when they are missing or not those of the lockfile, so that `npm start` and `npm test`
// work in a fresh clone. Plain JavaScript without imports from node_modules, because it runs on any Node that the
// system has.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const stamp = 'node_modules/.overlay-auth-installed';
const lockfile = readFileSync('package-lock.json', 'utf8');
const wanted = createHash('sha256').update(lockfile).digest('hex');
const have = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';

if (have !== wanted) {
  if (!isInstalled()) install();
  writeFileSync(stamp, wanted);
}

/** Whether `npm ci` was run already: npm notes what it has installed. */
function isInstalled() {
  let installed;
  try {
    installed = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')).packages;
  } catch {
    return false;
  }
  // The runtime is optional for npm, because each platform has its own; without one it is worth another try.
  if (!existsSync('node_modules/.bin/node')) return false;
  const packages = Object.entries(JSON.parse(lockfile).packages).filter(([path]) => path !== '');
  const paths = new Set(packages.map(([path]) => path));
  return (
    Object.keys(installed).every((path) => paths.has(path)) &&
    packages.every(([path, { version, integrity, optional }]) => {
      const found = installed[path];
      // What is for another platform is left out.
      if (found === undefined) return optional === true;
      return found.version === version && found.integrity === integrity && existsSync(path);
    })
  );
}

function install() {
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
}
