// `ops import ziti`: imports the database file of another controller.

import { resolve } from 'node:path';
import { withdrawSetupLinks } from '../../../src/admin/setup.ts';
import { shownPath } from '../../../src/cli/host/load-config.ts';
import { withHost } from '../../../src/cli/host/open-host.ts';
import {
  CliError,
  notice,
  printResult,
  type Report,
  showingProgress,
} from '../../../src/cli/terminal/output.ts';
import { readOverlayAuthorities } from '../../../src/controller/overlay-pki.ts';
import { SECOND } from '../../../src/platform/clock.ts';
import { fileErrorReason } from '../../../src/platform/file-error-reason.ts';
import { ownerOnly, writeWhole } from '../../../src/platform/whole-file.ts';
import { NoAdministratorLeft } from '../../../src/store/contracts/store.ts';
import { openServerSecrets } from '../../../src/tokens/server-secrets.ts';
import { prepareAuthorities, readSigningKey, readTrustFiles } from './authorities.ts';
import { BoltError } from './bolt/bolt-error.ts';
import { openBoltFile } from './bolt/bolt-file.ts';
import { importSource } from './import-source.ts';
import { readSource, type Source } from './read/source.ts';
import { UnreadableSource } from './read/unreadable-source.ts';
import { type ReportDocument, reportDocument, reportText, type SourceFacts } from './report.ts';

export interface ImportOptions {
  readonly config?: string;
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly trust?: readonly string[];
  readonly signingKey?: string;
}

/** @throws CliError the database cannot be read as a whole, or another file cannot be used; nothing is written */
export async function importZiti(
  report: Report,
  options: ImportOptions,
  [file]: readonly [string],
): Promise<void> {
  const { ports } = report;
  const began = performance.now();
  const dryRun = options.dryRun === true;
  const { document, count } = await showingProgress(report, async (show) => {
    show(`reading ${file} …`);
    const { source, facts } = readDatabase(report, file);
    const trust = readTrustFiles(ports, options.trust ?? []);
    const count = Object.values(source.entities).flat().length;
    const during: During = (what, work) => showingTime(show, `${what} ${count} entities`, work);
    const document = await intoHost(report, { source, facts, trust, during }, options).catch((error) => {
      throw importFailure(file, error);
    });
    return { document, count };
  });
  const seconds = ((performance.now() - began) / SECOND).toFixed(1);
  notice(report, `${count} entities ${dryRun ? 'compared' : 'imported'} in ${seconds} s`);
  if (options.report !== undefined) writeReport(report, options.report, document);
  printResult(report, document, () => reportText(document, options.report));
  if (!dryRun) notice(report, 'next: restart the controller if it runs, so that it reloads its authorities');
}

type During = <T>(what: string, work: Promise<T>) => Promise<T>;

/** Shows how long the work has taken, since its duration is unknown. */
async function showingTime<T>(show: (text: string) => void, what: string, work: Promise<T>): Promise<T> {
  const began = performance.now();
  const tell = () => show(`${what} … ${Math.floor((performance.now() - began) / SECOND)} s`);
  tell();
  const ticking = setInterval(tell, SECOND);
  try {
    return await work;
  } finally {
    clearInterval(ticking);
  }
}

interface Import {
  readonly source: Source;
  readonly facts: SourceFacts;
  readonly trust: ReturnType<typeof readTrustFiles>;
  /** Shows what is done. */
  readonly during: During;
}

function intoHost(
  report: Report,
  { source, facts, trust, during }: Import,
  options: ImportOptions,
): Promise<ReportDocument> {
  const dryRun = options.dryRun === true;
  return withHost(report, options, async (host) => {
    const { foundations, configFile, audit } = host;
    const { config, store, vault } = foundations;
    const { recoveryKey } = await openServerSecrets({ keys: store.keys, vault, random: foundations.random });
    const own = readOverlayAuthorities(foundations);
    const issuers = new Set(
      config.listeners.flatMap(({ bindPoints }) => bindPoints.map(({ issuer }) => issuer)),
    );
    const limits = config.edge.externalJwtSigners.jwksFetch;
    const needs = { ...foundations, vault, recoveryKey, audit, own, issuers, limits };
    // Problems with files must show before the database is touched.
    const plan = await during('comparing', importSource(needs, source, { trust, dryRun: true }));
    const known = [...trust, ...plan.authorities.map(({ anchor }) => anchor), ...own];
    const signing =
      options.signingKey === undefined ? null : readSigningKey(report.ports, options.signingKey, known);
    const authorities = prepareAuthorities({ config, configFile }, plan.authorities, signing);
    if (dryRun) return reportDocument(facts, plan, authorities.signing);
    const done = await during('writing', importSource(needs, source, { trust, dryRun: false }));
    authorities.write();
    if (done.hasAdministrator) await withdrawSetupLinks(foundations);
    return reportDocument(facts, done, authorities.signing);
  });
}

function readDatabase(
  { ports }: Report,
  file: string,
): { readonly source: Source; readonly facts: SourceFacts } {
  try {
    const database = openBoltFile(resolve(ports.cwd, file));
    try {
      const source = readSource(database);
      const { transaction, damaged = null } = database;
      return {
        source,
        facts: {
          file: shownPath(ports.cwd, file),
          version: source.version,
          transaction: String(transaction),
          damaged,
        },
      };
    } finally {
      database.close();
    }
  } catch (error) {
    throw fileFailure(file, error);
  }
}

/** @throws CliError for what ends an import; other errors unchanged */
function importFailure(file: string, error: unknown): unknown {
  if (error instanceof BoltError || error instanceof UnreadableSource)
    return new CliError(`${file} cannot be imported: ${error.message}. Nothing was written.`, {
      code: 'unreadable_source',
      next: 'copy the file again while that controller is stopped, or let it write a snapshot and import that',
      cause: error,
    });
  if (error instanceof NoAdministratorLeft)
    return new CliError(
      'With the policies of the source, no administrator of this service could log in. Nothing was written.',
      {
        code: 'no_administrator',
        next: 'give an administrator here what those policies allow, or import into an empty home',
        cause: error,
      },
    );
  return error;
}

function fileFailure(file: string, error: unknown): unknown {
  const failure = importFailure(file, error);
  if (failure !== error || !(error instanceof Error && 'code' in error)) return failure;
  return new CliError(`${file} cannot be read: ${fileErrorReason(error)}.`, {
    code: 'file',
    next: 'overlay-auth ops import ziti --help',
    cause: error,
  });
}

function writeReport({ ports }: Report, file: string, document: ReportDocument): void {
  try {
    writeWhole(resolve(ports.cwd, file), `${JSON.stringify(document, null, 2)}\n`, ownerOnly);
  } catch (error) {
    throw new CliError(
      `The report ${file} cannot be written: ${fileErrorReason(error)}. ${document.dryRun ? '' : 'The import itself is done. '}`.trimEnd(),
      {
        code: 'file',
        next: 'run the command again with another --report; repeating an import is safe',
        cause: error,
      },
    );
  }
}
