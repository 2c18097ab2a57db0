// The two browsers and two programs: what they send for a step, and what the answer means.

import { authorizationQuery, redirectUri } from '../support/flow.ts';
import type { Answer, RequestInit } from '../support/https-client.ts';
import type { House } from './house.ts';
import type { Actor, BrowserName, Sender, Slot } from './steps.ts';
import type { Lack, Outcome, Party } from './world.ts';

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

export interface Players {
  begin(from: Sender, slot: Slot): Promise<Party>;
  /** The person as whom the server sees the page of a slot in this browser. */
  partyOf(by: BrowserName, slot: Slot): Party;
  /** A step of the login of a slot; says also as whom the server saw the sender. */
  send(
    from: Sender,
    slot: Slot,
    request: StepRequest,
  ): Promise<{ readonly outcome: Outcome; readonly party: Party }>;
  /**
   * Asks for a passkey, as the page of this browser or as a program.
   * @param named whose name was typed; null: none
   * @returns for `navigator.credentials.get`; null: refused
   */
  question(
    from: Sender,
    slot: Slot,
    named: string | null,
  ): Promise<{ readonly options: { readonly challenge: string }; readonly party: Party } | null>;
  /** Any other request of this actor, or of a page of another site in it. */
  call(
    from: Pick<Sender, 'by' | 'foreign'>,
    method: string,
    path: string,
    init?: RequestInit,
  ): Promise<Answer>;
}

export interface StepRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** The name of the member with the auth request id. */
  readonly id?: 'id' | 'authRequestId';
  readonly fields?: Readonly<Record<string, string>>;
  readonly tokens?: readonly string[];
}

class ServerFailed extends Error {}

/** New browsers, without cookies. */
export function newPlayers(house: House): Players {
  /**
   * By cookie, of each browser. Two first pages at the same time give it two: a login continues with its own, and any
   * other with the first, so that the server takes the browser for two.
   */
  const cookies = new Map<Actor, Map<string, string>>();
  const ids: [string, string] = ['', ''];
  /** What the page of a browser says, by slot. */
  const ownIds = new Map<string, { readonly id: string; readonly party: Party }>();
  /** The party to which the id of a slot was bound when it began. */
  const begunIn: [Party, Party] = [null, null];

  function headersOf({ by, foreign, page }: Sender, tokens: readonly string[]) {
    const own = [...(cookies.get(by)?.keys() ?? [])];
    const site = foreign
      ? { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
      : page
        ? { origin: 'null', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }
        : by.startsWith('browser')
          ? { origin: house.server.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }
          : {};
    return {
      accept: page ? html : 'application/json',
      ...site,
      ...(own.length === 0 ? {} : { cookie: own.join('; ') }),
      ...(tokens.length === 0 ? {} : { authorization: tokens.map((token) => `Bearer ${token}`) }),
    };
  }

  async function request(
    from: Sender,
    method: string,
    path: string,
    init: RequestInit,
    tokens: readonly string[] = [],
  ) {
    const headers = { ...headersOf(from, tokens), ...init.headers };
    const answer = await house.connectionOf(from.by).request(method, path, { ...init, headers });
    if (answer.status >= 500) throw new ServerFailed(`${method} ${path}: ${answer.status} ${answer.text}`);
    if (from.by.startsWith('browser')) keep(from.by, answer);
    return answer;
  }

  function keep(by: Actor, answer: Answer): void {
    const cookie = cookieIn(answer);
    const own = cookies.get(by) ?? new Map<string, string>();
    if (cookie === undefined || own.has(cookie)) return;
    own.set(cookie, own.size === 0 ? by : `${by}, with cookie ${own.size + 1}`);
    cookies.set(by, own);
  }

  /** Of the login that continues with a slot, without a page of its own. */
  function partyOf(by: Actor, slot: Slot): Party {
    const own = [...(cookies.get(by)?.values() ?? [])];
    return own.find((party) => party === begunIn[slot]) ?? own[0] ?? null;
  }

  /** The party whose cookie a page sets. */
  function partyIn(by: Actor, answer: Answer): Party {
    return cookies.get(by)?.get(cookieIn(answer) ?? '') ?? null;
  }

  /** The page that a person must have opened before there is a form to submit. */
  async function ownIdOf(from: Sender, slot: Slot): Promise<{ readonly id: string; readonly party: Party }> {
    const key = `${from.by} ${slot}`;
    const known = ownIds.get(key);
    if (known !== undefined) return known;
    const begun = ids[slot];
    const page = await request(from, 'GET', `/oidc/login/username?authRequestID=${begun}`, {});
    const id = /name="authRequestId" value="([^"]+)"/.exec(page.text)?.[1];
    if (id === undefined) return { id: begun, party: partyOf(from.by, slot) };
    const found = { id, party: partyIn(from.by, page) };
    // For a request that was replaced while the page was loading, this step is the last one.
    if (ids[slot] === begun) ownIds.set(key, found);
    return found;
  }

  /** The id that a sender uses, and as whom the server sees it. */
  async function idAndParty(
    from: Sender,
    slot: Slot,
  ): Promise<{ readonly id: string; readonly party: Party }> {
    return from.page ? ownIdOf(from, slot) : { id: ids[slot], party: partyOf(from.by, slot) };
  }

  return {
    partyOf: (by, slot) => ownIds.get(`${by} ${slot}`)?.party ?? partyOf(by, slot) ?? by,
    async begin(from, slot) {
      const path = `/oidc/authorization?${authorizationQuery({ method: 'password' })}`;
      const sender = from.foreign ? { ...from, page: false } : from;
      const answer = await request(sender, 'GET', path, {});
      const location = new URL(answer.headers.location ?? '', house.server.url);
      ids[slot] = location.searchParams.get('authRequestID') ?? '';
      begunIn[slot] = sender.page ? partyIn(from.by, answer) : null;
      for (const key of [...ownIds.keys()]) if (key.endsWith(` ${slot}`)) ownIds.delete(key);
      return begunIn[slot];
    },
    async send(from, slot, { method, path, id = 'authRequestId', fields = {}, tokens = [] }) {
      const { id: authRequestId, party } = await idAndParty(from, slot);
      const isGet = method === 'GET';
      const body = { [id]: authRequestId, ...fields };
      const init = isGet ? {} : from.page || from.foreign ? { form: body } : { json: body };
      const target = isGet ? `${path}?${id}=${authRequestId}` : path;
      return { outcome: outcomeOf(await request(from, method, target, init, tokens)), party };
    },
    async question(from, slot, named) {
      const own: Sender = { ...from, foreign: false };
      const { id: asked, party } = await idAndParty(own, slot);
      const id = encodeURIComponent(asked);
      const username = named === null ? '' : `&username=${named}`;
      const path = `/oidc/login/passkey/options?id=${id}${username}`;
      const answer = await request({ ...own, page: false }, 'GET', path, {});
      return answer.status === 200 ? { options: answer.json, party } : null;
    },
    call: (from, method, path, init = {}) =>
      request({ ...from, page: false, asBefore: false }, method, path, init),
  };
}

function cookieIn(answer: Answer): string | undefined {
  return answer.headers['set-cookie']?.[0]?.split(';')[0];
}

/** The meaning of an accepted answer to a login step. */
export function outcomeOf(answer: Answer): Outcome {
  const { status, headers, text } = answer;
  if (status >= 400) return { kind: 'refused', status };
  if (status === 302) {
    const location = new URL(headers.location ?? '');
    const code = location.searchParams.get('code');
    if (!location.href.startsWith(redirectUri) || code === null) return { kind: 'refused', status };
    return { kind: 'code', code };
  }
  const isPage = String(headers['content-type']).startsWith('text/html');
  if (status === 201) return isPage ? shownOn(text) : shownIn(answer.json);
  if (isPage) return { kind: 'partial', lacks: null };
  const { authQueries } = answer.json;
  return authQueries === undefined ? { kind: 'done' } : { kind: 'partial', lacks: lacksOf(authQueries) };
}

const lackOfType: Readonly<Record<string, Lack>> = {
  'EXT-JWT': 'ejs',
  PASSKEY: 'passkey',
  'PASSWORD-CHANGE': 'password-change',
};

export function lacksOf(authQueries: readonly { readonly typeId: string }[]): readonly Lack[] {
  return authQueries.map(({ typeId }) => lackOfType[typeId] ?? 'totp').sort();
}

export function shownIn(record: {
  readonly provisioningUrl: string;
  readonly recoveryCodes: readonly string[];
}): Outcome {
  const url = new URL(record.provisioningUrl);
  const recoveryCodes = record.recoveryCodes.map((code) => code.replaceAll('-', ''));
  const label = decodeURIComponent(url.pathname);
  return {
    kind: 'shown',
    label,
    enrollment: { secret: url.searchParams.get('secret') ?? '', recoveryCodes },
  };
}

function shownOn(page: string): Outcome {
  const provisioningUrl = /otpauth:[^"<]+/.exec(page)?.[0].replaceAll('&amp;', '&') ?? '';
  const list = /<ul id="recovery-codes"[\s\S]*?<\/ul>/.exec(page)?.[0] ?? '';
  const recoveryCodes = [...list.matchAll(/<code>([^<]+)<\/code>/g)].map((match) => String(match[1]));
  return shownIn({ provisioningUrl, recoveryCodes });
}
