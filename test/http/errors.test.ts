import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { AuthError, AuthorizationError } from '../../src/errors/auth-error.ts';
import { oidcChallenge } from '../../src/errors/challenge.ts';
import { type ErrorCode, errorCodes } from '../../src/errors/codes.ts';
import { json } from '../../src/http/request/answer.ts';
import type { ErrorFormat } from '../../src/http/request/error-answers.ts';
import { type Route, route } from '../../src/http/request/route.ts';
import { MalformedInput } from '../../src/platform/formats/strict-input.ts';
import { HashPoolFull, HashUnwanted } from '../../src/platform/secrets/hash-pool.ts';
import { AlreadyTaken, StoreUnavailable } from '../../src/store/contracts/store.ts';
import { send, startTestListener } from './support.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];
const formats: readonly ErrorFormat[] = ['oauth', 'edge', 'html-or-oauth', 'html-or-edge'];

/** Endpoints that throw the error that the test sets. */
function throwing(thrown: { value: unknown }): Route[] {
  return formats.map((errors) =>
    route(['GET', 'POST'], `/throws/${errors}`, {
      api: 'edge-client',
      guard: 'anonymous',
      load: 'light',
      errors,
      summary: 'For a test',
      answers: {},
      async handler() {
        throw thrown.value;
      },
    }),
  );
}

describe('errors', () => {
  test('every code is rendered in every format, and nothing of its detail or cause is', async (t) => {
    const thrown: { value: unknown } = { value: null };
    const { port, log } = await startTestListener(t, { routes: throwing(thrown) });
    for (const code of codes) {
      thrown.value = new AuthError(code, {
        detail: 'leak-detail',
        cause: new Error('leak-cause'),
        challenges: [oidcChallenge('invalid')],
        allow: ['GET'],
      });
      const { status, edgeCode, oauthError } = errorCodes[code];

      const edge = await send(port, '/throws/edge');
      assert.equal(edge.status, status, code);
      assert.deepEqual(edge.json, {
        error: {
          code: edgeCode,
          message: errorCodes[code].description,
          requestId: edge.headers['x-request-id'],
        },
        meta: {},
      });
      assert.match(edgeCode, /^[A-Z][A-Z_]+$/);

      const oauth = await send(port, '/throws/oauth');
      assert.equal(oauth.status, status, code);
      assert.deepEqual(Object.keys(oauth.json), ['error', 'error_description']);
      assert.equal(oauth.json.error, oauthError);
      assert.match(oauth.json.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      assert.equal(oauth.headers.pragma, 'no-cache');

      const page = await send(port, '/throws/html-or-edge', { headers: { accept: 'text/html' } });
      assert.equal(page.status, status, code);
      assert.match(String(page.headers['content-type']), /^text\/html/);
      assert.ok(page.text.includes(String(page.headers['x-request-id'])), 'the page has the reference');

      for (const answer of [edge, oauth, page]) {
        assert.ok(!/leak-/.test(answer.text + JSON.stringify(answer.headers)), code);
        assert.match(String(answer.headers['x-request-id']), /^[0-9A-Z]{10}$/);
        assert.equal(answer.headers['cache-control'], 'no-store');
        assert.equal(answer.headers['www-authenticate']?.toString().startsWith('Bearer realm'), true);
        if (status === 429 || status === 503) assert.ok(Number(answer.headers['retry-after']) >= 1, code);
        if (status === 405) assert.equal(answer.headers.allow, 'GET');
      }
      const levels = log.lines.slice(-3).map((line) => line.level);
      assert.deepEqual(levels, Array(3).fill(code === 'server_error' ? 'error' : 'info'), code);
    }
    for (const line of log.lines) assert.equal(line.fields.path?.toString().startsWith('/throws/'), true);
  });

  test('formats with a page send it to clients that prefer one', async (t) => {
    const thrown = { value: new AuthError('invalid_client') };
    const { port } = await startTestListener(t, { routes: throwing(thrown) });
    const table: readonly [ErrorFormat, string, RegExp][] = [
      ['html-or-oauth', 'text/html', /^<!doctype html>/],
      ['html-or-oauth', 'application/json', /"error":"invalid_client"/],
      ['html-or-edge', 'text/html,*/*;q=0.8', /^<!doctype html>/],
      ['html-or-edge', '*/*', /"code":"INVALID_CLIENT"/],
    ];
    for (const [format, accept, expected] of table) {
      const answer = await send(port, `/throws/${format}`, { headers: { accept } });
      assert.equal(answer.status, 400);
      assert.match(answer.text, expected, `${format} ${accept}`);
    }
  });

  test('an unexpected failure is a 500 without details, and the server continues', async (t) => {
    const thrown: { value: unknown } = { value: null };
    const { port, log } = await startTestListener(t, { routes: throwing(thrown) });
    const unexpected: unknown[] = [
      new Error('leak /etc/passwd'),
      new TypeError('leak'),
      'leak',
      { statusCode: 418, message: 'leak' },
      Object.assign(new Error('leak'), { statusCode: 403, code: 'ECONNRESET' }),
      Object.assign(new Error('leak'), { code: 'toString' }),
      null,
      undefined,
      42,
    ];
    for (const value of unexpected) {
      thrown.value = value;
      for (const format of formats) {
        const answer = await send(port, `/throws/${format}`);
        assert.equal(answer.status, 500, String(value));
        assert.ok(!answer.text.includes('leak'));
        assert.ok(!/fastify|node|at .*:\d+/i.test(answer.text));
      }
      const last = log.lines.at(-1);
      assert.equal(last?.level, 'error');
      assert.ok(last.fields.error !== undefined, 'the log has the cause');
    }
  });

  test('failures of lower layers have their own statuses, and the log says why the database refused', async (t) => {
    const thrown: { value: unknown } = { value: null };
    const { port, log } = await startTestListener(t, { routes: throwing(thrown) });
    const table: readonly [unknown, number, string, string?][] = [
      [new StoreUnavailable('leak'), 503, 'UNAVAILABLE', '5'],
      [new HashPoolFull(7), 503, 'SERVER_BUSY', '7'],
      [new HashUnwanted(), 400, 'COULD_NOT_VALIDATE'],
      [new MalformedInput('not UTF-8'), 400, 'COULD_NOT_VALIDATE'],
      [new AlreadyTaken('name'), 409, 'CONFLICT'],
    ];
    for (const [value, status, code, retryAfter] of table) {
      thrown.value = value;
      const answer = await send(port, '/throws/edge');
      assert.equal(answer.status, status);
      assert.equal(answer.json.error.code, code);
      assert.ok(!answer.text.includes('leak'));
      assert.equal(answer.headers['retry-after'], retryAfter);
      if (value instanceof StoreUnavailable) assert.equal(log.lines.at(-1)?.fields.detail, 'leak');
    }
  });

  test('a refused field is named in every format', async (t) => {
    const fields = [{ field: 'na<me', reason: 'must not hold "<"', value: '<b>' }];
    const thrown = { value: new AuthError('could_not_validate', { fields }) };
    const { port } = await startTestListener(t, { routes: throwing(thrown) });
    const edge = await send(port, '/throws/edge');
    assert.deepEqual(edge.json.error.cause, fields[0]);
    const oauth = await send(port, '/throws/oauth');
    assert.ok(oauth.json.error_description.endsWith(": na<me must not hold '<'"));
    const page = await send(port, '/throws/html-or-edge', { headers: { accept: 'text/html' } });
    assert.ok(page.text.includes('<code>na&lt;me</code> must not hold &quot;&lt;&quot;'));
    assert.ok(!page.text.includes('<b>'));
  });

  test('an authorization error goes back to the client, percent-encoded', async (t) => {
    const thrown: { value: unknown } = { value: null };
    const { port } = await startTestListener(t, { routes: throwing(thrown) });
    const states = ['s1', 'a b&c=d', 'x\r\nSet-Cookie: a=b', '\u20ac"\\', '\ud800', '%41', ''];
    for (const state of states) {
      thrown.value = new AuthorizationError('invalid_scope', {
        redirectUri: 'http://localhost:8400/auth/callback',
        state,
        issuer: 'https://localhost:1280/oidc',
      });
      const answer = await send(port, '/throws/html-or-oauth', { headers: { accept: 'text/html' } });
      assert.equal(answer.status, 302);
      const location = String(answer.headers.location);
      assert.match(
        location,
        /^http:\/\/localhost:8400\/auth\/callback\?error=invalid_scope&error_description=[!-~]+$/,
      );
      const sent = new URL(location).searchParams;
      assert.deepEqual([...sent.keys()], ['error', 'error_description', 'state', 'iss']);
      assert.equal(sent.get('state'), state.toWellFormed());
      assert.equal(sent.get('iss'), 'https://localhost:1280/oidc');
      assert.equal(answer.headers['set-cookie'], undefined);
    }
    thrown.value = new AuthorizationError('login_required', {
      redirectUri: 'https://app.example/cb?tenant=1',
      state: null,
      issuer: 'https://localhost/oidc',
    });
    const answer = await send(port, '/throws/oauth');
    assert.ok(
      String(answer.headers.location).startsWith('https://app.example/cb?tenant=1&error=login_required&'),
    );
    assert.ok(!String(answer.headers.location).includes('state='));
  });

  test('an unknown client that used Basic gets 401 with the scheme', async (t) => {
    const thrown = { value: new AuthError('invalid_client') };
    const { port } = await startTestListener(t, { routes: throwing(thrown) });
    const plain = await send(port, '/throws/oauth');
    assert.equal(plain.status, 400);
    assert.equal(plain.headers['www-authenticate'], undefined);
    const basic = await send(port, '/throws/oauth', { headers: { authorization: 'basic YTo=' } });
    assert.equal(basic.status, 401);
    assert.match(String(basic.headers['www-authenticate']), /^Basic realm="/);
  });

  test('answers that a handler makes wrongly are defects, not headers of an attacker', async (t) => {
    const { redirect } = await import('../../src/http/request/answer.ts');
    const bad = route('GET', '/bad', {
      api: 'edge-client',
      guard: 'anonymous',
      load: 'light',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      query: z.object({ to: z.string() }),
      handler: (_context, { query }) => (query.to === '' ? json({}) : redirect(query.to)),
    });
    const { port } = await startTestListener(t, { routes: [bad] });
    for (const to of ['a%0d%0aSet-Cookie:x', '%c3%a9', 'a%20b', '%0a', '%e2%80%a8']) {
      const answer = await send(port, `/bad?to=${to}`);
      assert.equal(answer.status, 500, to);
      assert.equal(answer.headers.location, undefined);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  });
});
