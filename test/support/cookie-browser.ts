// A browser without scripts, as cheap as a request: it keeps cookies, requests pages and submits their forms.

import assert from 'node:assert/strict';
import type { Answer, HttpsClient } from './https-client.ts';

export interface CookieBrowser {
  readonly cookies: Map<string, string>;
  /** Navigates, as when a person follows a link or an application redirects. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Submits a form of one of our pages. */
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Submits the form of a page, with its hidden fields and the typed ones. */
  submit(page: Answer, typed?: Readonly<Record<string, string>>): Promise<Answer>;
}

export function cookieBrowser(server: HttpsClient & { readonly url: string }): CookieBrowser {
  const cookies = new Map<string, string>();
  const own = () => ({
    accept: 'text/html,application/xhtml+xml',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    ...(cookies.size === 0
      ? {}
      : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
  });
  const keep = (answer: Answer) => {
    for (const line of answer.lines('set-cookie')) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0(?:;|$)/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const formHeaders = { origin: server.url, 'sec-fetch-site': 'same-origin' };
  const browser: CookieBrowser = {
    cookies,
    get: async (path, headers = {}) => keep(await server.get(path, { headers: { ...own(), ...headers } })),
    post: async (path, form, headers = formHeaders) =>
      keep(await server.post(path, { form, headers: { ...own(), ...headers } })),
    submit(page, typed = {}) {
      const form = formOf(page, Object.keys(typed));
      const action = /action="([^"]+)"/.exec(form)?.[1];
      assert.ok(action !== undefined, `no form in ${page.status} ${page.text}`);
      return browser.post(unescaped(action), { ...hiddenIn(form), ...typed });
    },
  };
  return browser;
}

/** The first form of a page that has fields with all of these names. */
function formOf(page: Answer, names: readonly string[] = []): string {
  const forms = page.text.match(/<form [^>]*method="post"[\s\S]*?<\/form>/g) ?? [];
  return forms.find((form) => names.every((name) => form.includes(`name="${name}"`))) ?? forms[0] ?? '';
}

/** The hidden fields of the first form of a page that has fields with these names. */
export function hiddenFields(page: Answer, names: readonly string[] = []): Record<string, string> {
  return hiddenIn(formOf(page, names));
}

function hiddenIn(form: string): Record<string, string> {
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return text.replace(/&(?:lt|gt|quot|amp|#39);/g, (name) => characters[name as keyof typeof characters]);
}
