import { CliError, usageError } from '../cli-error.ts';
import { textField } from '../client/json-shape.ts';
import { printable } from '../terminal/output.ts';
import { readNewPassword } from '../terminal/secret-input.ts';
import type { AfterCreate } from './descriptor.ts';

/** `create identity NAME --updb`: the password is asked for first and set in a second call. */
export const newIdentityPassword: AfterCreate = {
  async prepare(report, options, body) {
    const { updb } = options;
    if (updb === undefined) {
      if (options.passwordStdin === true || options.passwordFile !== undefined) {
        throw usageError('A password is set only with --updb.', 'overlay-auth create identity --help');
      }
      return undefined;
    }
    const name = textField(body, 'name') ?? '';
    const username = typeof updb === 'string' ? updb : name;
    const password = await readNewPassword(report.ports, options, printable(username));
    return async (api, identityId) => {
      const json = { method: 'updb', identityId, username, password };
      try {
        await api.call({ method: 'POST', path: '/authenticators', json });
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        throw new CliError(
          `The identity ${name} was created (${identityId}), but it has no password yet: ${error.message}`,
          {
            exitCode: error.exitCode,
            ...(error.code === undefined ? {} : { code: error.code }),
            ...(error.reference === undefined ? {} : { reference: error.reference }),
            next: `overlay-auth create authenticator updb ${identityId} USERNAME`,
            cause: error,
          },
        );
      }
    };
  },
};
