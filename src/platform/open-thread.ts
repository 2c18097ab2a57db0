import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * Starts a thread from a file beside the caller's, from the sources as well as from the build. The environment may
 * contain secrets that the thread does not need, so it gets only the cache folder of compiled code: without that, every
 * thread would load the TypeScript compiler, which costs 20 MB. A thread that opens files and databases like the
 * process gets the whole environment.
 * @param module  file name without its extension
 * @param besides `import.meta.url` of the caller
 */
export function openThread(
  module: string,
  besides: string,
  options: { name: string; workerData?: unknown; hasEnvironment?: boolean },
): Worker {
  const file = new URL(`./${module}${extname(besides)}`, besides);
  // This folder contains one for each version of the runtime.
  const cache = getCompileCacheDir();
  const { hasEnvironment = false, ...given } = options;
  return new Worker(file, {
    ...given,
    env: {
      ...(hasEnvironment ? process.env : {}),
      ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }),
    },
  });
}
