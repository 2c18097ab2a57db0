import { CliError, usageError } from '../cli-error.ts';
import { asObject, textField } from '../client/json-shape.ts';
import { refuseTakenFile } from '../owner-file.ts';
import { printable } from '../terminal/output.ts';
import { readNewPassword } from '../terminal/secret-input.ts';
import type { AfterCreate } from './descriptor.ts';
import { entityNamed } from './entities.ts';
import { handOutJwt } from './hand-out-jwt.ts';
import { findEntity } from './lookup.ts';

/**
 * `create identity NAME`, with what the identity will log in with: with `--output-jwt` an enrollment whose JWT is
 * written to a file, otherwise a password if one was asked for.
 */
export const newIdentity: AfterCreate = {
  async prepare(report, options, body) {
    const { outputJwt, updb, ottCa } = options;
    if (typeof outputJwt !== 'string') {
      if (ottCa !== undefined) throw usageError('--ott-ca needs --output-jwt.', help);
      return newIdentityPassword.prepare(report, options, body);
    }
    if (updb !== undefined && ottCa !== undefined)
      throw usageError('Either --updb or --ott-ca, not both.', help);
    if (options.passwordStdin === true || options.passwordFile !== undefined)
      throw usageError('With --output-jwt the person chooses the password while enrolling.', help);
    await refuseTakenFile(report.ports, outputJwt);
    const name = textField(body, 'name') ?? '';
    return async (api, identityId) => {
      try {
        const caId =
          typeof ottCa === 'string' ? (await findEntity(api, entityNamed('ca'), ottCa)).id : undefined;
        const wanted =
          caId !== undefined
            ? { method: 'ottca', caId }
            : updb === undefined
              ? { method: 'ott' }
              : { method: 'updb', username: typeof updb === 'string' ? updb : name };
        const json = { identityId, ...wanted };
        const { data } = await api.call({ method: 'POST', path: '/enrollments', json });
        await handOutJwt(report, api, textField(asObject(data), 'id') ?? '', outputJwt);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        throw new CliError(
          `The identity ${name} was created (${identityId}), but its JWT was not written: ${error.message}`,
          {
            exitCode: error.exitCode,
            ...(error.code === undefined ? {} : { code: error.code }),
            ...(error.reference === undefined ? {} : { reference: error.reference }),
            next: `overlay-auth create enrollment ott ${identityId} -o FILE`,
            cause: error,
          },
        );
      }
    };
  },
};

const help = 'overlay-auth create identity --help';

/** `create identity NAME --updb`: the password is asked for first and set in a second call. */
const newIdentityPassword: AfterCreate = {
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
