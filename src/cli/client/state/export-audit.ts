// `export audit`: the audit trail as a file, a page at a time, so that its length does not matter.

import { once } from 'node:events';
import { csvOf } from '../../../platform/formats/csv-text.ts';
import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { escapeUnseen } from '../../../platform/log/log-line.ts';
import type { Texts } from '../../terminal/command.ts';
import { CliError, notice, type Report, showingProgress } from '../../terminal/output.ts';
import { pastTime } from '../../terminal/past-time.ts';
import { type ApiClient, withApi } from '../connection/api-client.ts';
import { entityNamed } from '../entities/entities.ts';
import { filterText, findEntity } from '../entities/lookup.ts';

type ExportAuditOptions = Texts<'server' | 'since' | 'until' | 'person' | 'entity'> & {
  readonly output?: 'csv' | 'jsonl';
};

const pageSize = 500;
/** The oldest first. By the id alone, the server sorts the newest first. */
const sort = 'id asc, at asc';
const columns = [
  ...['at', 'by', 'event', 'action', 'entity', 'entityId', 'about', 'changes', 'details'],
  ...['ipAddress', 'issuer', 'requestId'],
] as const;

/** @throws CliError exit 2 for a time that is none */
export async function exportAudit(report: Report, options: ExportAuditOptions): Promise<void> {
  const { stdout } = report.ports;
  const isCsv = options.output === 'csv';
  const now = report.ports.clock.now();
  const asked = [
    ...(options.since === undefined ? [] : [`at >= datetime(${pastTime('--since', options.since, now)})`]),
    // Events that are recorded meanwhile are left out, or the export of a busy service would not end.
    `at <= datetime(${pastTime('--until', options.until ?? '0s', now)})`,
    ...(options.entity === undefined ? [] : [`entity = ${filterText(options.entity)}`]),
  ];
  await withApi(report, options.server, async (api) => {
    if (options.person !== undefined) asked.push(`(${await aboutOrBy(report, api, options.person)})`);
    if (isCsv) await write(csvOf([columns]));
    let count = 0;
    await showingProgress(report, async (show) => {
      for (let after = ''; ; ) {
        const query = {
          filter: `${asked.join(' and ')} and id > ${filterText(after)}`,
          sort,
          limit: String(pageSize),
        };
        const { data } = await api.call({ method: 'GET', path: '/audit-events', query });
        const events = asList(data).map(asObject);
        count += events.length;
        await write(isCsv ? csvOf(events.map(cellsOf)) : events.map(lineOf).join(''));
        // Events on the same screen say it themselves.
        if (stdout.isTTY !== true) show(`${count} events read`);
        if (events.length < pageSize) break;
        after = textField(events.at(-1) ?? {}, 'id') ?? '';
      }
    });
    notice(report, count === 1 ? '1 event' : `${count} events`);
  });

  async function write(text: string): Promise<void> {
    if (text === '') return;
    const isTaken: unknown = stdout.write(text);
    if (isTaken === false && 'once' in stdout) await once(stdout as never, 'drain');
  }
}

/** A name that no identity has may be the id of one that was deleted. */
async function aboutOrBy(report: Report, api: ApiClient, person: string): Promise<string> {
  const { id } = await findEntity(api, entityNamed('identity'), person).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    notice(report, error.message);
    return { id: person };
  });
  return `identityId = ${filterText(id)} or byIdentityId = ${filterText(id)}`;
}

function lineOf(event: JsonObject): string {
  return `${escapeUnseen(JSON.stringify(event))}\n`;
}

function cellsOf(event: JsonObject): readonly string[] {
  const names: JsonObject = {
    by: asObject(event.byIdentity).name ?? event.byIdentityId,
    about: asObject(event.identity).name ?? event.identityId,
  };
  return columns.map((column) => {
    const value = names[column] ?? event[column] ?? '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
