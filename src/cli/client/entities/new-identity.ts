import { textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError, notice } from '../../terminal/output.ts';
import { isPrompted, readNewPassword } from '../../terminal/secret-input.ts';
import type { ApiClient } from '../connection/api-client.ts';
import type { AfterCreate } from './descriptor.ts';
import { handOutJwt } from './enrollment-actions.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

/**
 * `create identity NAME`, with the identity's credentials: with `--output-jwt` an enrollment whose JWT is
 * written to a file, otherwise a password if requested.
 */
export const newIdentity: AfterCreate = {
  async prepare(report, options, body) {
    const { outputJwt, updb, ottCa } = options;
    if (typeof outputJwt !== 'string') return newIdentityPassword.prepare(report, options, body);
    const name = textField(body, 'name') ?? '';
    return async (api, create) => {
      const caId =
        typeof ottCa === 'string' ? (await findEntity(api, entityNamed('ca'), ottCa)).id : undefined;
      const wanted =
        caId !== undefined
          ? { method: 'ottca', caId }
          : updb === undefined
            ? { method: 'ott' }
            : { method: 'updb', username: typeof updb === 'string' ? updb : name };
      const make = async () => {
        const identityId = await create();
        const call = { method: 'POST', path: '/enrollments', json: { identityId, ...wanted } } as const;
        const { document } = await api.call(call).catch((error: unknown) => {
          if (!(error instanceof CliError)) throw error;
          throw error.inOtherWords(
            `The identity ${name} was created (${identityId}), but its JWT was not written: ${error.message}`,
            `overlay-auth create enrollment ${wanted.method} ${shellWord(name)} -o FILE`,
          );
        });
        return textField(document, 'id') ?? '';
      };
      await handOutJwt(report, api, { file: outputJwt, make });
    };
  },
};

const help = 'overlay-auth create identity --help';

/** How often a person may choose another password after the server refused one. */
const mostTries = 3;

/**
 * `create identity NAME --updb`: asks for the password first, and sets it with a second call. If the server refuses it,
 * a person may choose another one; otherwise the identity is deleted, so that nothing is left half-done.
 */
const newIdentityPassword: AfterCreate = {
  async prepare(report, options, body) {
    const { updb } = options;
    if (updb === undefined) return undefined;
    const name = textField(body, 'name') ?? '';
    const username = typeof updb === 'string' ? updb : name;
    const readAgain = () => readNewPassword(report.ports, options, username);
    let password = await readAgain();
    return async (api, create) => {
      const identityId = await create();
      for (let tries = 1; ; tries += 1) {
        try {
          const json = { method: 'updb', identityId, username, password };
          await api.call({ method: 'POST', path: '/authenticators', json });
          return;
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          const isChoosing = error.field === 'password' && isPrompted(report.ports, options);
          if (!isChoosing || tries === mostTries)
            throw await withoutIdentity(api, { identityId, name, username }, error);
          notice(report, error.message);
          // Ctrl-C leaves nothing behind here either.
          password = await readAgain().catch(async (cancelled: unknown) => {
            throw cancelled instanceof CliError
              ? await withoutIdentity(api, { identityId, name, username }, cancelled)
              : cancelled;
          });
        }
      }
    };
  },
};

/** Deletes the identity that got no password. Returns the failure to show, which says what exists now. */
async function withoutIdentity(
  api: ApiClient,
  { identityId, name, username }: { identityId: string; name: string; username: string },
  cause: CliError,
): Promise<CliError> {
  try {
    await api.call({ method: 'DELETE', path: `/identities/${encodeURIComponent(identityId)}` });
  } catch {
    return cause.inOtherWords(
      `The identity ${name} was created (${identityId}), but it has no password yet: ${cause.message}`,
      `overlay-auth create authenticator updb ${shellWord(name)} ${shellWord(username)}`,
    );
  }
  return cause.inOtherWords(`Nothing was created: ${cause.message}`, help);
}
