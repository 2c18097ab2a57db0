// A test reporter that prints failures in full and, at the end, writes the counts for scripts/check.mjs.
import { writeFileSync } from 'node:fs';

export default async function* countReporter(source) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for await (const { type, data } of source) {
    const isSuite = data?.details?.type === 'suite';
    if (type === 'test:pass' && !isSuite) {
      if (data.skip !== undefined || data.todo !== undefined) skipped += 1;
      else passed += 1;
    }
    if (type === 'test:fail' && !isSuite) failed += 1;
  }
  writeFileSync(process.env.OVERLAY_AUTH_TEST_COUNTS, JSON.stringify({ passed, failed, skipped }));
  yield '';
}
