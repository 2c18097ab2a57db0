import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../platform/digest.ts';
import { systemRandom } from '../../platform/random.ts';
import { Sender } from '../request/sender.ts';
import { bindBrowser, bindingsOf } from './browser-binding.ts';

const value = 'A_-9'.repeat(11).slice(0, 43);
const other = 'b'.repeat(43);
const cookieOf = (text: string) => `__Host-overlay-auth-login-${text.slice(0, 4)}=${text}`;
const withCookie = (cookie?: string) => {
  const headers = { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }) };
  const request = { method: 'GET', headers } as unknown as ConstructorParameters<typeof Sender>[0];
  return { sender: new Sender(request, 'https://login.example') };
};

test('the binding is found at any position among the cookies', () => {
  const own = cookieOf(value);
  for (const cookie of [
    own,
    `a=b; ${own}`,
    `a=b;${own}`,
    `a=b;  \t${own}`,
    `${own}; a=b`,
    `a=b; ${own};c=d`,
  ]) {
    assert.deepEqual(bindingsOf(withCookie(cookie)), [sha256(value)], cookie);
  }
  const both = withCookie(`${cookieOf(other)}; a=b; ${own}`);
  assert.deepEqual(bindingsOf(both), [sha256(other), sha256(value)]);
});

test('a text that only looks like a binding is refused', () => {
  for (const cookie of [
    undefined,
    '',
    `overlay-auth-login-A_-9=${value}`,
    `x${cookieOf(value)}`,
    `a=b;x${cookieOf(value)}`,
    `a=${cookieOf(value)}`,
    `a=b;\u00a0${cookieOf(value)}`,
    `${cookieOf(value)}x`,
    `${cookieOf(value)}=`,
    cookieOf(value.slice(1)),
    `__Host-overlay-auth-login-A_-9=`,
    `__Host-overlay-auth-login-A_-9="${value}"`,
    `__Host-overlay-auth-login-bbbb=${value}`,
    `__Host-overlay-auth-login-=${value}`,
    `__Host-overlay-auth-login=${value}`,
    `__Secure-overlay-auth-login-A_-9=${value}`,
  ]) {
    assert.deepEqual(bindingsOf(withCookie(cookie)), [], String(cookie));
  }
});

test('a browser keeps its binding, and gets one of its own name if it has none', () => {
  const rules = '; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=86400';
  const kept = bindBrowser(systemRandom, withCookie(cookieOf(value)));
  assert.deepEqual(kept, {
    binding: sha256(value),
    headers: { 'set-cookie': `${cookieOf(value)}${rules}` },
  });
  const fresh = bindBrowser(systemRandom, withCookie());
  const made = /=([A-Za-z0-9_-]{43});/.exec(fresh.headers['set-cookie'])?.[1] ?? '';
  assert.deepEqual(fresh, { binding: sha256(made), headers: { 'set-cookie': `${cookieOf(made)}${rules}` } });
  const another = bindBrowser(systemRandom, withCookie());
  assert.notEqual(another.binding, fresh.binding);
});

test('of several bindings a login keeps its own, and a new one gets the first', () => {
  const both = withCookie(`${cookieOf(other)}; ${cookieOf(value)}`);
  const bindingFor = (bound: string | null) => bindBrowser(systemRandom, both, bound).binding;
  assert.equal(bindingFor(sha256(value)), sha256(value));
  assert.equal(bindingFor(null), sha256(other));
  assert.equal(bindingFor(sha256('of another browser')), sha256(other));
});
