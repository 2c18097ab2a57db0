// A picture of every page and state that people see, in light and dark, wide and narrow, English and German.
//   node scripts/screenshots.mjs [FOLDER]   FOLDER is `screenshots` unless given
import { spawn } from 'node:child_process';

const [folder = 'screenshots'] = process.argv.slice(2);
const consoleTests = ['console', 'console-connect', 'console-people', 'console-policies', 'tasks'].map(
  (name) => `test/pages/${name}.test.ts`,
);
const files = [
  'test/pages/states.test.ts',
  'test/pages/further-states.test.ts',
  'test/pages/account.test.ts',
  'test/pages/branding.test.ts',
  'test/pages/german.test.ts',
  ...consoleTests,
];
const child = spawn(process.execPath, ['--test', '--test-concurrency=1', ...files], {
  stdio: 'inherit',
  env: { ...process.env, OVERLAY_AUTH_SCREENSHOTS: folder },
});
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
