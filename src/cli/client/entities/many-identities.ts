// `update identity --filter`, `identity each ACTION` and `identity import FILE`: many at once, all or nothing.

import { asList, asObject, type JsonObject, numberField } from '../../../platform/formats/json-shape.ts';
import { CliError, notice, printResult, type Report, usageError } from '../../terminal/output.ts';
import { confirmAtTerminal } from '../../terminal/prompt.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { type ApiClient, withApi } from '../connection/api-client.ts';
import { changed } from './change.ts';

export interface ManyOptions {
  readonly server?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

const path = '/identities/bulk';

/**
 * Shows what the work would touch, asks, and does it.
 * @param work the `change` or `action` of the body, with its members
 * @throws CliError exit 1 when it is not possible for one of them
 */
export async function changeMany(
  report: Report,
  api: ApiClient,
  {
    selection,
    work,
    options,
  }: {
    readonly selection: { readonly filter: string } | { readonly ids: readonly string[] };
    readonly work: JsonObject;
    readonly options: ManyOptions;
  },
): Promise<void> {
  const json = { ...selection, ...work };
  const call = (at: string, body: object) =>
    changed(api, { method: 'POST', path: at, json: body }, { force: options.force });
  const preview = asObject((await call(`${path}/preview`, json)).data);
  const matched = numberField(preview, 'matched') ?? 0;
  if (options.dryRun === true || matched === 0) {
    printResult(report, preview, () => previewText(preview));
    return;
  }
  notice(report, previewText(preview));
  await confirmAtTerminal(report, `Do this for ${identities(matched)}?`, options.yes === true);
  const done = asObject((await call(path, { ...json, matched })).data);
  const links = asList(done.invitations).map((link) => `${asObject(link).name}\t${asObject(link).url}`);
  printResult(report, done, () =>
    [
      ...links,
      `Done for ${identities(matched)}; the audit events have the reference id ${done.reference}.`,
    ].join('\n'),
  );
}

function previewText(preview: JsonObject): string {
  const policy = asObject(preview.policy);
  const refused = asObject(preview.refused);
  const lockedOut = asObject(policy.lockedOut);
  const lines = [
    `${identities(numberField(preview, 'matched') ?? 0)} selected, ${preview.administrators} of them administer.`,
    ...(preview.policy === null
      ? []
      : [
          `Another policy for ${asObject(policy.touched).count}: ${asObject(policy.asksMore).count} would be asked for more than now, ${lockedOut.count} could no longer log in.`,
          ...asList(lockedOut.first).map((one) => `  locked out: ${asObject(one).name}`),
        ]),
    ...asList(refused.first).map(
      (one) => `  not possible for ${asObject(one).name}: ${asObject(one).reason}`,
    ),
    ...(typeof preview.objection === 'string' ? [`Not possible: ${preview.objection}`] : []),
  ];
  return lines.join('\n');
}

function identities(count: number): string {
  return count === 1 ? '1 identity' : `${count} identities`;
}

interface EachOptions extends ManyOptions {
  readonly filter?: string;
  readonly until?: string;
  readonly expires?: string;
  readonly endSessions?: boolean;
}

/** `identity each ACTION --filter FILTER` */
export async function eachIdentity(
  report: Report,
  options: EachOptions,
  [action]: readonly string[],
): Promise<void> {
  const { filter, until, expires, endSessions } = options;
  if (filter === undefined)
    throw usageError('--filter is missing: it selects the identities.', 'overlay-auth identity each --help');
  const work = {
    action,
    ...(until !== undefined && { until }),
    ...(expires !== undefined && { expiresIn: expires }),
    ...(endSessions === true && { endSessions }),
  };
  await withApi(report, options.server, (api) =>
    changeMany(report, api, { selection: { filter }, work, options }),
  );
}

/** `identity import FILE [--dry-run]` */
export async function importIdentities(
  report: Report,
  options: ManyOptions,
  [file = '']: readonly string[],
): Promise<void> {
  const text = await readNamedFile(report.ports, file, 'file');
  const { dryRun = false, force = false } = options;
  await withApi(report, options.server, async (api) => {
    const query = { dryRun: String(dryRun), force: String(force) };
    const { data } = await api.call({ method: 'POST', path: '/identities/import', query, csv: text });
    const result = asObject(data);
    const problems = asList(result.problems).map(asObject);
    if (problems.length > 0) {
      const lines = problems.map(({ line, column, reason }) => {
        const at = line === null ? file : `${file}:${line}`;
        return `${at}: ${column === null ? '' : `${column} `}${reason}`;
      });
      throw new CliError(`Nothing was imported.\n${lines.join('\n')}`, {
        code: 'COULD_NOT_VALIDATE',
        next: `correct the table, then overlay-auth identity import ${file} --dry-run`,
      });
    }
    const { length } = asList(result.created);
    printResult(report, result, () =>
      dryRun
        ? `${identities(numberField(result, 'rows') ?? 0)} can be made; nothing was changed.`
        : `Made ${identities(length)}.`,
    );
  });
}
