// Where the lines of a log go: files, pipes, a full disk, and readers that stall. Most of it takes a process of its own.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createReadStream, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SECOND } from '../clock.ts';
import { openLogger } from './logger.ts';

const directory = mkdtempSync(join(tmpdir(), 'overlay-auth-log-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The first line of the scripts. */
const imported = `import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};`;

test('a reader that stalls does not stop the process, and what waits is bounded', async () => {
  const script = `
    ${imported}
    const logger = openLogger({ level: 'info', format: 'json', to: 'stderr' });
    for (let i = 0; i < 8000; i += 1) logger.info('x', { filler: 'y'.repeat(1500) });
    setTimeout(() => process.stdout.write(String(logger.lostLines() > 0)), 10);
    setInterval(() => undefined, ${SECOND});
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Its standard error is a pipe that is not read.
  const said = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  child.kill('SIGKILL');
  assert.equal(said, 'true');
});

test('the last lines are written when the process exits at once', async () => {
  const script = `
    ${imported}
    openLogger({ level: 'info', format: 'text', to: 'stderr' }).info('goodbye');
    process.exit(0);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  for await (const chunk of child.stderr) text += chunk;
  assert.match(text, / INFO {2}goodbye\n$/);
});

test('lines reach the reader while the process goes on, those that came during a write included', async () => {
  const script = `
    ${imported}
    const logger = openLogger({ level: 'info', format: 'text', to: 'stderr' });
    for (let i = 0; i < 200; i += 1) logger.info('first', { filler: 'y'.repeat(100) });
    setImmediate(() => logger.info('second'));
    process.stdin.on('data', () => logger.info('third'));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let text = '';
  for await (const chunk of child.stderr) {
    text += chunk;
    if (text.includes(' second\n') && child.stdin.writable) child.stdin.end('go on');
    if (text.includes(' third\n')) child.kill('SIGKILL');
  }
  assert.equal(text.match(/ first /g)?.length, 200);
  assert.match(text, / third\n$/);
});

test('a log that cannot be written says so, and one that can says it when the line is there', async () => {
  const file = join(directory, 'controller.log');
  const good = openLogger({ level: 'info', format: 'json', to: { file } });
  assert.equal(await good.written?.(), true, 'nothing waits');
  // The first is being written when the others come.
  for (const line of ['x'.repeat(20_000), 'second', 'third']) {
    good.info('line', { line });
    if (line === 'second') assert.equal(await good.child({ by: 'a part' }).written?.(), true);
  }
  assert.match(readFileSync(file, 'utf8'), /"second"/);
  assert.equal(await good.written?.(), true);
  assert.match(readFileSync(file, 'utf8'), /"third"/);
  good.reopen();
  assert.equal(await good.written?.(), true);

  // What could not be written would be tried again when the process ends.
  const script = `
    ${imported}
    const logger = openLogger({ level: 'info', format: 'json', to: { file: '/dev/full' } });
    const said = [await logger.written()];
    logger.info('no room');
    said.push(await logger.written(), await logger.written());
    process.stdout.write(String(said) + '\\n');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const said = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  child.kill('SIGKILL');
  assert.equal(said, 'true,false,false\n');
});

test('a full disk keeps no process from ending', async () => {
  for (const end of ['await logger.flush();', 'await logger.written(); process.exit();']) {
    const script = `
      ${imported}
      const logger = openLogger({ level: 'info', format: 'json', to: { file: '/dev/full' } });
      logger.info('no room');
      ${end}
    `;
    const stopped = { stdio: 'ignore', timeout: 60_000, killSignal: 'SIGKILL' } as const;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], stopped);
    assert.deepEqual(await once(child, 'exit'), [0, null], end);
  }
});

const onlyOnLinux =
  process.platform === 'linux' ? false : 'elsewhere a full pipe blocks those who write to it';
test('a pipe or socket that is not read keeps no process from ending', { skip: onlyOnLinux }, async () => {
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, 'r+');
  const ends = [
    'logger.reopen(); await logger.flush();',
    'await logger.written(); process.exit();',
    'process.exit();',
  ];
  // What Node calls a pipe is a socket; the journal of the system gives services one too.
  for (const [output, end] of ends.flatMap((end) => [[pipe, end] as const, ['pipe', end] as const])) {
    const script = `
      ${imported}
      const logger = openLogger({ level: 'info', format: 'json', to: 'stdout' });
      for (let i = 0; i < 2000; i += 1) logger.info('line', { filler: 'y'.repeat(500) });
      ${end}
    `;
    const stopped = { timeout: 60_000, killSignal: 'SIGKILL' } as const;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      ...stopped,
      stdio: ['ignore', output, 'ignore'],
    });
    assert.deepEqual(await once(child, 'exit'), [0, null], `${output}: ${end}`);
  }
  closeSync(pipe);
});

test('a pipe that is read late gets every line, whole and in order', { skip: onlyOnLinux }, async () => {
  const path = join(directory, 'late');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, 'r+');
  const script = `
    ${imported}
    const logger = openLogger({ level: 'info', format: 'json', to: 'stdout' });
    for (let i = 0; i < 2000; i += 1) logger.info('line', { i, filler: 'y'.repeat(500) });
    process.stderr.write(String(await logger.written()));
    while (!(await logger.written()));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    ...({ timeout: 60_000, killSignal: 'SIGKILL' } as const),
    stdio: ['ignore', pipe, 'pipe'],
  });
  const exited = once(child, 'exit');
  const said = await new Promise((resolve) => child.stderr?.once('data', (data) => resolve(String(data))));
  assert.equal(said, 'false');
  const late = createReadStream(path);
  closeSync(pipe);
  let text = '';
  for await (const chunk of late) text += chunk;
  assert.deepEqual(await exited, [0, null]);
  const lines = text.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).i),
    Array.from({ length: 2000 }, (_, i) => i),
  );
});

test('a reader that reads nothing keeps no caller waiting for ever', async () => {
  const script = `
    ${imported}
    const logger = openLogger({ level: 'info', format: 'json', to: 'stdout' });
    for (let i = 0; i < 2000; i += 1) logger.info('line', { filler: 'y'.repeat(500) });
    const idle = setInterval(() => {}, 100);
    process.stderr.write(String(await logger.written()));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = await new Promise((resolve) => child.stderr.once('data', (data) => resolve(String(data))));
  child.kill('SIGKILL');
  assert.equal(said, 'false');
});
