import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * Starts a thread of ours from a file beside the one that asks; runs from the sources and from what is built of
 * them alike. Its environment may hold secrets that the thread has no use for, so it gets nothing of it but the
 * place of compiled code: without that, every thread would load the compiler of TypeScript, which costs 20 MB. One that
 * opens files and databases as the process does has the whole of it.
 * @param module  file name without its extension
 * @param besides `import.meta.url` of the one that asks
 */
export function openThread(
  module: string,
  besides: string,
  options: {
    readonly name: string;
    readonly workerData?: unknown;
    readonly hasEnvironment?: boolean;
  },
): Worker {
  const file = new URL(`./${module}${extname(besides)}`, besides);
  // The folder that is named here holds one for each version of the runtime.
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
