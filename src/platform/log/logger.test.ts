import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { memoryLogger } from '../../../test/support/memory-logger.ts';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { SECOND } from '../clock.ts';
import { loggableText } from './log-line.ts';
import { type LogOptions, openLogger } from './logger.ts';

const directory = mkdtempSync(join(tmpdir(), 'overlay-auth-log-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let count = 0;
/** Logs into a file and gives back what was written. */
async function written(
  act: (logger: ReturnType<typeof openLogger>) => void,
  options: Partial<LogOptions> = {},
) {
  count += 1;
  const file = join(directory, `${count}.log`);
  const clock = fixedClock('2026-01-01T12:00:00Z');
  const logger = openLogger({ level: 'debug', format: 'json', to: { file }, clock, ...options });
  act(logger);
  await logger.flush();
  return { text: readFileSync(file, 'utf8'), file, logger };
}

const hostile =
  'alice\r\n{"level":"error"}\u001b[31m\u2028\u2029\u0085\u009b31m\u202e\u0000\ud800%n$' + '{jndi:x}"';

describe('a log in JSON', () => {
  test('has one object per line: time, level by name, message, fields of the logger and of the line', async () => {
    const { text, file } = await written((logger) => {
      const child = logger.child({ requestId: 'r1' });
      child.info('login refused', { reason: 'lockout', attempts: 3, requestId: 'r2' });
      logger.warn('slow');
    });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const time = '2026-01-01T12:00:00.000Z';
    const fields = { requestId: 'r2', reason: 'lockout', attempts: 3 };
    assert.deepEqual(lines, [
      { level: 'info', time, ...fields, msg: 'login refused' },
      { level: 'warn', time, msg: 'slow' },
    ]);
    assert.equal(text.match(/requestId/g)?.length, 1);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('leaves out what is below its level, but for lines that no level leaves out', async () => {
    const act = (logger: ReturnType<typeof openLogger>) => {
      logger.debug('a');
      logger.info('b');
      logger.error('c');
      logger.child({ of: 'child' }).always('d');
    };
    const { text } = await written(act, { level: 'error' });
    assert.deepEqual(text.match(/"level":"\w+"/g), ['"level":"error"', '"level":"info"']);
    assert.match(text, /"of":"child","msg":"d"/);
  });

  test('is not broken by hostile values, and gives them back unchanged', async () => {
    const { text } = await written((logger) => logger.info(hostile, { username: hostile, [hostile]: 1 }));
    assert.equal(text.split('\n').length, 2);
    assert.match(text, /^[ -~]*\n$/);
    const line = JSON.parse(text);
    assert.equal(line.username.toWellFormed(), hostile.toWellFormed());
  });

  test('keeps its own time, level and message against fields of those names', async () => {
    const { text } = await written((logger) =>
      logger.info('real', { level: 'error', time: 'x', msg: 'false' }),
    );
    const { level, msg, fieldMsg } = JSON.parse(text);
    assert.deepEqual([level, msg, fieldMsg], ['info', 'real', 'false']);
    assert.equal(text.match(/"level"/g)?.length, 1);
  });

  test('continues in a new file after the old one was moved away', async () => {
    const { file, logger } = await written((log) => log.info('before'));
    renameSync(file, `${file}.1`);
    logger.reopen();
    logger.info('after');
    await logger.flush();
    assert.match(readFileSync(file, 'utf8'), /after/);
    assert.match(readFileSync(`${file}.1`, 'utf8'), /before/);
    assert.equal(logger.lostLines(), 0);
  });

  test('stays in the old file if no new one can be opened, and says so', async () => {
    const { file, logger } = await written((log) => log.info('before'));
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    logger.reopen();
    logger.info('after');
    await logger.flush();
    const lines = readFileSync(`${file}.1`, 'utf8').trim().split('\n');
    assert.match(lines[1] ?? '', /"level":"error".*EISDIR.*cannot be opened again/);
    assert.match(lines[2] ?? '', /after/);
    rmSync(file, { recursive: true });
    logger.reopen();
    logger.info('anew');
    await logger.flush();
    assert.match(readFileSync(file, 'utf8'), /anew/);
  });
});

test('a log in text has one short line for each event, with any values', async () => {
  const { text } = await written(
    (logger) => {
      logger.info('listening', { address: '127.0.0.1:1280', apis: ['edge-oidc'], note: 'two words' });
      logger.error(hostile, { username: hostile, error: new TypeError('no "such" thing') });
    },
    { format: 'text' },
  );
  const [first, second, end] = text.split('\n');
  assert.equal(
    first,
    '2026-01-01T12:00:00.000Z INFO  listening address=127.0.0.1:1280 apis=["edge-oidc"] note="two words"',
  );
  assert.match(
    second ?? '',
    /^[ -~]* ERROR alice.* error="TypeError: no \\"such\\" thing \(.*logger\.test\.ts:\d+:\d+\)+"$/,
  );
  assert.equal(end, '');
});

describe('secrets', () => {
  const canary = 'Canary-7f3a9';

  test('that are as long as our opaque tokens are replaced in any text', () => {
    const token = 'aB3-_'.repeat(19).slice(0, 91);
    for (const text of [token, `/nowhere/${token}`, `/a/${token}/b`, `kept before ${token}, after`]) {
      const safe = loggableText(text);
      assert.ok(safe.includes('[redacted]') && !safe.includes(token), safe);
    }
    for (const text of [token.slice(1), `${token}x`]) assert.equal(loggableText(text), text);
  });

  test('are replaced in the URLs of any text', () => {
    for (const url of [
      `amqp://u:${canary}@h`,
      `https://:${canary}@h/?x`,
      `postgres://u@h/x?sslpassword=${canary}`,
    ]) {
      for (const text of [url, `no answer from ${url}: refused`])
        assert.doesNotMatch(loggableText(text), new RegExp(canary), text);
    }
    for (const text of [
      'https://h:8443/@me',
      'https://[::1]:8443/@me',
      'https://h:80?to=a@b.example',
      'https://u@h/',
      'ana@h:80',
    ])
      assert.equal(loggableText(text), text);
  });

  test('are replaced wherever a field is named like one', () => {
    const names = [
      'password',
      'newPassword',
      'passphrase',
      'code',
      'code_verifier',
      'codeVerifier',
      'refresh_token',
    ];
    names.push(
      'access_token',
      'accessToken',
      'id_token',
      'token',
      'TOKEN',
      'secret',
      'client_secret',
      'Authorization',
    );
    names.push(
      'cookie',
      'Set-Cookie',
      'zt-session',
      'ztSession',
      'recoveryCodes',
      'privateKey',
      'tokens',
      'totp_code',
    );
    for (const name of names) {
      const logger = memoryLogger();
      logger
        .child({ [name]: canary })
        .info('x', { [name]: canary, deep: [{ [name]: [canary] }], body: { [name]: { a: canary } } });
      assert.ok(!JSON.stringify(logger.entries).includes(canary), name);
    }
  });

  test('are replaced inside addresses, headers and errors', () => {
    const logger = memoryLogger();
    const texts = [
      `https://a/cb?state=1&code=${canary}&x=1`,
      `Bearer ${canary}`,
      `a; zt-session=${canary}; b`,
    ];
    texts.push(`refresh_token=${canary}`, `/setup#t=${canary}`, `-----BEGIN PRIVATE KEY-----\n${canary}`);
    texts.push(`eyJhbGciOiJFUzI1NiJ9.${canary}.${canary}`);
    for (const text of texts) {
      logger.info(text, { url: text, map: new Map([['a', text]]), set: new Set([text]) });
      logger.error('x', { error: new Error(text, { cause: new Error(text) }) });
    }
    assert.ok(!JSON.stringify(logger.entries).includes(canary), JSON.stringify(logger.entries));
    assert.match(String(logger.entries[0]?.fields.url), /state=1&code=\[redacted\]&x=1/);
  });

  test('are replaced in a JWT that was cut, and in a text of beginnings of JWTs at no cost', () => {
    for (const rest of ['', '.', `.${canary}`])
      assert.equal(loggableText(`token eyJhbGciOiJFUzI1NiJ9${rest} ends`), 'token [redacted] ends');
    const hostile = '-eyJ'.repeat(512);
    assertCostsLess(100, () => {
      for (let times = 0; times < 100; times += 1) loggableText(hostile);
    });
  });

  test('do not hide what is needed: error codes, ids, and which factor was used', () => {
    const logger = memoryLogger();
    const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    logger.info('x', {
      errorCode: 'invalid_grant',
      statusCode: 401,
      tokenId: 't1',
      factors: { password: true },
      error,
    });
    const fields = logger.entries[0]?.fields;
    assert.equal(fields?.errorCode, 'invalid_grant');
    assert.equal(fields?.statusCode, 401);
    assert.equal(fields?.tokenId, 't1');
    assert.equal(JSON.stringify(fields?.factors), '{"password":true}');
    assert.match(JSON.stringify(fields?.error), /"code":"ECONNREFUSED"/);
  });
});

test('huge, circular, deep and odd values are bounded', () => {
  const logger = memoryLogger();
  const circle: Record<string, unknown> = {
    buffer: Buffer.alloc(99),
    big: 10n,
    at: new Date(0),
    bad: new Date(Number.NaN),
  };
  circle.self = circle;
  circle.wide = Array.from({ length: 10_000 }, () => circle);
  logger.info('x'.repeat(1_000_000), {
    circle,
    text: 'y'.repeat(1_000_000),
    f: () => 1,
    proto: JSON.parse('{"__proto__":1}'),
  });
  const text = JSON.stringify(logger.entries);
  assert.ok(text.length < 30_000, String(text.length));
  assert.match(text, /\[99 bytes\]/);
});

test('a reader that stalls does not stop the process, and what waits is bounded', async () => {
  const script = `
    import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
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
    import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
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
    import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
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

test('a log that cannot be written says so, and one that can says it when the line is there', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'controller.log');
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
    import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
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
      import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
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
test('a pipe that is not read keeps no process from ending', { skip: onlyOnLinux }, async () => {
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, 'r+');
  for (const end of [
    'logger.reopen(); await logger.flush();',
    'await logger.written(); process.exit();',
    'process.exit();',
  ]) {
    const script = `
      import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
      const logger = openLogger({ level: 'info', format: 'json', to: 'stdout' });
      for (let i = 0; i < 2000; i += 1) logger.info('line', { filler: 'y'.repeat(500) });
      ${end}
    `;
    const stopped = { timeout: 60_000, killSignal: 'SIGKILL' } as const;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      ...stopped,
      stdio: ['ignore', pipe, 'ignore'],
    });
    assert.deepEqual(await once(child, 'exit'), [0, null], end);
  }
  closeSync(pipe);
});

test('a pipe that is read late gets every line, whole and in order', { skip: onlyOnLinux }, async () => {
  const path = join(directory, 'late');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, 'r+');
  const script = `
    import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
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
    import { openLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
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
