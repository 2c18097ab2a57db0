// A process that runs test files one after another: `node scripts/test-group.mjs FILE...`. Each is loaded when the
// one before has ended, in a suite of its own, so that its hooks hold for it alone. Says on the channel to the
// process that started it which file runs, how each test ended, and what a file left behind.
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endGroup, kept } from '../test/support/group.ts';
import { useBuiltThreads } from './built-threads.mjs';
import { leftSince, processorSeconds, standing } from './test-leftovers.mjs';
import { endOf } from './test-progress.mjs';

const { OVERLAY_AUTH_PROGRAM: program } = process.env;
if (program !== undefined) useBuiltThreads(program);

// The parent process has gone before the end: its pipe is not read any more.
const abandoned = () => process.exit(1);
process.once('disconnect', abandoned);
for (const file of process.argv.slice(2)) {
  const [keptBefore, cpu] = [kept(), processorSeconds()];
  let before;
  process.send({ began: file });
  const ended = endOf(file);
  describe(file, () => {
    before = standing();
    return import(pathToFileURL(resolve(file)).href);
  });
  await ended;
  const left = await leftSince(before, { isShared: kept() > keptBefore });
  process.send({ ended: file, left, cpu: processorSeconds() - cpu });
}
const cpu = processorSeconds();
await endGroup();
process.off('disconnect', abandoned);
process.send({ through: true, cpu });
