// What `npm test` makes of test files that share a process, and of those that take it down.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';

const runner = new URL('../scripts/test-groups.mjs', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-groups-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const imports = "import { after, before, beforeEach, describe, test } from 'node:test';\n";

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly problems: readonly string[];
  readonly output: string;
  readonly failures: readonly string[];
  readonly cpuOf: Readonly<Record<string, number>>;
}

/** Runs files of these names and texts as one group. */
function run(files: Readonly<Record<string, string>>, limits: Readonly<Record<string, number>> = {}) {
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, imports + text);
    return path;
  });
  const script = `
    import { runGroup } from ${JSON.stringify(runner)};
    const outcome = await runGroup(${JSON.stringify({ name: 'group', files: paths })}, { limits: ${JSON.stringify(limits)} });
    process.stdout.write(JSON.stringify(outcome));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  const { passed, failed, skipped, problems, output, failures, cpuOf } = JSON.parse(stdout) as Outcome;
  return {
    counts: { passed, failed, skipped },
    problems: problems.map((problem) => problem.replace(`${folder}/`, '')),
    output,
    failures,
    ran: Object.keys(cpuOf).map((path) => basename(path, '.mjs')),
    cpuOf: Object.fromEntries(Object.entries(cpuOf).map(([path, cpu]) => [basename(path, '.mjs'), cpu])),
  };
}

test('files are grouped by folder, some folders in two, some together, and what takes longest begins first', async () => {
  const { groupsOf } = await import(runner);
  const files = [
    'src/a.test.ts',
    'src/deep/b.test.ts',
    'test/alone/c.test.ts',
    'test/alone/d.test.ts',
    'test/e.test.ts',
    'test/pages/console-f.test.ts',
    'test/pages/console.test.ts',
    'test/pages/g.test.ts',
    'test/short/console.test.ts',
    'test/short/measures.test.ts',
    'test/small/h.test.ts',
    'test/tiny/i.test.ts',
  ];
  const apart = ['test/alone', 'test/short/measures.test.ts'];
  const longestFirst = ['test/alone/d', 'test/pages'];
  const groups = groupsOf(files, {
    apart,
    together: [['test/small', 'test/tiny']],
    wings: ['test/pages/console'],
    longestFirst,
  });
  assert.deepEqual(groups, [
    { name: 'test/alone/d.test.ts', files: ['test/alone/d.test.ts'] },
    {
      name: 'test/pages/console',
      files: ['test/pages/console-f.test.ts', 'test/pages/console.test.ts'],
    },
    { name: 'test/pages', files: ['test/pages/g.test.ts'] },
    { name: 'src', files: ['src/a.test.ts', 'src/deep/b.test.ts'] },
    { name: 'test/alone/c.test.ts', files: ['test/alone/c.test.ts'] },
    { name: 'test', files: ['test/e.test.ts'] },
    { name: 'test/short', files: ['test/short/console.test.ts'] },
    { name: 'test/short/measures.test.ts', files: ['test/short/measures.test.ts'] },
    { name: 'test/small', files: ['test/small/h.test.ts', 'test/tiny/i.test.ts'] },
  ]);
});

test('hooks of a file apply to that file only, and files run one after another', () => {
  const { counts, problems, output } = run({
    first: `
      before(() => console.log('first begins'));
      beforeEach(() => console.log('before each of first'));
      after(() => console.log('first ends'));
      test('a', () => {});
      describe('inner', () => { test('b', () => {}); test('left out', { skip: true }, () => {}); });`,
    second: `console.log('second is loaded'); test('c', () => console.log('c runs'));`,
  });
  assert.deepEqual(counts, { passed: 3, failed: 0, skipped: 1 }, output);
  assert.deepEqual(problems, []);
  const said = output.split('\n').filter((line) => /^(first|before|second|c) /.test(line));
  const each = 'before each of first';
  assert.deepEqual(said, ['first begins', each, each, 'first ends', 'second is loaded', 'c runs']);
});

test('a file whose process dies fails by name, and the following files run', () => {
  const { counts, problems, ran } = run({
    fine: `test('a', () => {});`,
    exits: `test('b', () => process.exit(0)); test('c', () => {});`,
    killed: `test('d', () => process.kill(process.pid, 'SIGKILL'));`,
    last: `test('e', () => {});`,
  });
  assert.deepEqual(problems, [
    'exits.mjs: its process ended with exit code 0',
    'killed.mjs: its process ended with SIGKILL',
  ]);
  assert.deepEqual(counts, { passed: 2, failed: 2, skipped: 0 });
  assert.deepEqual(ran, ['fine', 'last']);
});

test('a file that cannot be loaded and a hook that fails are failures', () => {
  const { counts, problems } = run({
    throws: `throw new Error('while it is loaded');`,
    hook: `after(() => { throw new Error('in a hook'); }); test('a', () => {});`,
    last: `test('b', () => {});`,
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(counts, { passed: 2, failed: 2, skipped: 0 });
});

test('each failed test is reported with its file and reason, even if its process died', () => {
  const { failures } = run({
    fails: `test('a', () => { throw new Error('the reason of a'); });
            test('b', () => console.log('b runs'));`,
    exits: `test('c', () => process.exit(0));`,
    alsoFails: `test('d', () => { throw new Error('the reason of d'); }); test('e', () => {});`,
  });
  assert.equal(failures.length, 2);
  assert.match(failures[0] ?? '', /fails\.mjs: a\nError: the reason of a/);
  assert.match(failures[1] ?? '', /alsoFails\.mjs: d\nError: the reason of d/);
});

test('an error that comes when its test is over is a failure', () => {
  const { counts, problems, output } = run({
    late: `test('a', () => { setImmediate(() => { throw new Error('much later'); }); });
           test('b', () => new Promise((resolve) => setTimeout(resolve, 500)));`,
  });
  assert.deepEqual(problems, ['the process of group ended with exit code 1']);
  assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 0 });
  assert.match(output, /much later/);
});

test('a test that takes too long fails, and a file that blocks its process is ended', () => {
  const files = {
    slow: `test('a', () => new Promise((resolve) => setTimeout(resolve, 5000))); test('b', () => {});`,
    blocks: `test('c', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`,
    last: `test('d', () => {});`,
  };
  const { counts, problems } = run(files, { test: 4000, silence: 12_000 });
  assert.deepEqual(problems, ['blocks.mjs: its process hung']);
  assert.deepEqual(counts, { passed: 2, failed: 2, skipped: 0 });
});

test('a file that leaves something behind is named', () => {
  const { counts, problems } = run(
    {
      server: `import { createServer } from 'node:net'; test('a', () => createServer().listen(0, '127.0.0.1').unref().ref());`,
      process: `process.env.LEFT_BEHIND = '1'; process.on('SIGUSR2', () => {}); test('b', () => {});`,
      tidy: `import { createServer } from 'node:net';
      let server;
      before(() => { server = createServer().listen(0, '127.0.0.1'); });
      after(() => server.close());
      test('c', () => {});`,
    },
    { end: 2000, leave: 2000 },
  );
  assert.deepEqual(problems, [
    'server.mjs leaves behind: open TCPServerWrap (1)',
    'process.mjs leaves behind: listener SIGUSR2 (1)',
    'process.mjs leaves behind: environment variable LEFT_BEHIND',
    'the process of group hung after tidy.mjs',
  ]);
  assert.deepEqual(counts, { passed: 3, failed: 4, skipped: 0 });
});

test('what a file costs includes the processes that it starts, even those that continue or that are not awaited', () => {
  const busy =
    'const until = Date.now() + 60_000; while (process.cpuUsage().user < 300_000 && Date.now() < until);';
  const grandchild = `${busy} process.stdout.write("done"); process.stdin.resume();`;
  const child = `const { stdin, stdout } = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}]);
    stdout.pipe(process.stdout); process.stdin.pipe(stdin);`;
  const { cpuOf } = run({
    starts: `import { spawn } from 'node:child_process';
      import { once } from 'node:events';
      let child;
      test('a', async () => {
        child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['pipe', 'pipe', 'inherit'] });
        await once(child.stdout, 'data');
      });
      process.once('exit', () => child.kill());
      after(() => { child.unref(); child.stdin.unref(); child.stdout.unref(); });`,
  });
  assert.ok((cpuOf.starts ?? 0) >= 0.3, `${cpuOf.starts} s`);
});
