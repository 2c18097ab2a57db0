// Which build is running. A published package has it in its package.json; a clone uses the release and the age of its
// sources instead.

import { statSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import type { Build } from '../http/request/services.ts';
import { isoTime } from '../platform/clock.ts';

/** Members that `scripts/build.mjs` adds to the package.json of a package. */
interface Built {
  readonly build?: Pick<Build, 'revision' | 'date'>;
}

export function thisBuild(): Build {
  const { build }: Built = packageJson as Built;
  const { revision, date } = build ?? { revision: packageJson.version, date: dateOfSources() };
  return { revision, date, runtime: `node v${process.versions.node.split('.')[0]}` };
}

function dateOfSources(): string {
  return isoTime(Math.floor(statSync(new URL('../../package.json', import.meta.url)).mtimeMs));
}
