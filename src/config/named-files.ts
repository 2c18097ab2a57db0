import { fileErrorReason, isFileError } from '../platform/file-error-reason.ts';
import type { Config } from './config.ts';
import { formatPath, type Problem } from './config-error.ts';
import { nodesAt, valueAt } from './described-file.ts';
import { leafPaths, toFileShape } from './file-shape.ts';
import type { Origins } from './origins.ts';

/**
 * Tries to read every file that the configuration names, and reports the unreadable ones, so that `config validate` and
 * `run --check` find a wrong path before anything starts. Does not look at the contents.
 */
export function findUnreadableFiles(
  { config, origins }: { readonly config: Config; readonly origins: Origins },
  needs: { readonly readFile: (path: string) => unknown },
): readonly Problem[] {
  const shape = toFileShape(config);
  const named = leafPaths(shape).filter((path) =>
    nodesAt(shape, path).some(({ isFile, isFolder }) => isFile && !isFolder),
  );
  return named.flatMap((at): readonly Problem[] => {
    const path = formatPath(at);
    const file = String(valueAt(shape, at));
    const origin = origins.get(path);
    try {
      needs.readFile(file);
      return [];
    } catch (error) {
      const isMissing = isFileError(error) && error.code === 'ENOENT';
      return [
        {
          message: `${file} ${isMissing ? 'does not exist' : `cannot be read: ${fileErrorReason(error)}`}`,
          file: origin?.kind === 'file' ? origin.file : 'configuration',
          line: origin?.kind === 'file' ? origin.line : null,
          column: origin?.kind === 'file' ? 1 : null,
          path,
          hint: isMissing ? 'Relative paths are relative to the folder of the configuration file.' : null,
        },
      ];
    }
  });
}
