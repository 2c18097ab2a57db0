// The two browsers and two programs: what they send for a step, and what the answer means.

import { authorizationQuery, redirectUri } from '../support/flow.ts';
import type { Answer, RequestInit } from '../support/https-client.ts';
import type { House } from './house.ts';
import type { Actor, BrowserName, Sender, Slot } from './steps.ts';
import type { Lack, Outcome, Party } from './world.ts';

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

export interface Players {
  begin(from: Sender, slot: Slot): Promise<Party>;
  /** The person as whom the server sees the pages of this browser. */
  partyOf(by: BrowserName): Party;
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
  const cookies = new Map<Actor, string>();
  /** Two first pages at the same time give a browser two cookies: the server takes it for two browsers. */
  const parties = new Map<string, string>();
  const ids: [string, string] = ['', ''];
  /** What the page of a browser says, by slot. */
  const ownIds = new Map<string, string>();

  function headersOf({ by, foreign, page }: Sender, tokens: readonly string[]) {
    const cookie = cookies.get(by);
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
      ...(cookie === undefined ? {} : { cookie }),
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
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
    const before = cookies.get(from.by);
    if (cookie !== undefined && cookie !== before && from.by.startsWith('browser')) {
      parties.set(cookie, before === undefined ? from.by : `${parties.get(before)}, with a new cookie`);
      cookies.set(from.by, cookie);
    }
    return answer;
  }

  function partyOf(by: Actor): Party {
    const cookie = cookies.get(by);
    return cookie === undefined ? null : (parties.get(cookie) ?? null);
  }

  /** The page that a person must have opened before there is a form to submit. */
  async function ownIdOf(from: Sender, slot: Slot): Promise<string> {
    const key = `${from.by} ${slot}`;
    const known = ownIds.get(key);
    if (known !== undefined) return known;
    const begun = ids[slot];
    const page = await request(from, 'GET', `/oidc/login/username?authRequestID=${begun}`, {});
    const found = /name="authRequestId" value="([^"]+)"/.exec(page.text)?.[1];
    if (found === undefined) return begun;
    // For a request that was replaced while the page was loading, this step is the last one.
    if (ids[slot] === begun) ownIds.set(key, found);
    return found;
  }

  return {
    partyOf: (by) => partyOf(by) ?? by,
    async begin(from, slot) {
      const path = `/oidc/authorization?${authorizationQuery({ method: 'password' })}`;
      const sender = from.foreign ? { ...from, page: false } : from;
      const { headers } = await request(sender, 'GET', path, {});
      ids[slot] = new URL(headers.location ?? '', house.server.url).searchParams.get('authRequestID') ?? '';
      for (const key of [...ownIds.keys()]) if (key.endsWith(` ${slot}`)) ownIds.delete(key);
      return sender.page ? partyOf(from.by) : null;
    },
    async send(from, slot, { method, path, id = 'authRequestId', fields = {}, tokens = [] }) {
      const authRequestId = from.page ? await ownIdOf(from, slot) : ids[slot];
      // With the cookie that it has by now.
      const party = partyOf(from.by);
      const isGet = method === 'GET';
      const body = { [id]: authRequestId, ...fields };
      const init = isGet ? {} : from.page || from.foreign ? { form: body } : { json: body };
      const target = isGet ? `${path}?${id}=${authRequestId}` : path;
      return { outcome: outcomeOf(await request(from, method, target, init, tokens)), party };
    },
    async question(from, slot, named) {
      const own: Sender = { ...from, foreign: false };
      const id = encodeURIComponent(own.page ? await ownIdOf(own, slot) : ids[slot]);
      const party = partyOf(from.by);
      const username = named === null ? '' : `&username=${named}`;
      const path = `/oidc/login/passkey/options?id=${id}${username}`;
      const answer = await request({ ...own, page: false }, 'GET', path, {});
      return answer.status === 200 ? { options: answer.json, party } : null;
    },
    call: (from, method, path, init = {}) =>
      request({ ...from, page: false, asBefore: false }, method, path, init),
  };
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
