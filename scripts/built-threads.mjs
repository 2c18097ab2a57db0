// Lets threads that tests start run from the built program: reading fifty sources for each costs more than all else
// that a thread does at its start. The same code either way; the build is what people run.
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';

const sources = fileURLToPath(new URL('../src', import.meta.url));

/** @param program the main file of the build */
export function useBuiltThreads(program) {
  const built = (file) => {
    if (!(file instanceof URL) || file.protocol !== 'file:') return file;
    const inBuild = new URL(
      relative(sources, fileURLToPath(file)).replace(/\.ts$/, '.js'),
      pathToFileURL(`${dirname(program)}/`),
    );
    return existsSync(inBuild) ? inBuild : file;
  };
  threads.Worker = class Worker extends threads.Worker {
    constructor(file, options) {
      super(built(file), options);
    }
  };
  syncBuiltinESMExports();
}
