import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { Config } from '../../config/config.ts';
import { dbText, holdsPassword } from '../../config/file-shape.ts';
import { dbVariable } from '../../config/load.ts';
import { dbSchema } from '../../config/value-kinds.ts';
import { claimDatabase, copyToPostgres, sqliteFile } from '../../controller/database.ts';
import { createSynced, partialOf, writeWhole } from '../../platform/whole-file.ts';
import { notice, printResult, type Report, usageError } from '../terminal/output.ts';
import { type ConfigOptions, shownPath } from './load-config.ts';
import { audited } from './operator-log.ts';

/**
 * `ops db move --to URL`: copies everything, names the new database in the configuration, and puts the old file aside,
 * so that no controller continues with it by mistake. Until the configuration is written, nothing has changed for the
 * controller.
 */
export async function moveCommand(
  report: Report,
  options: ConfigOptions & { readonly to: string },
): Promise<void> {
  const { ports } = report;
  const target = targetOf(options.to);
  const { file, ...moved } = await audited(report, options, async ({ config, configFile, audit }) => {
    const source = sqliteFile(config, 'move');
    using _lock = claimDatabase(config);
    let rows = 0;
    let tables = 0;
    let aside = '';
    const isFromFile = (ports.env[dbVariable] ?? '') === '';
    if (isFromFile) requireWritable(configFile);
    await copyToPostgres(config, {
      url: target.url,
      onProgress(table, copied) {
        rows += copied;
        tables += 1;
        if (copied > 0) notice(report, `copied and compared ${table}: ${copied}`);
      },
      putAside() {
        if (isFromFile) nameDatabase(configFile, target);
        aside = putAside(source);
      },
    });
    notice(report, `copied and compared ${tables} tables: ${rows} rows`);
    audit.record({ event: 'database.moved', from: source, to: dbText(target) }, null);
    const changed = isFromFile ? configFile : null;
    return { file: configFile, database: dbText(target), rows, config: changed, formerDatabase: aside };
  });
  printResult(report, moved, () => `Moved ${moved.rows} rows to ${moved.database}.`);
  notice(report, `The former database is kept as ${shownPath(ports.cwd, moved.formerDatabase)}.`);
  notice(
    report,
    moved.config !== null
      ? `${shownPath(ports.cwd, file)} names the new one; start the controller.`
      : `Give ${dbVariable} the new address, then start the controller.`,
  );
}

function targetOf(to: string): Extract<Config['db'], { engine: 'postgres' }> {
  const parsed = dbSchema.safeParse(to);
  const problem = parsed.success ? 'it must be postgres://USER@HOST/NAME' : parsed.error.issues[0]?.message;
  if (parsed.success && parsed.data.engine === 'postgres') return parsed.data;
  throw usageError(`--to cannot be used: ${problem}.`);
}

/** Found out at the end, it would leave a full target, which cannot be moved to again. @throws Error of node:fs */
function requireWritable(file: string): void {
  const trial = partialOf(file);
  rmSync(trial, { force: true });
  createSynced(trial, readFileSync(file, 'utf8'), 0o600);
  rmSync(trial);
}

/** Replaces the value of `db` and leaves the rest of the file as its owner wrote it. */
function nameDatabase(file: string, target: ReturnType<typeof targetOf>): void {
  const text = readFileSync(file, 'utf8');
  const value = parseDocument(text).get('db', true) as { range?: readonly number[] | null } | undefined;
  const [begin, end] = value?.range ?? [];
  if (begin === undefined || end === undefined) throw new Error(`${file} has no value for db`);
  // The address may contain a password, so the mode is strict even if others could read the file before.
  const mode = holdsPassword(target) ? 0o600 : statSync(file).mode & 0o777;
  writeWhole(file, `${text.slice(0, begin)}${JSON.stringify(target.url)}${text.slice(end)}`, mode);
}

/** @returns the new path of the file */
function putAside(source: string): string {
  let aside = `${source}.moved`;
  for (let n = 2; existsSync(aside); n += 1) aside = `${source}.moved-${n}`;
  for (const suffix of ['-wal', '-shm', ''])
    if (existsSync(`${source}${suffix}`)) renameSync(`${source}${suffix}`, `${aside}${suffix}`);
  return aside;
}
