// Loaded before the controller by touched-files.mjs: tells which files of src/ had a function called between the
// messages `begin` and `end`.
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/', import.meta.url).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('message', async (what) => {
  // Taking the counts sets them to zero.
  const { result } = await session.post('Profiler.takePreciseCoverage');
  process.send(
    what === 'begin'
      ? []
      : result
          .filter(wasCalled)
          .map(({ url }) => fileURLToPath(url).slice(fileURLToPath(source).length))
          .sort(),
  );
});
process.channel?.unref();

/** Whether a function was, besides the one that is the whole file. */
function wasCalled({ url, functions }) {
  if (!url.startsWith(source)) return false;
  const length = Math.max(...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)));
  return functions.some(
    ({ ranges: [whole] }) => whole.count > 0 && (whole.startOffset > 0 || whole.endOffset < length),
  );
}
