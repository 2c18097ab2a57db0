import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError } from '../../terminal/cli-error.ts';
import { notice, printResult, type Report } from '../../terminal/output.ts';
import { type ApiClient, withApi } from '../connection/api-client.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

interface SecretOptions {
  readonly server?: string;
}

/** `oidc-client add-secret NAME`: creates a secret and shows it, once only. */
export async function addClientSecret(
  report: Report,
  nameOrId: string,
  { server }: SecretOptions,
): Promise<void> {
  await withApi(report, server, async (api) => {
    const path = await secretsPath(api, nameOrId);
    const { data } = await api.call({ method: 'POST', path });
    const { id, secret } = asObject(data);
    printResult(report, { id, secret }, () => String(secret));
    notice(
      report,
      'The secret is not shown again. Give it to the application, then delete the previous one.',
    );
    notice(report, `next: overlay-auth oidc-client delete-secret ${shellWord(nameOrId)}`);
  });
}

/**
 * `oidc-client delete-secret NAME [ID]`: deletes a secret; without an id the older of two, which was replaced.
 * @throws CliError exit 1 when it is the only one and no id was given
 */
export async function deleteClientSecret(
  report: Report,
  { nameOrId, secretId }: { readonly nameOrId: string; readonly secretId: string | undefined },
  { server }: SecretOptions,
): Promise<void> {
  await withApi(report, server, async (api) => {
    const path = await secretsPath(api, nameOrId);
    const id = secretId ?? (await olderSecret(api, path, nameOrId));
    await api.call({ method: 'DELETE', path: `${path}/${encodeURIComponent(id)}` });
    printResult(report, { id }, () => `Deleted secret ${id} of ${nameOrId}.`);
  });
}

async function olderSecret(api: ApiClient, path: string, nameOrId: string): Promise<string> {
  const { data } = await api.call({ method: 'GET', path });
  const secrets: readonly JsonObject[] = asList(data).map(asObject);
  const [oldest, other] = secrets.map((secret) => textField(secret, 'id'));
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

async function secretsPath(api: ApiClient, nameOrId: string): Promise<string> {
  const { id } = await findEntity(api, entityNamed('oidc-client'), nameOrId);
  return `/oidc-clients/${encodeURIComponent(id)}/secrets`;
}
