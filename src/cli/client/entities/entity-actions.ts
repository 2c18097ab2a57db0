// Actions of an administrator on one event subscription, application or third-party authority.

import { type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError, notice, printResult } from '../../terminal/output.ts';
import { pastTime } from '../../terminal/past-time.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { type ColumnSpelling, printTable } from '../../terminal/table.ts';
import type { ApiClient } from '../connection/api-client.ts';
import { onEntity } from './on-entity.ts';

const kind = 'event-subscription';

/** `event-subscription test NAME` @throws CliError exit 1 when the event was not delivered */
export const testSubscription = onEntity(kind, async ({ report, api, name, path }) => {
  const { isDelivered, result } = (await api.call({ method: 'POST', path: `${path}/test` })).document;
  if (isDelivered !== true)
    throw new CliError(`The test event was not delivered: ${String(result)}.`, {
      code: 'not_delivered',
      next: `overlay-auth get event-subscription ${shellWord(name)}`,
    });
  printResult(report, { isDelivered, result }, () => `Delivered: ${String(result)}.`);
});

const columns: readonly ColumnSpelling<JsonObject>[] = [
  'at',
  'event',
  'state',
  'attempts',
  ['last attempt', 'lastAttemptAt'],
  'result',
  'id',
];

/** `event-subscription deliveries NAME` */
export const listDeliveries = onEntity(
  kind,
  async ({ report, api, path }, { state, limit }: { state?: string; limit?: string }) => {
    const { rows } = await api.call({ method: 'GET', path: `${path}/deliveries`, query: { state, limit } });
    printTable(report, rows, { value: rows, columns });
  },
);

/** `event-subscription replay NAME` */
export const replayEvents = onEntity(
  kind,
  async (
    { report, api, name, path },
    { id: ids }: { since?: string; id?: readonly string[] },
    since: string | undefined,
  ) => {
    const call = { method: 'POST', path: `${path}/replay`, json: { since, ids } } as const;
    const { replayed } = (await api.call(call)).document;
    const which = replayed === 1 ? '1 event is' : `${String(replayed)} events are`;
    printResult(report, { replayed }, () => `${which} sent to ${name} again.`);
  },
  async ({ ports }, { since }) =>
    since === undefined ? undefined : pastTime('--since', since, ports.clock.now()),
);

/** `event-subscription rotate-secret NAME`: makes a secret and shows it, once only. */
export const rotateSecret = onEntity(
  kind,
  async ({ report, api, path }, { overlap }: { overlap?: string }) => {
    const call = { method: 'POST', path: `${path}/secrets`, json: { overlap } } as const;
    const { secret, formerSecretUntil } = (await api.call(call)).document;
    printResult(report, { secret, formerSecretUntil }, () => String(secret));
    notice(
      report,
      `The secret is not shown again. The one before it signs too until ${String(formerSecretUntil)}.`,
    );
  },
);

/** `oidc-client add-secret NAME`: creates a secret and shows it, once only. */
export const addClientSecret = onEntity('oidc-client', async ({ report, api, nameOrId, path }) => {
  const { id, secret } = (await api.call({ method: 'POST', path: `${path}/secrets` })).document;
  printResult(report, { id, secret }, () => String(secret));
  notice(
    report,
    `The secret is not shown again. If it replaces one, delete that when the application has the new one: overlay-auth oidc-client delete-secret ${shellWord(nameOrId)}`,
  );
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

/** `ca verify NAME --cert FILE`: submits the proof of possession of the authority's key. */
export const verifyCa = onEntity(
  'ca',
  async ({ report, api, id, nameOrId, path }, _options: { readonly cert: string }, certPem: string) => {
    await api.call({ method: 'POST', path: `${path}/verify`, json: { certPem } });
    printResult(report, { id }, () => `Verified ca ${nameOrId}.`);
  },
  ({ ports }, { cert }) => readNamedFile(ports, cert, 'certificate'),
);
