// A model of staying signed in, beside a real server: random runs of two people in two browsers, three applications and
// an administrator. The model predicts the exact outcome of each visit: whose code, the question who it is, or a login.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { HOUR, MINUTE, type Millis, SECOND } from '../../src/platform/clock.ts';
import {
  asksForLogin,
  asksWhom,
  authorizeIn,
  follow,
  withBrowserSession,
} from '../support/browser-session.ts';
import { type CookieBrowser, cookieBrowser } from '../support/cookie-browser.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { claimsOf, login, redeem, redirectUri } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { appRedirectUri, redeemAs, registerClient, type TestClient } from '../support/oidc-clients.ts';
import { sized } from '../support/size.ts';
import { startTestServer } from '../support/test-server.ts';
import { totpPolicy } from '../support/totp.ts';

const people = ['ann', 'bob'] as const;
type Who = (typeof people)[number];
const browserNames = ['one', 'two'] as const;
type BrowserName = (typeof browserNames)[number];
const applications = ['overlay', 'wiki', 'shop'] as const;
type Application = (typeof applications)[number];
const wishes = [
  '',
  '',
  'none',
  'none',
  'login',
  'select_account',
  'young',
  'for ann',
  'none for bob',
] as const;
type Wish = (typeof wishes)[number];

type Move =
  | { readonly do: 'log in'; readonly in: BrowserName; readonly who: Who; readonly to: Application }
  | { readonly do: 'visit'; readonly in: BrowserName; readonly to: Application; readonly wish: Wish }
  /** Where the page asks whom: the answer is yes. */
  | { readonly do: 'click'; readonly in: BrowserName; readonly to: Application }
  /** A script of another page asks in the person's name. */
  | { readonly do: 'lure'; readonly in: BrowserName; readonly to: Application }
  | { readonly do: 'log out'; readonly in: BrowserName }
  | { readonly do: 'end'; readonly who: Who; readonly how: 'disable' | 'sessions' }
  | { readonly do: 'demand'; readonly who: Who; readonly totp: boolean }
  | { readonly do: 'wait'; readonly millis: Millis };

const one = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const place = { in: one(browserNames), to: one(applications) };
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('log in' as const), who: one(people), ...place }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('visit' as const), wish: one(wishes), ...place }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('click' as const), ...place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lure' as const), ...place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('log out' as const), in: one(browserNames) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      who: one(people),
      how: one(['disable', 'sessions'] as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('demand' as const), who: one(people), totp: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      millis: one([SECOND, 2 * MINUTE, 29 * MINUTE, 30 * MINUTE, 12 * HOUR]),
    }),
  },
);

/** What the model knows about a browser in which a person is signed in. */
interface SignedIn {
  readonly who: Who;
  readonly since: Millis;
  lastUse: Millis;
  readonly to: Set<Application>;
}

type Outcome = { readonly code: Who } | 'log in' | 'choose' | { readonly error: string };

class Model {
  readonly browsers = new Map<BrowserName, SignedIn>();
  readonly demanded = new Set<Who>();

  /** What a visit comes to, and what follows from it. */
  visit(browser: BrowserName, to: Application, wish: Wish, now: Millis): Outcome {
    const isSilent = wish.startsWith('none');
    const ask = (error: string, page: 'log in' | 'choose'): Outcome => (isSilent ? { error } : page);
    const session = this.#alive(browser, now);
    if (session === undefined) return ask('login_required', 'log in');
    const { who } = session;
    const isMeant = !wish.includes('for') || wish.endsWith(who);
    const isFresh = wish !== 'young' || now - session.since <= MINUTE;
    if (wish === 'login' || !isMeant || !isFresh) return ask('login_required', 'log in');
    if (this.demanded.has(who)) {
      this.browsers.delete(browser);
      return ask('login_required', 'log in');
    }
    // At a loopback address any program may listen.
    const isKnown = to !== 'overlay' && session.to.has(to);
    if (wish === 'select_account' || !isKnown) return ask('account_selection_required', 'choose');
    session.lastUse = now;
    return { code: who };
  }

  click(browser: BrowserName, to: Application, now: Millis): Who | undefined {
    const session = this.#alive(browser, now);
    session?.to.add(to);
    if (session !== undefined) session.lastUse = now;
    return session?.who;
  }

  end(who: Who): void {
    for (const [browser, session] of this.browsers) if (session.who === who) this.browsers.delete(browser);
  }

  #alive(browser: BrowserName, now: Millis): SignedIn | undefined {
    const session = this.browsers.get(browser);
    if (session === undefined) return undefined;
    return now < session.lastUse + 30 * MINUTE && now < session.since + 12 * HOUR ? session : undefined;
  }
}

const clients = new Map<Application, TestClient>();
const ids = new Map<Who, IdentityId>();
const hints = new Map<Who, string>();
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await startTestServer({ clock, configure: withBrowserSession });
const root = await rootOf(server);
for (const name of ['wiki', 'shop'] as const) clients.set(name, await registerClient(root, { name }));
for (const who of people) {
  ids.set(who, await server.createUser({ name: who, password }));
  hints.set(who, (await login(server, who, password)).id_token);
}
const demanding = await totpPolicy(server);
after(() => server.close());

const idOf = (who: Who) => ids.get(who) as IdentityId;

function parametersOf(to: Application, wish: Wish): Record<string, string> {
  const client = clients.get(to);
  const hinted = people.find((who) => wish.endsWith(`for ${who}`));
  const prompt = wish.startsWith('none') ? 'none' : ['login', 'select_account'].includes(wish) ? wish : null;
  return {
    ...(client === undefined
      ? { redirect_uri: redirectUri }
      : { client_id: client.id, redirect_uri: appRedirectUri }),
    ...(prompt === null ? {} : { prompt }),
    ...(wish === 'young' ? { max_age: '60' } : {}),
    ...(hinted === undefined ? {} : { id_token_hint: String(hints.get(hinted)) }),
  };
}

async function outcomeOf(answer: Answer, to: Application): Promise<Outcome> {
  if (asksForLogin(answer)) return 'log in';
  if (asksWhom(answer)) return 'choose';
  const sent = new URL(String(answer.headers.location)).searchParams;
  const error = sent.get('error');
  return error === null ? { code: await ownerOf(sent.get('code') ?? '', to) } : { error };
}

/** The owner of the tokens that a code gives; the code must work. */
async function ownerOf(code: string, to: Application): Promise<Who> {
  const client = clients.get(to);
  const tokens = await (client === undefined ? redeem(server, code) : redeemAs(server, client, code));
  assert.equal(tokens.status, 200, tokens.text);
  const { sub } = claimsOf(tokens.json.id_token);
  return people.find((who) => idOf(who) === sub) as Who;
}

async function play(story: readonly Move[]): Promise<void> {
  const model = new Model();
  const browsers = new Map<BrowserName, CookieBrowser>(
    browserNames.map((name) => [name, cookieBrowser(server)]),
  );
  for (const who of people) await demand(model, who, false);
  for (const move of story) await step(model, browsers, move);
}

async function demand(model: Model, who: Who, totp: boolean): Promise<void> {
  const authPolicyId = totp ? demanding : defaultAuthPolicyId;
  await server.store.identities.update(idOf(who), { authPolicyId }, clock.now());
  if (totp) model.demanded.add(who);
  else model.demanded.delete(who);
}

async function step(
  model: Model,
  browsers: ReadonlyMap<BrowserName, CookieBrowser>,
  move: Move,
): Promise<void> {
  const now = clock.now();
  switch (move.do) {
    case 'wait':
      return clock.advance(move.millis);
    case 'demand':
      return demand(model, move.who, move.totp);
    case 'end': {
      model.end(move.who);
      const { identities, apiSessions } = server.store;
      if (move.how === 'sessions')
        return void (await apiSessions.endAllOf(idOf(move.who), 'administrator', now));
      await identities.update(idOf(move.who), { disabledAt: now }, now);
      return void (await identities.update(idOf(move.who), { disabledAt: null }, now));
    }
    default:
      return inBrowser(model, browsers.get(move.in) as CookieBrowser, move);
  }
}

async function inBrowser(
  model: Model,
  browser: CookieBrowser,
  move: Extract<Move, { readonly in: BrowserName }>,
): Promise<void> {
  const now = clock.now();
  if (move.do === 'log out') {
    const page = await browser.get('/oidc/end_session');
    if (page.text.includes('id="sign-out"')) await browser.submit(page);
    model.browsers.delete(move.in);
    return;
  }
  if (move.do === 'log in') {
    const asked = await authorizeIn(browser, parametersOf(move.to, 'login'));
    const done = await browser.submit(await follow(browser, asked), { username: move.who, password });
    if (model.demanded.has(move.who)) return assert.equal(done.status, 200, 'a code is asked for');
    assert.deepEqual(await outcomeOf(done, move.to), { code: move.who });
    model.browsers.set(move.in, { who: move.who, since: now, lastUse: now, to: new Set([move.to]) });
    return;
  }
  if (move.do === 'lure') {
    const headers = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' };
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'overlay',
      scope: 'openid',
      prompt: 'none',
      ...parametersOf(move.to, ''),
    });
    const lured = await browser.get(`/oidc/authorization?${query}`, headers);
    assert.match(String(lured.headers.location), /error=login_required/);
    return;
  }
  const wish = move.do === 'visit' ? move.wish : '';
  const answer = await authorizeIn(browser, parametersOf(move.to, wish));
  const expected = model.visit(move.in, move.to, wish, now);
  assert.deepEqual(await outcomeOf(answer, move.to), expected);
  if (move.do === 'visit' || expected !== 'choose') return;
  const gone = await browser.submit(await follow(browser, answer));
  assert.deepEqual(await outcomeOf(gone, move.to), { code: model.click(move.in, move.to, now) });
}

test('a browser continues only as the person who is signed in there', async () => {
  const runs = Number(process.env.OVERLAY_AUTH_MODEL_RUNS ?? sized({ small: 40, full: 2000 }));
  const stories = fc.array(moves, { minLength: 1, maxLength: 14, size: 'max' });
  await fc.assert(fc.asyncProperty(stories, play), { numRuns: runs, seed: 20260101 });
});
