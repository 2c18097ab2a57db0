// Builds every package and tries it: `npm run packages`. Says what it does, what came of it, and what it skipped and why.
//   node packaging/try.mjs              all
//   node packaging/try.mjs 'npm pack'   those whose names contain it
// The Debian package and the image are tried in roots made from Debian's packages; that takes root and debootstrap.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryDebian } from './trials/debian.mjs';
import { tryImage } from './trials/image.mjs';
import { tryNpm } from './trials/npm.mjs';
import { Skipped } from './trials/running.mjs';
import { trySystemd } from './trials/systemd.mjs';
import { tryUnit } from './trials/unit.mjs';

const trials = {
  'npm package': tryNpm,
  'systemd unit': tryUnit,
  'Debian package': tryDebian,
  'Debian package under systemd': trySystemd,
  'container image': tryImage,
};

let failed = 0;
const wanted = process.argv[2] ?? '';
const chosen = Object.entries(trials).filter(([name]) => name.toLowerCase().includes(wanted.toLowerCase()));
if (chosen.length === 0) {
  process.stderr.write(`error: no trial is called ${wanted}: ${Object.keys(trials).join(', ')}\n`);
  failed = 1;
}
for (const [name, trial] of chosen) {
  process.stderr.write(`${name} …\n`);
  const work = mkdtempSync(join(tmpdir(), 'overlay-auth-packages-'));
  try {
    process.stdout.write(`ok       ${name}: ${await trial(work)}\n`);
  } catch (error) {
    const isSkipped = error instanceof Skipped;
    if (!isSkipped) failed += 1;
    process.stdout.write(`${isSkipped ? 'skipped ' : 'FAILED  '} ${name}: ${error.message}\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
process.exitCode = failed === 0 ? 0 : 1;
