// The reporter of a test process: tells the process that started it how each test ended, and this process when a
// file is through.
import { inspect } from 'node:util';

const waiting = new Map();

/** Resolves when every test and hook of the file has ended, with any result. */
export function endOf(file) {
  return new Promise((resolve) => waiting.set(file, resolve));
}

export default async function* testProgress(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const result = resultOf(type, data);
    if (result === 'failed') process.send?.({ result, reason: reasonOf(data) });
    else if (result !== null) process.send?.({ result });
    if (data.nesting !== 0) continue;
    waiting.get(data.name)?.();
    waiting.delete(data.name);
  }
  yield '';
}

/** A suite counts only when something of its own fails: a hook, or the loading of its file. */
function resultOf(type, { details, skip, todo }) {
  const isFailure = type === 'test:fail';
  if (details?.type === 'suite') {
    return isFailure && details.error?.failureType !== 'subtestsFailed' ? 'failed' : null;
  }
  if (isFailure && todo === undefined) return 'failed';
  return skip !== undefined || todo !== undefined ? 'skipped' : 'passed';
}

function reasonOf({ name, details }) {
  return `${name}\n${inspect(details.error?.cause ?? details.error)}`;
}
