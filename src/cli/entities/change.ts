import { CliError } from '../cli-error.ts';
import type { ApiClient } from '../client/api-client.ts';

/** Sends a change. If the last administrator would lose access, the refusal names the option to type. */
export async function changed(
  api: ApiClient,
  change: Pick<Parameters<ApiClient['call']>[0], 'method' | 'path' | 'json'>,
  { force }: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await api.call({ ...change, ...(force === true ? { query: { force: 'true' } } : {}) });
  } catch (error) {
    if (!(error instanceof CliError) || error.field !== 'force') throw error;
    const { code, reference, exitCode } = error;
    throw new CliError('This change would leave no administrator who can log in.', {
      exitCode,
      next: 'create another administrator first, or add --force',
      cause: error,
      ...(code === undefined ? {} : { code }),
      ...(reference === undefined ? {} : { reference }),
    });
  }
}
