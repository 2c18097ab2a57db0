import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseCsv } from '../../../platform/formats/csv.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { tableParts } from './table-parts.ts';

async function partsOf(t: { after(what: () => void): void }, text: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'overlay-auth-table-'));
  t.after(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'table.csv'), text);
  return Array.fromAsync(tableParts({ cwd } as CliPorts, 'table.csv'));
}

test('the parts of a table have at most 10,000 rows, all with the head and the numbers of their lines', async (t) => {
  const rows = Array.from({ length: 20_001 }, (_, at) => `"row\r${at}""",x`);
  const gap = '\n'.repeat(30_000);
  for (const [end, first, last] of [
    ['\n', '', ''],
    ['\r\n', '\r\n', '\r\n,,\r\n'],
    ['\r', '', '\r'],
  ] as const) {
    const text = `\ufeff${first}name,type${end}${rows.slice(0, 15_000).join(end)}${end}${gap}${rows.slice(15_000).join(end)}${last}`;
    const parts = await partsOf(t, text);
    const whole = parseCsv(text, Number.POSITIVE_INFINITY);
    const read = parts.map(({ csv, linesBefore }) => parseCsv(csv, 60_000, linesBefore).slice(1));
    assert.deepEqual(
      read.map(({ length }) => length),
      [10_000, 5000, 5001],
    );
    assert.deepEqual(read.flat(), whole.slice(1));
    assert.deepEqual(
      parts.map(({ isLast }) => isLast),
      [false, false, true],
    );
  }
});

test('a table without rows is one part, and a quote that is never closed ends the reading', async (t) => {
  for (const text of ['', '\n', 'name\n', 'name']) {
    const parts = await partsOf(t, text);
    assert.deepEqual([parts.length, parts[0]?.csv.trim(), parts[0]?.isLast], [1, text.trim(), true]);
  }
  await assert.rejects(
    partsOf(t, `name\nfine\n"open\n${'x'.repeat(6_000_000)}`),
    /line 3 .*may not be closed/,
  );
});
