// The report of an import: as text for people, and as one JSON document for programs and archives.

import { displaySubject } from '../../../src/platform/x509/x509.ts';
import type { AuthorityChange } from './authorities.ts';
import type { ImportReport } from './import-source.ts';

export interface SourceFacts {
  readonly file: string;
  /** Version of the source's schema; null if the source does not say. */
  readonly version: number | null;
  readonly transaction: string;
  /** A damaged meta page that was skipped. */
  readonly damaged: string | null;
}

/** The schema version for which this release was made. */
const knownVersion = 48;

/** What programs get, and what `--report` writes. Contains no secret. */
export function reportDocument(
  source: SourceFacts,
  report: ImportReport,
  signing: AuthorityChange['signing'],
) {
  return {
    source,
    dryRun: report.dryRun,
    counts: report.counts,
    conflicts: report.entities
      .filter(({ status }) => status === 'conflict')
      .map(({ kind, id, name, reason }) => ({ kind, id, name, reason })),
    deviations: report.deviations,
    leftOut: report.leftOut,
    notTaken: report.notTaken,
    authorities: report.authorities.map(({ anchor, isFromSource }) => ({
      subject: displaySubject(anchor.x509),
      thumbprint: anchor.thumbprint,
      from: isFromSource ? 'source' : 'trust',
    })),
    signing,
    notes: notesOf(source),
    entities: report.entities.map(({ kind, id, name, status }) => ({ kind, id, name, status })),
  };
}

export type ReportDocument = ReturnType<typeof reportDocument>;

function notesOf({ version, damaged }: SourceFacts): readonly string[] {
  return [
    ...(version === knownVersion
      ? []
      : [
          `The database has the schema ${version ?? 'of no version'}; this release was tried with ${knownVersion}.`,
        ]),
    ...(damaged === null
      ? []
      : [`One of the two meta pages is damaged (${damaged}); the other one was read.`]),
  ];
}

/** How many findings of a kind the screen shows. */
const mostLines = 40;

/** The report as text. @param reportFile where the whole report is; undefined: nowhere */
export function reportText(document: ReportDocument, reportFile: string | undefined): string {
  const { counts, conflicts, deviations, leftOut, notTaken, authorities, signing, dryRun, notes } = document;
  const rest =
    reportFile === undefined ? 'write all of it with --report FILE' : `all of it is in ${reportFile}`;
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0
      ? []
      : [
          '',
          `${heading}:`,
          ...lines.slice(0, mostLines).map((line) => `  ${line}`),
          ...(lines.length > mostLines ? [`  … and ${lines.length - mostLines} more; ${rest}`] : []),
        ];
  const called = ({ kind, id, name }: { kind: string; id: string; name: string }) =>
    name === id ? `${kind} ${id}` : `${kind} ${name} (${id})`;
  return [
    ...notes,
    countTable(counts),
    ...section(
      'Kept as it is here, because the source differs',
      conflicts.map((each) => `${called(each)}: ${each.reason}`),
    ),
    ...section(
      'Not in every respect as it was',
      deviations.map((each) => `${called(each)}: ${each.field} ${each.what}`),
    ),
    ...section(
      'Left out',
      leftOut.map((each) => `${called(each)}: ${each.reason}`),
    ),
    ...section(
      'Not taken over',
      notTaken.map(({ kind, count, reason }) => `${count} ${kind}: ${reason}`),
    ),
    ...section(
      dryRun ? 'Would be trusted as authorities of this overlay' : 'Trusted as authorities of this overlay',
      authorities.map(({ subject, from }) =>
        from === 'source' ? `${subject} (from the database)` : subject,
      ),
    ),
    ...(signing === 'replaced'
      ? ['', `Client certificates ${dryRun ? 'would be' : 'are'} signed with the imported key from now on.`]
      : []),
    '',
    dryRun ? 'Nothing was written.' : 'All of it is written.',
  ].join('\n');
}

function countTable(counts: ReportDocument['counts']): string {
  const columns = ['created', 'changed', 'unchanged', 'conflict', 'leftOut'] as const;
  const headings = ['', 'created', 'changed', 'unchanged', 'conflict', 'left out'];
  const rows = Object.entries(counts).map(([kind, each]) => [
    kind,
    ...columns.map((column) => String(each[column])),
  ]);
  return [headings, ...rows]
    .map(([first = '', ...cells]) =>
      [first.padEnd(16), ...cells.map((cell) => cell.padStart(10))].join('').trimEnd(),
    )
    .join('\n');
}
