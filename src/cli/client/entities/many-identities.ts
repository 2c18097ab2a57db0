// `update identity --filter`, `identity each ACTION` and `identity import FILE`: many at once, all checked before the first is
// changed. More than one step takes are changed or made by a job, which `identity continue` carries on after a stop.

import { mostInOneStep } from '../../../model/bulk-actions.ts';
import { MINUTE, type Millis, SECOND } from '../../../platform/clock.ts';
import { asList, asObject, type JsonObject, numberField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Flags, Texts } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report, showingProgress } from '../../terminal/output.ts';
import { confirmAtTerminal } from '../../terminal/prompt.ts';
import { type ApiClient, onServer } from '../connection/api-client.ts';
import { changed, liftedByForce } from './change.ts';
import { repetitions, tableParts } from './table-parts.ts';

export type ManyOptions = Flags<'yes' | 'dryRun' | 'force'>;

/** A job, and how many identities its check may find, if that is known. */
interface Job {
  readonly job: JsonObject;
  readonly among?: number;
  readonly options: ManyOptions;
  /** The table that it imports. */
  readonly file?: string;
  /** Rows of that table which are the same as others. */
  readonly repeated?: readonly JsonObject[];
}

/** With so many problems the check of a table ends. Results name no more identities either. */
const mostNamed = 10_000;

const path = '/identities/bulk';
const jobs = `${path}/jobs`;

/**
 * Shows the affected identities, asks, and does the work.
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
    selection: { readonly filter: string } | { readonly ids: readonly string[] };
    work: JsonObject;
    options: ManyOptions;
  },
): Promise<void> {
  const json = { ...selection, ...work };
  const call = callsOf(api, options);
  const among = 'filter' in selection ? await countOf(api, selection.filter) : 0;
  if (among > mostInOneStep) {
    const job = (await call(jobs, json)).document;
    printDone(report, await carryOn(report, api, { job, among, options }));
    return;
  }
  const preview = (await call(`${path}/preview`, json)).document;
  const matched = numberField(preview, 'matched') ?? 0;
  const isTrial = options.dryRun === true || matched === 0;
  if (isTrial) printResult(report, preview, () => previewText(preview));
  else notice(report, previewText(preview));
  requirePossible(preview);
  if (isTrial) return;
  await confirmAtTerminal(report, `Do this for ${identities(matched)}?`, options.yes === true);
  const done = (await call(path, { ...json, matched })).document;
  printDone(report, { ...done, done: matched });
}

/** @param result null: it was not to be done */
function printDone(report: Report, result: JsonObject | null): void {
  if (result === null) return;
  printResult(report, result, () => {
    return [
      linkLines(asList(result.invitations)),
      `Done for ${identities(numberField(result, 'done') ?? 0)}; the audit events have the reference id ${result.reference}.`,
    ]
      .filter((part) => part !== '')
      .join('\n');
  });
}

function linkLines(invitations: readonly unknown[]): string {
  const lines = invitations
    .map(asObject)
    .map(({ name, url, sentTo }) => `${name}\t${url ?? `mailed to ${sentTo}`}`);
  return lines.join('\n');
}

function callsOf(api: ApiClient, { force }: ManyOptions) {
  return (at: string, body: object) => changed(api, { method: 'POST', path: at, json: body }, { force });
}

async function countOf(api: ApiClient, filter: string): Promise<number> {
  return (await api.call({ method: 'GET', path: '/identities', query: { filter, limit: '1' } })).total;
}

/**
 * Carries a job on to its end, from wherever it is. Asks before it changes the first identity.
 * @returns the results; null: only the check was wanted, and was printed
 * @throws CliError a row of the table has a problem: nothing was imported
 */
async function carryOn(
  report: Report,
  api: ApiClient,
  { job, among, options, file, repeated = [] }: Job,
): Promise<JsonObject | null> {
  const at = `${jobs}/${job.id}`;
  const call = callsOf(api, options);
  const end = () => api.call({ method: 'DELETE', path: at });
  const invitations: unknown[] = [];
  const created: unknown[] = [];
  const problems: JsonObject[] = [];
  let now = job;
  const until = (states: readonly string[], confirmed: boolean) =>
    showingProgress(report, async (show) => {
      const { clock } = report.ports;
      const begun = { at: clock.monotonic(), ...progressOf(now, among) };
      while (!states.includes(String(now.state)) && problems.length + repeated.length < mostNamed) {
        const { count, of, word } = progressOf(now, among);
        const [more, time] = [count - begun.count, clock.monotonic() - begun.at];
        const left = of > count ? `, about ${duration(((of - count) * time) / more)} left` : '';
        const pace = more > 0 ? `${left} (${perSecond(more, time)})` : '';
        show(`${count}${of === 0 ? '' : ` of ${of}`} ${word}${pace}`);
        now = (await call(`${at}/continue`, { confirmed })).document;
        invitations.push(...asList(now.invitations));
        if (among === undefined || among <= mostNamed) created.push(...asList(now.created));
        problems.push(...asList(now.problems).map(asObject));
      }
    }).catch(async (error) => {
      if (!(error instanceof CliError)) throw error;
      // To carry it on would do more than was wanted, or be refused.
      const isToEnd = options.dryRun === true || isUnsent(now);
      if (isToEnd) await end().catch(() => {});
      // Links that are not shown now are lost.
      if (invitations.length > 0) printResult(report, { ...now, invitations }, () => linkLines(invitations));
      // More, if the connection broke before the last answer.
      const soFar = confirmed ? `at least ${now.done} are done` : 'nothing was changed yet';
      const next = isToEnd
        ? 'enter the same command again'
        : `overlay-auth identity continue ${shellWord(String(job.id))}`;
      throw error.inOtherWords(`${error.message} (${soFar})`, next);
    });
  const isImport = job.action === 'import';
  await until(['checked', 'working', 'done'], false);
  if (problems.length + repeated.length > 0) {
    await end();
    throw notImported(withRepeated(problems, repeated), file);
  }
  if (now.state === 'checked') {
    const preview = asObject(now.preview);
    const count = identities(numberField(preview, 'matched') ?? 0);
    const isTrial = options.dryRun === true || preview.matched === 0;
    const isFine = isImport && asObject(preview.refused).count === 0;
    if (isTrial && !isImport) printResult(report, preview, () => previewText(preview));
    else if (!isTrial || !isFine) notice(report, isFine ? `${count} can be made.` : previewText(preview));
    try {
      requirePossible(preview);
      if (!isTrial) await confirmAtTerminal(report, `Do this for ${count}?`, options.yes === true);
    } catch (error) {
      await end();
      throw error;
    }
    if (isTrial) {
      await end();
      return isImport ? now : null;
    }
  }
  await until(['done'], true);
  return { ...now, invitations, created };
}

/** How far a job is. */
function progressOf({ state, done, preview }: JsonObject, among: number | undefined) {
  const checked = numberField(asObject(preview), 'matched') ?? 0;
  if (state !== 'checking') return { count: Number(done), of: checked, word: 'done' };
  return { count: checked, of: among === undefined ? 0 : Math.max(among, checked), word: 'checked' };
}

function duration(time: Millis): string {
  return time < 2 * MINUTE ? `${Math.ceil(time / SECOND)} s` : `${Math.round(time / MINUTE)} min`;
}

function perSecond(count: number, time: Millis): string {
  return `${Math.round((count * SECOND) / Math.max(1, time))} a second`;
}

/** `identity continue [JOB]` */
export const continueJob = onServer<ManyOptions, readonly [string | undefined]>(
  async ({ report, api }, options, [id]) => {
    const path = id === undefined ? jobs : `${jobs}/${encodeURIComponent(id)}`;
    const { document: job, rows } = await api.call({ method: 'GET', path });
    if (id !== undefined) {
      if (isUnsent(job))
        throw new CliError('This import was stopped before its whole table was sent: nothing was made.', {
          code: 'CONFLICT',
          next: 'import the table again',
        });
      return printDone(report, await carryOn(report, api, { job, options }));
    }
    const open = rows.filter((row) => row.state !== 'done' && !isUnsent(row));
    printResult(report, open, () =>
      open.length === 0
        ? 'No job waits to be continued.'
        : open
            .map(({ id, done, preview, filter, action, changes }) =>
              [id, `${done} of ${asObject(preview).matched}`, filter, action ?? changes].join('\t'),
            )
            .join('\n'),
    );
  },
);

/** The check begins when the last part of a table is there, so without any checked row parts may be missing. */
function isUnsent({ action, state, preview }: JsonObject): boolean {
  return action === 'import' && state === 'checking' && asObject(preview).matched === 0;
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
    ...asList(refused.first)
      .map(asObject)
      .map(({ name, reason }) => `  not possible for ${name}: ${typed(reason)[0]}`),
    ...objectionLines(preview),
  ];
  return lines.join('\n');
}

/** Why a change as a whole would be refused. */
export function objectionLines({ objection }: JsonObject): readonly string[] {
  return typeof objection === 'string' ? [`Not possible: ${typed(objection)[0]}`] : [];
}

const otherwise = 'correct the problems above, or select other identities';

/** All or none: work that is impossible for one is refused without a question. */
export function requirePossible({ refused, objection }: JsonObject, advice = otherwise): void {
  const count = numberField(asObject(refused), 'count') ?? 0;
  if (count === 0 && typeof objection !== 'string') return;
  const of = count === 0 ? '' : ` for ${identities(count)}`;
  const [, next = advice] = typed(objection);
  throw new CliError(`This is not possible${of}. Nothing was changed.`, {
    code: count === 0 ? 'CONFLICT' : 'COULD_NOT_VALIDATE',
    next,
  });
}

/** A refusal as the person at the terminal reads it, and what to type if an option lifts it. */
function typed(refusal: unknown): readonly [message: string, next?: string] {
  return liftedByForce(String(refusal)) ?? [String(refusal)];
}

function identities(count: number): string {
  return count === 1 ? '1 identity' : `${count} identities`;
}

type EachOptions = ManyOptions &
  Texts<'until' | 'expires'> &
  Flags<'endSessions'> & { readonly filter: string };

/** `identity each ACTION --filter FILTER` */
export const eachIdentity = onServer<EachOptions, readonly [string]>(
  async ({ report, api }, options, [action]) => {
    const { filter, until, expires, endSessions } = options;
    const work = {
      action,
      ...(until !== undefined && { until }),
      ...(expires !== undefined && { expiresIn: expires }),
      ...(endSessions === true && { endSessions }),
    };
    await changeMany(report, api, { selection: { filter }, work, options });
  },
);

/** `identity import FILE [--dry-run]` */
export const importIdentities = onServer<ManyOptions, readonly [string]>(
  async ({ report, api }, options, [file]) => {
    const { dryRun = false, force = false } = options;
    const { clock } = report.ports;
    const begun = clock.monotonic();
    const { result, repeated, isWhole } = await sent(report, api, { file, options });
    const { job, ...answered } = result;
    const among = numberField(result, 'rows') ?? 0;
    const done =
      job === undefined
        ? answered
        : await carryOn(report, api, {
            job: asObject(job),
            among,
            options: { force, dryRun, yes: true },
            file,
            repeated,
          });
    const all = { ...answered, created: isWhole ? asList(done?.created) : [] };
    const time = clock.monotonic() - begun;
    printResult(report, all, () => {
      if (dryRun) return `${identities(among)} can be made; nothing was changed.`;
      if (isWhole) return `Made ${identities(all.created.length)}.`;
      return `Made ${identities(among)} in ${duration(time)} (${perSecond(among, time)}).`;
    });
  },
);

/**
 * Sends a table of any size, which the server checks later if it has many rows.
 * @returns isWhole: one call took all of it; repeated: rows that are the same as others, if not
 * @throws CliError one call took all of it, and rows have a problem: nothing was imported
 */
async function sent(
  report: Report,
  api: ApiClient,
  { file, options }: { readonly file: string; readonly options: ManyOptions },
): Promise<{ result: JsonObject; repeated: readonly JsonObject[]; isWhole: boolean }> {
  const { dryRun = false, force = false } = options;
  const repeated: JsonObject[] = [];
  const repeatedIn = repetitions(force);
  let result: JsonObject = {};
  let rows = 0;
  const job = () => asObject(result.job).id;
  const send = async (show: (text: string) => void) => {
    for await (const { csv, linesBefore, isLast } of tableParts(report.ports, file)) {
      const query = {
        dryRun: String(dryRun),
        force: String(force),
        asJob: 'true',
        linesBefore: String(linesBefore),
        ...((rows > 0 || !isLast) && { job: String(job() ?? 'new') }),
      };
      const call = { method: 'POST', path: '/identities/import', query, csv } as const;
      result = (await api.call(call)).document;
      const isWhole = isLast && rows === 0;
      rows += numberField(result, 'rows') ?? 0;
      if (isWhole) return true;
      repeated.push(...repeatedIn({ csv, linesBefore }));
      show(`${rows} rows sent`);
    }
    notice(report, `${file} has ${rows} rows. All are checked before the first identity is made.`);
    return false;
  };
  try {
    const isWhole = await showingProgress(report, send);
    const problems = asList(result.problems).map(asObject);
    if (problems.length > 0) throw notImported(problems, file);
    return { result: { ...result, rows }, repeated, isWhole };
  } catch (error) {
    if (job() !== undefined) await api.call({ method: 'DELETE', path: `${jobs}/${job()}` }).catch(() => {});
    throw error;
  }
}

/** All problems of a table, in the order of its lines. The server finds repetitions in one part of it, too. */
function withRepeated(
  problems: readonly JsonObject[],
  repeated: readonly JsonObject[],
): readonly JsonObject[] {
  const place = ({ line, column }: JsonObject) => `${line} ${column}`;
  const found = new Set(problems.map(place));
  const all = [...problems, ...repeated.filter((problem) => !found.has(place(problem)))];
  return all.sort((a, b) => Number(a.line) - Number(b.line));
}

function notImported(problems: readonly JsonObject[], file?: string): CliError {
  const lines = problems.map(({ line, column, reason }) => {
    const at = [file ?? 'line', line].filter((part) => part !== null).join(file === undefined ? ' ' : ':');
    return `${at}: ${column === null ? '' : `${column} `}${reason}`;
  });
  const check = `overlay-auth identity import ${shellWord(file ?? 'FILE')} --dry-run`;
  return new CliError(`Nothing was imported.\n${lines.join('\n')}`, {
    code: 'COULD_NOT_VALIDATE',
    next: `correct the table, then ${check}`,
  });
}
