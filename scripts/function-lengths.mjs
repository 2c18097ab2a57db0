// Prints the functions of src/ that are longer than `node scripts/function-lengths.mjs LINES` (80 unless given), the
// longest first. The runtime says where each function begins and ends, for every form: files are loaded, and
// types are stripped so that every line stays where it is.
import { globSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const limit = Number(process.argv[2] ?? 80);
const root = fileURLToPath(new URL('../', import.meta.url));
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// The program itself would run; what a thread runs refuses the main thread, which is after it was read.
const files = globSync(['src/**/*.ts', 'packages/import-ziti/src/**/*.ts'], { cwd: root })
  .filter((file) => file !== 'src/main.ts' && !file.endsWith('.test.ts'))
  .map((file) => pathToFileURL(root + file).href);
for (const file of files) await import(file).catch(() => undefined);
const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();
const read = new Set(result.map(({ url }) => url));
const unread = files.filter((file) => !read.has(file) && !hasOnlyTypes(file));
if (unread.length > 0) throw new Error(`not read: ${unread.join(', ')}`);

const found = result
  .filter(({ url }) => files.includes(url))
  .flatMap(({ url, functions }) => {
    const file = fileURLToPath(url);
    const text = readFileSync(file, 'utf8');
    return functions
      .filter(({ ranges: [whole] }) => whole.startOffset > 0)
      .map(({ functionName, ranges: [{ startOffset, endOffset }] }) => ({
        name: functionName,
        place: `${file.slice(root.length)}:${text.slice(0, startOffset).split('\n').length}`,
        lines: text.slice(startOffset, endOffset).split('\n').length,
      }));
  })
  .filter(({ lines }) => lines > limit)
  .sort((a, b) => b.lines - a.lines);
for (const { name, place, lines } of found) process.stdout.write(`${lines} ${place} ${name}\n`);

/** The runtime says nothing of a file without functions. */
function hasOnlyTypes(file) {
  return !/\bfunction\b|=>/.test(stripTypeScriptTypes(readFileSync(fileURLToPath(file), 'utf8')));
}
