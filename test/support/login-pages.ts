// The pages of a login as a browser without scripts uses them.

import assert from 'node:assert/strict';
import { authorizationQuery, authRequestIdOf, locationOf } from './flow.ts';
import type { Answer, HttpsClient } from './https-client.ts';
import { password } from './totp.ts';

/** A browser on the pages of one login: keeps the cookie, submits forms as the page has them. */
export interface LoginBrowser {
  readonly id: string;
  readonly loginPage: Answer;
  get(path: string): Promise<Answer>;
  /** Submits the page's form that posts to `action`, with what a person fills in. */
  submit(page: Answer, action: string, filled?: Readonly<Record<string, string>>): Promise<Answer>;
}

const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

/** Begins a login. */
export async function browse(server: HttpsClient): Promise<LoginBrowser> {
  const begun = await server.get(`/oidc/authorization?${authorizationQuery()}`, { headers: { accept } });
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  const headers = { accept, cookie, 'sec-fetch-site': 'same-origin' };
  return {
    id: authRequestIdOf(begun),
    loginPage: await server.get(locationOf(begun), { headers }),
    get: (path) => server.get(path, { headers }),
    async submit(page, action, filled = {}) {
      assertPage(page);
      const form = formTo(page, action, Object.keys(filled));
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
      const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
      return server.post(action, { form: { ...fields, ...filled }, headers });
    },
  };
}

export function formTo(page: Answer, action: string, fields: readonly string[] = []): string {
  const forms = page.text.match(/<form [\s\S]*?<\/form>/g) ?? [];
  const has = (text: string) => fields.every((name) => text.includes(`name="${name}"`));
  const form = forms.find((text) => text.includes(`action="${action}"`) && has(text));
  assert.ok(form, `a form to ${action} with ${fields} in ${page.text}`);
  return form;
}

/** What every page must have. */
export function assertPage(page: Answer): void {
  assert.match(String(page.headers['content-type']), /^text\/html/);
  const csp = String(page.headers['content-security-policy']);
  assert.match(csp, /default-src 'none'/);
  assert.match(csp, /form-action 'self' http:\/\/localhost:8400/);
  assert.ok(!csp.includes('unsafe'));
  assert.equal(page.headers['cache-control'], 'no-store');
  const ownScripts = page.text.replace(/<script src="\/assets\/[\w.-]+" type="module"><\/script>/g, '');
  assert.ok(!/<script|<style|\sstyle=|\son[a-z]+=/i.test(ownScripts), 'nothing that the policy would block');
  assert.equal(page.text.match(/<h1>/g)?.length, 1);
  const ids = [...page.text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, described = ''] of page.text.matchAll(/aria-describedby="([^"]+)"/g)) {
    for (const id of described.split(' ')) assert.ok(ids.includes(id), id);
  }
}

/** Gives the password of `createTotpUser`. */
export async function signIn(browser: LoginBrowser, username: string): Promise<Answer> {
  return browser.submit(browser.loginPage, '/oidc/login/username', { username, password });
}
