import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../platform/digest.ts';
import { systemRandom } from '../../platform/random.ts';
import { Sender } from '../request/sender.ts';
import { bindBrowser, bindingCookie } from './browser-binding.ts';

const value = 'A_-9'.repeat(11).slice(0, 43);
const withCookie = (cookie?: string) => {
  const headers = { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }) };
  const request = { method: 'GET', headers } as unknown as ConstructorParameters<typeof Sender>[0];
  return { sender: new Sender(request, 'https://login.example') };
};

test('the binding is found at any position among the cookies', () => {
  const own = `__Host-overlay-auth-login=${value}`;
  for (const cookie of [
    own,
    `a=b; ${own}`,
    `a=b;${own}`,
    `a=b;  \t${own}`,
    `${own}; a=b`,
    `a=b; ${own};c=d`,
  ]) {
    assert.equal(bindingCookie(withCookie(cookie)), value, cookie);
  }
});

test('a text that only looks like a binding is refused', () => {
  for (const cookie of [
    undefined,
    '',
    `overlay-auth-login=${value}`,
    `x__Host-overlay-auth-login=${value}`,
    `a=b;x__Host-overlay-auth-login=${value}`,
    `a=__Host-overlay-auth-login=${value}`,
    `__Host-overlay-auth-login=${value}x`,
    `__Host-overlay-auth-login=${value.slice(1)}`,
    `__Host-overlay-auth-login=${value.slice(1)}=`,
    `__Host-overlay-auth-login=`,
    `__Host-overlay-auth-login="${value}"`,
    `__Secure-overlay-auth-login=${value}`,
  ]) {
    assert.equal(bindingCookie(withCookie(cookie)), null, String(cookie));
  }
});

test('a browser keeps its binding, and gets one if it has none', () => {
  const rules = '; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=1800';
  const kept = bindBrowser(systemRandom, withCookie(`__Host-overlay-auth-login=${value}`));
  assert.deepEqual(kept, {
    binding: sha256(value),
    headers: { 'set-cookie': `__Host-overlay-auth-login=${value}${rules}` },
  });
  const fresh = bindBrowser(systemRandom, withCookie());
  const made =
    /^__Host-overlay-auth-login=([A-Za-z0-9_-]{43});/.exec(fresh.headers['set-cookie'] ?? '')?.[1] ?? '';
  assert.equal(fresh.binding, sha256(made));
  assert.ok(fresh.headers['set-cookie'].endsWith(rules));
  const another = bindBrowser(systemRandom, withCookie());
  assert.notEqual(another.binding, fresh.binding);
});
