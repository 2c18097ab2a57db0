import { CliError } from '../../terminal/output.ts';
import type { ApiClient } from '../connection/api-client.ts';

/** The hints in the API's messages: about a refused name, and about another change. */
const insist = '; ?force=true gives it all the same';
const repeat = /^(.*?\.) (.*), or repeat the request with \?force=true/s;

/** A refusal that `--force` lifts, and what to do about it, in words of the command line; undefined for another one. */
export function liftedByForce(refusal: string): readonly [message: string, next: string] | undefined {
  if (refusal.includes(insist)) return [refusal.replace(insist, ''), 'choose another name, or add --force'];
  const [, message, instead] = repeat.exec(refusal) ?? [];
  if (message === undefined || instead === undefined) return undefined;
  return [message, `${instead.charAt(0).toLowerCase()}${instead.slice(1)}, or add --force`];
}

/** Sends a change. If it would only be made when forced, the refusal names the option to type. */
export async function changed(
  api: ApiClient,
  change: Pick<Parameters<ApiClient['call']>[0], 'method' | 'path' | 'json'>,
  { force }: Readonly<Record<string, unknown>>,
): ReturnType<ApiClient['call']> {
  try {
    return await api.call({ ...change, ...(force === true ? { query: { force: 'true' } } : {}) });
  } catch (error) {
    const lifted = error instanceof CliError ? liftedByForce(error.message) : undefined;
    throw lifted === undefined ? error : (error as CliError).inOtherWords(...lifted);
  }
}
