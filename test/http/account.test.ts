// How the account page is served, and what it is allowed as a client.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authorize, challenge, login, redeem } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { httpsClient } from '../support/https-client.ts';
import { password } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const server = await serverOfFile();
await server.createUser({ name: 'alice', password });

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** A second listener beside the first, and what the first one binds. */
const listeners = (first: readonly string[], second: readonly string[], port: number) => (yaml: string) => {
  const before = yaml.slice(0, yaml.search(/^web:/m));
  const listener = (name: string, at: number, apis: readonly string[]) =>
    `  - name: ${name}
    bindPoints: [{ interface: "127.0.0.1:${at}", address: "localhost:${at}" }]
    apis: [${apis.map((binding) => `{ binding: ${binding} }`).join(', ')}]`;
  return `${before}web:
${listener('one', 0, first)}
${listener('two', port, second)}
edge:
  api: { address: "localhost:0", disableOidcAutoBinding: true }
`;
};

describe('the start page', () => {
  test('leads to the account and the console, in the language of the browser', async () => {
    const answer = await server.get('/', { headers: browser });
    assert.equal(answer.status, 200);
    assert.match(answer.text, /id="to-account" class="button" href="\/account">Sign in to your account</);
    assert.match(answer.text, /id="to-console" href="\/console"/);
    // Links work without scripts; the one of this page shows applications to whom it knows.
    assert.equal(answer.text.match(/<script(?! src="\/assets\/pages)/g)?.length, 1);
    assert.match(answer.text, /<script src="\/assets\/account\/[\w-]+\/home\.js" type="module"><\/script>/);
    assert.match(answer.text, /<div id="applications" hidden>/);
    const german = await server.get('/', { headers: { ...browser, 'accept-language': 'de' } });
    assert.match(german.text, /Bei Ihrem Konto anmelden/);
  });

  test('answers HEAD as every page that is the same for everybody, and sends no body', async () => {
    for (const path of ['/', '/account', '/account/callback', '/console', '/console/identities']) {
      const answer = await server.request('HEAD', path, { headers: browser });
      assert.deepEqual([answer.status, answer.text], [200, ''], path);
      assert.match(String(answer.headers['content-type']), /^text\/html/);
      assert.ok(answer.headers.etag, path);
    }
  });

  // Gateways ask like this whether a link in a mail works.
  test('answers HEAD as GET where a form is shown or nothing but an address', async () => {
    const paths = ['/invite?t=x', '/setup?t=x', '/forgotten', '/oidc/device', '/.well-known/change-password'];
    for (const path of paths) {
      const [head, get] = [
        await server.request('HEAD', path, { headers: browser }),
        await server.get(path, { headers: browser }),
      ];
      assert.deepEqual([head.status, head.text], [get.status, ''], path);
      assert.equal(head.headers.location, get.headers.location);
    }
  });

  test('names no console where none is served', async () => {
    const configure = (yaml: string) => yaml.replace(/^.*binding: edge-management.*\n/m, '');
    const other = await startTestServer({ configure });
    const { status, text } = await other.get('/', { headers: browser });
    assert.equal(status, 200);
    assert.match(text, /href="\/account"/);
    assert.doesNotMatch(text, /console/);
    await other.close();
  });
});

describe('the account page', () => {
  test('is one shell for everybody, in the language of the browser, with a strict policy', async () => {
    for (const path of ['/account', '/account/callback?code=x&state=y', '/account/signed-out']) {
      const answer = await server.get(path, { headers: browser });
      assert.equal(answer.status, 200);
      assert.equal(
        answer.headers['content-security-policy'],
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'; connect-src 'self'",
      );
      assert.equal(answer.headers['referrer-policy'], 'no-referrer');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.match(answer.text, /<html lang="en" dir="ltr"/);
      assert.doesNotMatch(answer.text, /<script(?![^>]*src=)|style=|\son\w+=/);
    }
    const languages = { 'de-CH,de;q=0.9': 'de', 'fr, de;q=0.5': 'de', fr: 'en', '': 'en', 'x,,;q': 'en' };
    for (const [accepted, spoken] of Object.entries(languages)) {
      const headers = { ...browser, 'accept-language': accepted };
      const answer = await server.get('/account', { headers });
      assert.match(answer.text, new RegExp(`<html lang="${spoken}"`), accepted);
      assert.match(String(answer.headers.vary), /accept-language/);
    }
  });

  test('loads files that may be kept for ever, and each file that they import is there', async () => {
    const shell = (await server.get('/account', { headers: browser })).text;
    const main = /src="(\/assets\/account\/[\w-]+\/account\.js)"/.exec(shell)?.[1] ?? '';
    const seen = new Set<string>();
    const waiting = [main, ...[...shell.matchAll(/href="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')];
    let size = 0;
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const answer = await server.get(path);
      assert.equal(answer.status, 200, path);
      const type = { js: /javascript/, css: /css/, svg: /^image\/svg\+xml/ }[path.split('.').at(-1) ?? ''];
      assert.match(String(answer.headers['content-type']), type ?? /none/, path);
      assert.match(String(answer.headers['cache-control']), /immutable/);
      const compressed = await server.get(path, { headers: { 'accept-encoding': 'br' } });
      size += Number(compressed.headers['content-length']);
      for (const [, name] of answer.text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
        waiting.push(new URL(name ?? '', `https://localhost${path}`).pathname);
      }
    }
    assert.ok(seen.size >= 6);
    assert.ok(size < 180_000, `${size} bytes`);
    for (const name of ['none.js', '..%2fpages.css', '%00']) {
      assert.equal((await server.get(new URL(name, `https://localhost${main}`).pathname)).status, 404, name);
    }
  });

  test('is where password managers look', async () => {
    const answer = await server.get('/.well-known/change-password');
    assert.deepEqual([answer.status, answer.headers.location], [302, '/account']);
  });

  test('is not served by a listener that lacks one of the APIs it is a client of', async () => {
    const port = await freePort();
    const configure = listeners(['edge-client'], ['edge-oidc'], port);
    const other = await startTestServer({ configure });
    const url = `https://localhost:${port}`;
    for (const client of [other, httpsClient(url, other.caPem)]) {
      for (const path of ['/', '/account', '/account/callback', '/.well-known/change-password']) {
        assert.equal((await client.get(path)).status, 404, path);
      }
    }
    for (const origin of [url, other.url]) {
      const refused = await authorize(httpsClient(url, other.caPem), {
        redirect_uri: `${origin}/account/callback`,
      });
      assert.equal(refused.status, 400);
      assert.equal(refused.headers.location, undefined);
    }
    await other.close();
  });
});

describe('the account page as a client', () => {
  test('may be redirected to at its own origin without configuration', async () => {
    const redirect_uri = `${server.url}/account/callback`;
    const tokens = await loginAt(redirect_uri);
    const answer = await server.get(
      `/oidc/end_session?${new URLSearchParams({
        id_token_hint: tokens.id_token,
        post_logout_redirect_uri: `${server.url}/account/signed-out`,
      })}`,
    );
    assert.deepEqual([answer.status, answer.headers.location], [302, `${server.url}/account/signed-out`]);
  });

  test('and nothing else becomes allowed by it', async () => {
    const port = new URL(server.url).port;
    const { host } = new URL(server.url);
    const others = [
      `${server.url}/account`,
      `${server.url}/account/callback/`,
      `${server.url}/account/callback?x=1`,
      `${server.url}/account/callback#x`,
      `${server.url}/account/../account/callback`,
      `${server.url}//account/callback`,
      `${server.url}/Account/callback`,
      `${server.url}/oidc/account/callback`,
      `http://${host}/account/callback`,
      `https://LOCALHOST:${port}/account/callback`,
      `https://localhost/account/callback`,
      `https://localhost:${Number(port) + 1}/account/callback`,
      `https://127.0.0.1:${port}/account/callback`,
      `https://evil.example/account/callback`,
      `https://${host}@evil.example/account/callback`,
      `https://evil.example#${server.url}/account/callback`,
    ];
    for (const redirect_uri of others) {
      const answer = await authorize(server, { redirect_uri });
      assert.equal(answer.status, 400, redirect_uri);
      assert.equal(answer.headers.location, undefined, redirect_uri);
    }
    const { id_token } = await login(server, 'alice', password);
    for (const uri of [
      `${server.url}/account`,
      `${server.url}/account/signed-out/`,
      `${server.url}/account/callback`,
      'https://evil.example/account',
    ]) {
      const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: uri });
      const answer = await server.get(`/oidc/end_session?${query}`);
      assert.equal(answer.status, 400, uri);
    }
  });
});

async function loginAt(redirect_uri: string) {
  const begun = await authorize(server, { redirect_uri, code_challenge: challenge });
  const id = new URL(begun.headers.location ?? '', server.url).searchParams.get('authRequestID');
  const json = { authRequestId: id, username: 'alice', password };
  const done = await server.post('/oidc/login/username', { json });
  const back = new URL(done.headers.location ?? '');
  assert.equal(`${back.origin}${back.pathname}`, redirect_uri);
  const answer = await redeem(server, back.searchParams.get('code') ?? '', { redirect_uri });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}
