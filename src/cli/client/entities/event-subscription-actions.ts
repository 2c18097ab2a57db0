import type { JsonObject } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError, notice, printResult } from '../../terminal/output.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { ColumnSpelling } from '../../terminal/table.ts';
import { onEntity } from './on-entity.ts';

const kind = 'event-subscription';

/** `event-subscription test NAME` @throws CliError exit 1 when the event was not delivered */
export const testSubscription = onEntity(kind, async ({ report, api, name, path }) => {
  const { isDelivered, result } = (await api.call({ method: 'POST', path: `${path}/test` })).document;
  if (isDelivered !== true) {
    throw new CliError(`The test event was not delivered: ${String(result)}.`, {
      code: 'not_delivered',
      next: `overlay-auth get event-subscription ${shellWord(name)}`,
    });
  }
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
  async ({ report, api, name, path }, { since, id: ids }: { since?: string; id?: readonly string[] }) => {
    const call = { method: 'POST', path: `${path}/replay`, json: { since, ids } } as const;
    const { replayed } = (await api.call(call)).document;
    const which = replayed === 1 ? '1 event is' : `${String(replayed)} events are`;
    printResult(report, { replayed }, () => `${which} sent to ${name} again.`);
  },
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
