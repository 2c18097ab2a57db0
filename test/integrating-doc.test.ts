// docs/integrating.md says how programs log in. Every exchange in it is sent to a real server here, in its order.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { MINUTE } from '../src/platform/clock.ts';
import { createPolicy, createSigner, createUserWithPolicy, tokenOf } from './support/external-jwt.ts';
import { fixedClock } from './support/fixed-clock.ts';
import { beginLogin, challenge, login, verifier } from './support/flow.ts';
import type { Answer } from './support/https-client.ts';
import { rootOf } from './support/management.ts';
import { personWithPasskey, question } from './support/passkeys.ts';
import { startTestIdp, type TestIdp } from './support/test-idp.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';
import { createTotpUser, password, scan, totpPolicy } from './support/totp.ts';

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly status: number;
  readonly expectedHeaders: readonly (readonly [name: string, value: string])[];
  readonly expectedBody: string;
}

const clock = fixedClock('2026-01-01T00:00:00Z');
let server: TestServer;
let idp: TestIdp;
/** What stands for `{name}` in the document. */
const values = new Map<string, string>();

before(async () => {
  [server, idp] = await Promise.all([startTestServer({ clock }), startTestIdp()]);
  const admin = await rootOf(server);
  for (const name of ['ada', 'bob']) await server.createUser({ name, password });
  await createTotpUser(server, await totpPolicy(server), 'grace');
  const signerId = await createSigner(admin, idp, 'Example ID', { scopes: ['openid'] });
  const policy = await createPolicy(server, 'two proofs', { secondary: { requireExtJwt: signerId } });
  await createUserWithPolicy(server, 'joan', policy);
  const given = { state: 's1', nonce: 'n1', code_challenge: challenge, code_verifier: verifier, password };
  for (const [name, value] of Object.entries(given)) values.set(name, value);
  values.set('bob_refresh_token', (await login(server, 'bob', password)).refresh_token);
});
after(() => Promise.all([server.close(), idp.close()]));

/** What a reader of the document does between the exchanges, when a value is first needed. */
const makers: Readonly<Record<string, () => Promise<string> | string>> = {
  totp_request_id: () => beginLogin(server),
  joan_request_id: () => beginLogin(server),
  async next_totp_request_id() {
    const id = await beginLogin(server);
    await server.post('/oidc/login/username', {
      json: { authRequestId: id, username: 'grace', password },
    });
    return id;
  },
  passkey_request_id: () => beginLogin(server),
  async passkey_response() {
    const pat = await personWithPasskey(server);
    const asked = await question(server, values.get('passkey_request_id') ?? '');
    return JSON.stringify(pat.authenticator.get(asked));
  },
  provider_token: () => tokenOf(server, idp, 'joan@idp'),
  /** Another time step each time. */
  totp_code() {
    clock.advance(MINUTE);
    return scan(clock, values.get('provisioning_url') ?? '').code();
  },
};

async function filled(text: string): Promise<string> {
  for (const [, name = ''] of text.matchAll(/\{(\w+)\}/g)) {
    const make = makers[name];
    if (make !== undefined && (name === 'totp_code' || !values.has(name))) values.set(name, await make());
    assert.ok(values.has(name), `nothing stands for {${name}}`);
  }
  return text.replace(/\{(\w+)\}/g, (_, name) => values.get(name) ?? '');
}

function exchangesOf(text: string): readonly Exchange[] {
  return [...text.matchAll(/```http\n([\s\S]*?)```/g)].map(([, block = '']) => {
    const [request = '', answer = ''] = block.split(/^HTTP\/1\.1 /m);
    const asked = partsOf(request);
    const [method = '', path = ''] = asked.first.replaceAll(/\n {2}/g, '').split(' ');
    const answered = partsOf(answer);
    return {
      method,
      path,
      headers: asked.headers,
      body: asked.body,
      status: Number(answered.first),
      expectedHeaders: answered.headers,
      expectedBody: answered.body,
    };
  });
}

function partsOf(text: string) {
  const [head = '', ...body] = text.split('\n\n');
  const [, first = '', rest = ''] = /^([^\n]*(?:\n {2}[^\n]*)*)\n?([\s\S]*)$/.exec(head) ?? [];
  const headers = rest
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 2)] as const;
    });
  return { first, headers, body: body.join('\n\n').trim() };
}

/** Whether the text is as the document says; what stands for a name that is not known yet is learnt. */
function fits(pattern: string, text: string): boolean {
  const names: string[] = [];
  const source = pattern
    .split(/(\{\w+\}|…)/)
    .map((part) => {
      if (part === '…') return '.*';
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return escaped(part);
      const known = values.get(name);
      if (known !== undefined) return escaped(known);
      names.push(name);
      return '(.+?)';
    })
    .join('');
  const found = new RegExp(`^${source}$`, 's').exec(text);
  for (const [at, name] of names.entries()) values.set(name, found?.[at + 1] ?? '');
  return found !== null;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Members that the document leaves out may be there; elements of lists may not. */
function assertFits(expected: unknown, value: unknown, where: string): void {
  if (expected === '…') {
    assert.notEqual(value, undefined, where);
  } else if (typeof expected === 'string') {
    assert.ok(typeof value === 'string' && fits(expected, value), `${where}: ${value} is not ${expected}`);
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof value === 'object' && value !== null, where);
    if (Array.isArray(expected)) assert.equal((value as unknown[]).length, expected.length, where);
    for (const [name, member] of Object.entries(expected)) {
      assertFits(member, (value as Record<string, unknown>)[name], `${where}.${name}`);
    }
  } else assert.equal(value, expected, where);
}

async function send({ method, path, headers, body }: Exchange): Promise<Answer> {
  const sent: Record<string, string | string[]> = {};
  for (const [name, pattern] of headers) {
    const value = await filled(pattern);
    sent[name] = name in sent ? [sent[name] as string, value] : value;
  }
  const isForm = sent['content-type'] === 'application/x-www-form-urlencoded';
  const text = isForm ? body.replaceAll('\n', '') : body;
  const init = { headers: sent, ...(body === '' ? {} : { body: await filled(text) }) };
  return server.request(method, await filled(path), init);
}

test('every exchange of docs/integrating.md is what the server does', async () => {
  const text = readFileSync(new URL('../docs/integrating.md', import.meta.url), 'utf8');
  const exchanges = exchangesOf(text);
  assert.ok(exchanges.length > 20, `${exchanges.length} exchanges`);
  for (const exchange of exchanges) {
    // Readers take their time; a refresh token that comes again is then no duplicate of a moment ago.
    clock.advance(5000);
    const answer = await send(exchange);
    const what = `${exchange.method} ${exchange.path}\n${answer.status} ${answer.text}`;
    assert.equal(answer.status, exchange.status, what);
    for (const [name, pattern] of exchange.expectedHeaders) {
      assert.ok(
        answer.lines(name).some((line) => fits(pattern, line)),
        `${name}: ${answer.lines(name).join(', ')} is not ${pattern}\n${what}`,
      );
    }
    if (exchange.expectedBody !== '') assertFits(JSON.parse(exchange.expectedBody), answer.json, what);
  }
});
