// OAuth 2.0 Form Post Response Mode: the answer comes to the client as a form that the browser posts.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { authorizeIn, follow, signIn } from '../support/browser-session.ts';
import { cookieBrowser, hiddenFields } from '../support/cookie-browser.ts';
import { authorize, redeem, redirectUri } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
await server.createUser({ name: 'alice', password });

const formPost = { response_mode: 'form_post', redirect_uri: redirectUri };

function assertForm(page: Answer): Record<string, string> {
  assert.equal(page.status, 200, page.text);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.equal(page.headers['cache-control'], 'no-store');
  assert.ok(page.text.includes(`<form method="post" action="${redirectUri}">`), page.text);
  return hiddenFields(page);
}

describe('response_mode=form_post', () => {
  test('is advertised with query, which stays the default', async () => {
    const { json } = await server.get('/.well-known/openid-configuration');
    assert.deepEqual(json.response_modes_supported, ['query', 'form_post']);
    const answer = await signIn(cookieBrowser(server), 'alice', { ...formPost, response_mode: 'query' });
    assert.match(String(answer.headers.location), /\?code=/);
  });

  test('delivers code, state and issuer as a form, and the code works', async () => {
    const state = `a"><script>alert(1)</script>&amp;'`;
    const page = await signIn(cookieBrowser(server), 'alice', { ...formPost, state });
    const { code = '', ...rest } = assertForm(page);
    assert.deepEqual(rest, { state, iss: server.issuer });
    assert.equal((await redeem(server, code)).status, 200);
  });

  test('allows the script in the page by its hash, and no address but that of the client', async () => {
    const page = await signIn(cookieBrowser(server), 'alice', formPost);
    const script = /<script>([^<]*)<\/script>/.exec(page.text)?.[1] ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    const policy = String(page.headers['content-security-policy']).split('; ');
    assert.ok(policy.includes(`script-src 'self' 'sha256-${hash}'`), policy.join('\n'));
    assert.ok(policy.includes("form-action 'self' http://localhost:8400"), policy.join('\n'));
    assert.ok(policy.includes("frame-ancestors 'none'") && policy.includes("default-src 'none'"));
    assert.equal(page.text.match(/<script(?! src="\/assets\/)/g)?.length, 1);
  });

  test('delivers errors in the same way, also of a login in progress', async () => {
    const refused = assertForm(await authorize(server, { ...formPost, scope: 'profile' }));
    assert.deepEqual([refused.error, refused.state, refused.iss], ['invalid_scope', 's1', server.issuer]);
    const silent = assertForm(await authorizeIn(cookieBrowser(server), { ...formPost, prompt: 'none' }));
    assert.equal(silent.error, 'login_required');
  });

  test('of an unsigned request object is read for its refusal, and for nothing else', async () => {
    const claims = { response_mode: 'form_post', state: 'inside', redirect_uri: 'https://evil.example/cb' };
    const request = new UnsecuredJWT(claims).encode();
    for (const outer of [{ state: null }, { state: 'outside', response_mode: 'query' }]) {
      const refused = assertForm(await authorize(server, { request, ...outer }));
      assert.deepEqual([refused.error, refused.state], ['request_not_supported', 'inside']);
    }
    // What it lacks, or does not say as a text, comes from the parameters.
    const odd = new UnsecuredJWT({ state: 7, response_mode: ['query'] }).encode();
    for (const request of [odd, 'no.jwt', 'x'.repeat(2000)]) {
      const refused = assertForm(await authorize(server, { request, ...formPost }));
      assert.deepEqual([refused.error, refused.state], ['request_not_supported', 's1']);
    }
    const elsewhere = await authorize(server, { request, redirect_uri: 'https://evil.example/cb' });
    assert.equal(elsewhere.status, 400);
    assert.equal(elsewhere.headers.location, undefined);
  });

  test('changes nothing for who may be answered: an unknown address gets a page', async () => {
    const answer = await authorize(server, { ...formPost, redirect_uri: 'https://evil.example/cb' });
    assert.equal(answer.status, 400);
    assert.equal(answer.text.includes('evil.example'), false);
  });

  test('must not be given twice, and other modes are refused', async () => {
    for (const [mode, more] of [
      ['fragment', []],
      ['form_post', [['response_mode', 'query']]],
    ] as const) {
      const answer = await authorize(server, { response_mode: mode }, more);
      const sent = new URL(String(answer.headers.location)).searchParams;
      assert.equal(sent.get('error'), 'invalid_request', mode);
    }
  });

  test('is kept when an expired login starts again', async () => {
    const browser = cookieBrowser(server);
    const page = await follow(browser, await authorizeIn(browser, formPost));
    const done = await browser.submit(page, { username: 'alice', password });
    assertForm(done);
    const again = await browser.submit(page, { username: 'alice', password });
    assert.match(again.text, /response_mode=form_post/);
  });
});
