import { CliError } from '../../terminal/output.ts';
import type { ApiClient } from '../connection/api-client.ts';

/** The hint in the API's message about a refused name. */
const insist = '; ?force=true gives it all the same';

/** Sends a change. If it would only be made when forced, the refusal names the option to type. */
export async function changed(
  api: ApiClient,
  change: Pick<Parameters<ApiClient['call']>[0], 'method' | 'path' | 'json'>,
  { force }: Readonly<Record<string, unknown>>,
): ReturnType<ApiClient['call']> {
  try {
    return await api.call({ ...change, ...(force === true ? { query: { force: 'true' } } : {}) });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const isNamed = error.message.includes(insist);
    if (error.field !== 'force' && !isNamed) throw error;
    const message = isNamed
      ? error.message.replace(insist, '')
      : 'This change would leave no administrator who can log in.';
    const instead = isNamed ? 'choose another name' : 'create another administrator first';
    throw error.inOtherWords(message, `${instead}, or add --force`);
  }
}
