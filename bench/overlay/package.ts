import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Builds this tree as it is published, which is what operators run: nothing has to be stripped of types at a start.
 * @returns the entry file of the package
 */
export function buildPackage(folder: string): string {
  const target = join(folder, 'package');
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), target], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(target, 'src', 'main.js');
}
