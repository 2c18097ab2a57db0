import { textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError, notice, printResult } from '../../terminal/output.ts';
import type { ApiClient } from '../connection/api-client.ts';
import { onEntity } from './on-entity.ts';

/** `oidc-client add-secret NAME`: creates a secret and shows it, once only. */
export const addClientSecret = onEntity('oidc-client', async ({ report, api, nameOrId, path }) => {
  const { id, secret } = (await api.call({ method: 'POST', path: `${path}/secrets` })).document;
  printResult(report, { id, secret }, () => String(secret));
  notice(report, 'The secret is not shown again. Give it to the application, then delete the previous one.');
  notice(report, `next: overlay-auth oidc-client delete-secret ${shellWord(nameOrId)}`);
});

/**
 * `oidc-client delete-secret NAME [ID]`: deletes a secret; without an id the older of two, which was replaced.
 * @throws CliError exit 1 when it is the only one and no id was given
 */
export const deleteClientSecret = onEntity(
  'oidc-client',
  async ({ report, api, nameOrId, path }, _options, secretId: string | undefined) => {
    const id = secretId ?? (await olderSecret(api, `${path}/secrets`, nameOrId));
    await api.call({ method: 'DELETE', path: `${path}/secrets/${encodeURIComponent(id)}` });
    printResult(report, { id }, () => `Deleted secret ${id} of ${nameOrId}.`);
  },
  async (_report, _options, [, secretId]) => secretId,
);

async function olderSecret(api: ApiClient, path: string, nameOrId: string): Promise<string> {
  const { rows } = await api.call({ method: 'GET', path });
  const [oldest, other] = rows.map((secret) => textField(secret, 'id'));
  if (oldest !== undefined && other !== undefined) return oldest;
  throw new CliError(
    oldest === undefined
      ? `${nameOrId} has no secret.`
      : `${nameOrId} has only this secret, and would have none.`,
    {
      code: 'conflict',
      next:
        oldest === undefined
          ? `overlay-auth oidc-client add-secret ${shellWord(nameOrId)}`
          : `overlay-auth oidc-client delete-secret ${shellWord(nameOrId)} ${oldest}`,
    },
  );
}
