import type { Config } from './config.ts';
import type { Problem } from './config-error.ts';
import type { Origins } from './origins.ts';

/**
 * Tries to read every file that the configuration names, and reports the unreadable ones, so that `config validate` and
 * `run --check` find a wrong path before anything starts. Does not look at the contents.
 */
export function findUnreadableFiles(
  loaded: { readonly config: Config; readonly origins: Origins },
  needs: { readonly readFile: (path: string) => unknown },
): readonly Problem[] {
  const { config, origins } = loaded;
  return namedFiles(config).flatMap(([path, file]): readonly Problem[] => {
    const origin = origins.get(path);
    // A listener that uses the default identity names no files.
    if (origin === undefined) return [];
    try {
      needs.readFile(file);
      return [];
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code;
      return [
        {
          message: `${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${String(code ?? error)})`}`,
          file: origin.kind === 'file' ? origin.file : 'configuration',
          line: origin.kind === 'file' ? origin.line : null,
          column: origin.kind === 'file' ? 1 : null,
          path,
          hint: 'Relative paths are relative to the folder of the configuration file.',
        },
      ];
    }
  });
}

/** Each file with the path of the setting that names it. */
function namedFiles(config: Config): readonly (readonly [path: string, file: string])[] {
  const { signingCert } = config.edge.enrollment;
  const identities = [
    { at: 'identity', files: config.identity },
    ...config.listeners.map(({ identity }, index) => ({ at: `web[${index}].identity`, files: identity })),
  ];
  const { logoFile, logoDarkFile } = config.branding;
  const { headersFile = null, caFile = null } = config.telemetry ?? {};
  return [
    ...(logoFile === null ? [] : [['branding.logo', logoFile] as const]),
    ...(logoDarkFile === null ? [] : [['branding.logoDark', logoDarkFile] as const]),
    ['secrets.keyFile', config.secrets.keyFile],
    ...identities.flatMap(({ at, files }): [string, string][] => [
      [`${at}.cert`, files.certFile],
      [`${at}.server_cert`, files.serverCertFile],
      [`${at}.key`, files.keyFile],
      [`${at}.ca`, files.caFile],
    ]),
    ...(signingCert === null
      ? []
      : [
          ['edge.enrollment.signingCert.cert', signingCert.certFile] as const,
          ['edge.enrollment.signingCert.key', signingCert.keyFile] as const,
        ]),
    ...(headersFile === null ? [] : [['telemetry.headersFile', headersFile] as const]),
    ...(caFile === null ? [] : [['telemetry.ca', caFile] as const]),
  ];
}
