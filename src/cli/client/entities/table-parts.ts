// A table (CSV) of any size, in the parts that the server takes. Never in memory as a whole.

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { foldedName, nameKeys } from '../../../model/names.ts';
import { sha256 } from '../../../platform/digest.ts';
import { parseCsv } from '../../../platform/formats/csv.ts';
import type { JsonObject } from '../../../platform/formats/json-shape.ts';
import { MalformedInput, textOfFile } from '../../../platform/formats/strict-input.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { unreadable } from '../../terminal/secret-input.ts';

/** The most rows that the server takes in one call. */
const mostRows = 10_000;
const mostBytes = 4 * 1024 * 1024;

export interface TablePart {
  /** The head of the table and some of its rows. */
  readonly csv: string;
  /** How many lines of the table come before these rows, without the head. */
  readonly linesBefore: number;
  readonly isLast: boolean;
}

/**
 * The parts of a table, at least one.
 * @throws CliError exit 2   it cannot be read, is not in UTF-8, or has a row that is too long; names the line
 */
export async function* tableParts(ports: CliPorts, path: string): AsyncGenerator<TablePart> {
  try {
    yield* partsOf(resolve(ports.cwd, path));
  } catch (error) {
    throw unreadable(error, path, 'file');
  }
}

async function* partsOf(path: string): AsyncGenerator<TablePart> {
  let head: TableRow = { bytes: Buffer.alloc(0), line: 1, lines: 0 };
  let rows: TableRow[] = [];
  let size = 0;
  let emptyLines = 0;
  const part = (isLast: boolean): TablePart => {
    const linesBefore = (rows[0]?.line ?? 1) - 1 - (rows.length === 0 ? 0 : head.lines);
    const bytes = Buffer.concat([head.bytes, ...rows.map((row) => row.bytes)]);
    return { csv: textOfFile(bytes, linesBefore), linesBefore, isLast };
  };
  for await (const row of rowsOf(path)) {
    if (row.bytes.every((byte) => empty.has(byte))) {
      emptyLines += row.lines;
      continue;
    }
    const between = { ...row, bytes: Buffer.alloc(emptyLines, '\n') };
    size += emptyLines + row.bytes.length;
    if (head.lines === 0) head = row;
    else if (rows.length < mostRows && emptyLines < mostRows && size < mostBytes)
      rows.push(...(emptyLines > 0 && rows.length > 0 ? [between] : []), row);
    else {
      if (rows.length > 0) yield part(false);
      [rows, size] = [[row], head.bytes.length + row.bytes.length];
    }
    emptyLines = 0;
  }
  yield part(true);
}

interface TableRow {
  /** With the line break at its end. */
  readonly bytes: Buffer;
  /** The number of its first line. */
  readonly line: number;
  readonly lines: number;
}

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d];
/** Characters of a row without content; some programs begin a file with a byte order mark. */
const empty = new Set(Buffer.from(',;\t "\r\n\ufeff'));

/** Line breaks in quotes do not end a row. */
async function* rowsOf(path: string): AsyncGenerator<TableRow> {
  let bytes: Buffer = Buffer.alloc(0);
  let [at, line, lines, isQuoted] = [0, 1, 1, false];
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    let begun = 0;
    // The last byte may be half of a line break.
    for (; at < bytes.length - 1; at += 1) {
      const byte = bytes[at];
      if (byte === quote) isQuoted = !isQuoted;
      if (byte !== lineFeed && (byte !== carriageReturn || bytes[at + 1] === lineFeed)) continue;
      if (isQuoted) lines += 1;
      else {
        yield { bytes: bytes.subarray(begun, at + 1), line, lines };
        begun = at + 1;
        [line, lines] = [line + lines, 1];
      }
    }
    bytes = bytes.subarray(begun);
    at -= begun;
    if (bytes.length > mostBytes)
      throw new MalformedInput(`line ${line} begins a row of more than 4 MiB: a quote may not be closed`);
  }
  if (bytes.length > 0) yield { bytes, line, lines };
}

/**
 * Finds what rows of different parts have in common; the server compares those of one part.
 * @param isForced as `force` of the import: names that only pass for one another are no problem
 */
export function repetitions(isForced: boolean) {
  const keysOf = {
    name: isForced ? (name: string) => [foldedName(name)] : nameKeys,
    externalId: (id: string) => [id],
  };
  // A set has at most sixteen million members.
  const seen = new Map<string, Set<string>>();
  return ({ csv, linesBefore }: Omit<TablePart, 'isLast'>): readonly JsonObject[] => {
    const [head, ...rows] = parseCsv(csv, Number.POSITIVE_INFINITY, linesBefore);
    return (['name', 'externalId'] as const).flatMap((column) => {
      const at = head?.cells.findIndex((name) => name.toLowerCase() === column.toLowerCase()) ?? -1;
      return rows.flatMap(({ line, cells }) => {
        const cell = cells[at] ?? '';
        // Text of the table would keep all of it in memory.
        const hashes = cell === '' ? [] : keysOf[column](cell).map((key) => sha256(`${column} ${key}`));
        const isRepeated = hashes.some((hash) => seen.get(hash.charAt(0))?.has(hash.slice(1, 13)));
        for (const hash of hashes)
          seen.set(hash.charAt(0), (seen.get(hash.charAt(0)) ?? new Set()).add(hash.slice(1, 13)));
        return isRepeated ? [{ line, column, reason: 'is the same as in a line before' }] : [];
      });
    });
  };
}
