// The dependencies of the lockfile, without those of development, for what is packed.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Installs them as the lockfile has them, checked by their hashes; needs the registry of npm.
 * @param folder must not exist
 * @returns {string} their `node_modules`
 */
export function installLocked(folder) {
  const manifests = ['client', 'import-ziti'].map((name) => `packages/${name}/package.json`);
  for (const name of ['package.json', 'package-lock.json', ...manifests]) {
    cpSync(join(root, name), join(folder, name));
  }
  const words = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (npm.status !== 0) {
    throw new Error(`npm ended with ${npm.status ?? npm.error?.message}: ${npm.stdout}${npm.stderr}`);
  }
  const modules = join(folder, 'node_modules');
  // Of the workspace; what is published holds it already.
  rmSync(join(modules, '@overlay-auth'), { recursive: true, force: true });
  for (const name of ['.bin', '.package-lock.json'])
    rmSync(join(modules, name), { recursive: true, force: true });
  removeWhatOnlyEditorsRead(modules);
  return modules;
}

/** Types and source maps: a sixth of the dependencies, and nothing that runs reads them. */
function removeWhatOnlyEditorsRead(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(?:map|d\.[cm]?ts)$/.test(entry.name))
      rmSync(join(entry.parentPath, entry.name));
  }
}
