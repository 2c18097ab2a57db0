import { CliError } from '../../terminal/output.ts';
import type { ApiClient } from '../connection/api-client.ts';

/** The hints in the API's messages: about a refused name, and about another change. */
const insist = '; ?force=true gives it all the same';
const repeat = /^(.*?\.) (.*), or repeat the request with \?force=true/s;

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
    if (error.message.includes(insist))
      throw error.inOtherWords(error.message.replace(insist, ''), 'choose another name, or add --force');
    const [, message, instead] = repeat.exec(error.message) ?? [];
    if (error.field !== 'force' || message === undefined || instead === undefined) throw error;
    throw error.inOtherWords(
      message,
      `${instead.charAt(0).toLowerCase()}${instead.slice(1)}, or add --force`,
    );
  }
}
