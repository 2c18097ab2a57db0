import type { Answer, HttpsClient } from './https-client.ts';

/** The password of the administrator that `submitSetup` creates. */
export const password = 'tall tree bakery 41';

/** Posts the form of a set-up page, as `ana` unless changed. */
export function submitSetup(
  client: HttpsClient,
  token: string,
  changes: Record<string, string> = {},
): Promise<Answer> {
  const form = { t: token, username: 'ana', password, repeated: password, ...changes };
  return client.post('/setup', { form, headers: { accept: 'text/html' } });
}
