import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { memoryLogger } from '../../../test/support/memory-logger.ts';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
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
