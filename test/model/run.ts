// One run: the moves of a scenario on the server, with the model beside them.

import { TOTP } from 'otpauth';
import { MINUTE, type Millis, SECOND } from '../../src/platform/clock.ts';
import { beginLogin, claimsOf, redirectUri, submitPassword, verifier } from '../support/flow.ts';
import { type House, type Household, oldEnrollment } from './house.ts';
import { lacksOf, newPlayers, outcomeOf, type Players, shownIn } from './players.ts';
import {
  type CodeKind,
  type JwtMethod,
  type Method,
  type Move,
  firstPassword as password,
  people,
  type Scenario,
  type Sender,
  type Slot,
  type Step,
  type Who,
} from './steps.ts';
import {
  Broken,
  type Happened,
  judge,
  lacking,
  mayGoOn,
  newWorld,
  type Outcome,
  type PasskeyAnswer,
  surviving,
  type World,
} from './world.ts';

const wrongCode = '000000';
const program = { by: 'program 1', foreign: false, page: false, asBefore: false } as const;

/** @throws Broken with everything that happened, when a promise was broken */
export async function run(house: House, scenario: Scenario): Promise<void> {
  const household = await house.movePeopleIn(scenario.enrolled, scenario.mustChange);
  const story: string[] = [];
  try {
    await new Run(house, household, scenario, story).play(scenario);
  } catch (error) {
    if (error instanceof Error) error.message += `\n  ${story.join('\n  ')}`;
    throw error;
  } finally {
    await household.moveOut();
  }
}

class Run {
  readonly #house: House;
  readonly #household: Household;
  readonly #players: Players;
  readonly #story: string[];
  /** The possible states of the world; never empty. */
  #worlds: readonly World[];
  readonly #codes: string[] = [];
  readonly #refreshTokens: { readonly code: string; readonly text: string }[] = [];
  readonly #sessions: string[] = [];
  /** For each person, the last code that was sent. */
  readonly #lastTexts = new Map<Who, string>();
  /** Who did the last primary login on a request. */
  readonly #holders = new Map<Slot, Sender>();
  /** The secrets that were shown last, by slot and by session. */
  readonly #shown = new Map<Slot | string, string>();
  /** The last answer of a passkey. */
  #lastAnswer: (PasskeyAnswer & { readonly response: string }) | null = null;
  /** How many new passwords there were. */
  #chosen = 0;

  constructor(house: House, household: Household, { enrolled, mustChange }: Scenario, story: string[]) {
    this.#house = house;
    this.#household = household;
    this.#players = newPlayers(house);
    this.#story = story;
    const secrets = Object.fromEntries(enrolled.map((who) => [who, oldEnrollment]));
    this.#worlds = [newWorld(secrets, mustChange, house.clock.now())];
  }

  async play({ begun, moves }: Scenario): Promise<void> {
    await this.#one({ do: 'begin', slot: 0, ...begun[0] });
    await this.#one({ do: 'begin', slot: 1, ...begun[1] });
    for (const move of moves) await this.#move(move);
    await this.#compareWithStore();
  }

  async #move(move: Move): Promise<void> {
    switch (move.do) {
      case 'wait':
        this.#story.push(`${move.millis / 1000} s pass`);
        this.#house.clock.advance(move.millis);
        return;
      case 'one':
        return this.#one(move.step);
      case 'together':
        return this.#together(move);
      case 'crowd':
        return this.#crowd(move);
      case 'finish':
        return this.#finish(move);
    }
  }

  async #one(step: Step): Promise<void> {
    const happened = await this.#do(step);
    if (happened === null) return;
    this.#tell(happened);
    this.#worlds = surviving(this.#worlds.map((world) => () => judge(world, happened)));
  }

  /** Two steps at once: the answers must fit one order of the two. */
  async #together({ steps, pauses }: Extract<Move, { readonly do: 'together' }>): Promise<void> {
    const both = await this.#house.pausing(pauses, () => Promise.all(steps.map((step) => this.#do(step))));
    const [first, second] = both
      .filter((happened) => happened !== null)
      .map((happened) => (happened.what === 'redeem' ? { ...happened, atOnce: true } : happened));
    for (const happened of [first, second]) if (happened !== undefined) this.#tell(happened, 'at once: ');
    const inOrder = (order: readonly (Happened | undefined)[]) => () =>
      order.reduce<readonly World[]>(
        (worlds, happened) =>
          happened === undefined ? worlds : surviving(worlds.map((world) => () => judge(world, happened))),
        this.#worlds,
      );
    this.#worlds = surviving([inOrder([first, second]), inOrder([second, first])]);
  }

  #tell(happened: Happened, how = ''): void {
    this.#story.push(how + JSON.stringify(happened));
  }

  get #world(): World {
    return this.#worlds[0] as World;
  }

  /** Sends a step; null where there is nothing to send it about. */
  async #do(step: Step): Promise<Happened | null> {
    switch (step.do) {
      case 'begin': {
        const party = await this.#players.begin(step, step.slot);
        return { what: 'begun', slot: step.slot, party, now: this.#now };
      }
      case 'redeem':
        return this.#redeem(step);
      case 'refresh':
        return this.#refresh(step);
      case 'open session':
        return this.#openSession(step);
      case 'session totp':
      case 'session enroll':
      case 'session verify':
      case 'session call':
      case 'session end':
        return this.#onSession(step);
      default:
        return this.#onRequest(step);
    }
  }

  get #now(): Millis {
    return this.#house.clock.now();
  }

  async #onRequest(
    step: Extract<Step, { readonly slot: Slot }> & { readonly do: Exclude<Step['do'], 'begin'> },
  ): Promise<Happened | null> {
    const { slot, foreign } = step;
    const holder = step.asBefore ? this.#holders.get(slot) : undefined;
    const from: Sender = holder ?? step;
    const theirs = (who: Who | null) => who ?? this.#world.requests[slot].login?.who ?? 'bob';
    const send = async (request: Parameters<Players['send']>[2]) => {
      const sent = await this.#players.send(from, slot, request);
      if (sent.outcome.kind === 'code') this.#codes.push(sent.outcome.code);
      return { slot, foreign, now: this.#now, ...sent };
    };
    switch (step.do) {
      case 'primary': {
        const made = await this.#primary({ ...step, by: from.by });
        const second = step.also === null ? [] : [await this.#house.newToken(step.also)];
        const tokens = [...made.tokens, ...second];
        const sent = await send({ method: 'POST', path: made.path, fields: made.fields, tokens });
        const { who, right } = made;
        if (sent.outcome.kind === 'partial') this.#holders.set(slot, from);
        const { method, also } = step;
        if (isJwt(method) && also === null) return { what: 'jwt', who, right, method, ...sent };
        const secret = made.fields.password ?? null;
        return { what: 'primary', who, right, secret, method, also, ...sent };
      }
      case 'totp': {
        const text = this.#codeOf(theirs(step.who), step.kind);
        const sent = await send({
          method: 'POST',
          path: '/oidc/login/totp',
          id: 'id',
          fields: { code: text },
        });
        return { what: 'totp', text, ...sent };
      }
      case 'jwt': {
        const who = theirs(step.who);
        const { method } = step;
        const tokens = [await this.#house.newToken(who, method)];
        const sent = await send({ method: 'POST', path: '/oidc/login/ext-jwt', tokens });
        return { what: 'jwt', who, right: true, method, ...sent };
      }
      case 'passkey': {
        const answer =
          step.again && this.#lastAnswer !== null
            ? this.#lastAnswer
            : await this.#answerOf(theirs(step.who), from, step);
        if (answer === null) return null;
        this.#lastAnswer = answer;
        const { response, ...signed } = answer;
        const sent = await send({
          method: 'POST',
          path: '/oidc/login/passkey',
          id: 'id',
          fields: { response },
        });
        if (sent.outcome.kind === 'partial') this.#holders.set(slot, from);
        return { what: 'passkey', ...signed, ...sent };
      }
      case 'queries':
        return {
          what: 'queries',
          ...(await send({ method: 'GET', path: '/oidc/login/auth-queries', id: 'id' })),
        };
      case 'enroll': {
        const sent = await send({ method: 'POST', path: '/oidc/login/totp/enroll' });
        if (sent.outcome.kind === 'shown') this.#shown.set(slot, sent.outcome.enrollment.secret);
        return { what: 'enroll', ...sent };
      }
      case 'verify': {
        const text = this.#firstCode(slot, step.right);
        const sent = await send({
          method: 'POST',
          path: '/oidc/login/totp/enroll/verify',
          fields: { code: text },
        });
        return { what: 'verify', text, ...sent };
      }
      case 'abandon': {
        const sent = await send(
          from.page
            ? { method: 'POST', path: '/oidc/login/totp/enroll/cancel' }
            : { method: 'DELETE', path: '/oidc/login/totp/enroll' },
        );
        return { what: 'abandon', ...sent };
      }
      case 'replace': {
        const present = this.#world.people[theirs(null)].password;
        this.#chosen += 1;
        const text = step.old ? present : `${password} number ${this.#chosen}`;
        const fields = { password: text, ...(from.page ? { repeated: text } : {}) };
        return {
          what: 'replace',
          text,
          ...(await send({ method: 'POST', path: '/oidc/login/password-change', fields })),
        };
      }
    }
  }

  /** @returns null: the question was refused */
  async #answerOf(
    who: Who,
    from: Sender,
    { slot, named, isVerified }: Extract<Step, { readonly do: 'passkey' }>,
  ): Promise<(PasskeyAnswer & { readonly response: string }) | null> {
    const question = await this.#players.question(from, slot, named);
    if (question === null) return null;
    const { options, party } = question;
    const device = this.#household.deviceOf(who);
    const response = JSON.stringify(device.get(options, { credential: device.credentials[0], isVerified }));
    const asked = { slot, party, named };
    return { who, isVerified, challenge: options.challenge, asked, response };
  }

  async #primary({
    by,
    who,
    method,
    right,
  }: Extract<Step, { readonly do: 'primary' | 'open session' }>): Promise<{
    readonly path: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly tokens: readonly string[];
    readonly who: Who;
    readonly right: boolean;
  }> {
    switch (method) {
      case 'password':
        return {
          path: '/oidc/login/username',
          fields: { username: who, password: right ? this.#world.people[who].password : 'wrong' },
          tokens: [],
          who,
          right,
        };
      case 'cert': {
        const owner = this.#house.certificateOf(by);
        return { path: '/oidc/login/cert', fields: {}, tokens: [], who: owner ?? who, right: owner !== null };
      }
      default: {
        const token = await this.#house.newToken(who, method);
        // One that was changed on the way.
        const sent = right ? token : `${token.slice(0, -20)}${'A'.repeat(20)}`;
        return { path: '/oidc/login/ext-jwt', fields: {}, tokens: [sent], who, right };
      }
    }
  }

  #codeOf(who: Who, kind: CodeKind): string {
    const { enrolled, spent } = this.#world.people[who];
    const text = this.#chosenCode(who, kind, enrolled, spent);
    this.#lastTexts.set(who, text);
    return text;
  }

  #chosenCode(
    who: Who,
    kind: CodeKind,
    enrolled: World['people'][Who]['enrolled'],
    spent: readonly string[],
  ): string {
    if (enrolled === null || kind === 'wrong') return wrongCode;
    if (kind === 'again') return this.#lastTexts.get(who) ?? wrongCode;
    if (kind === 'recovery again') return spent[0] ?? wrongCode;
    if (kind === 'recovery') {
      return enrolled.recoveryCodes.find((code) => !spent.includes(code)) ?? wrongCode;
    }
    return codeNow(enrolled.secret, this.#now);
  }

  #firstCode(where: Slot | string, right: boolean): string {
    const secret = this.#shown.get(where);
    return right && secret !== undefined ? codeNow(secret, this.#now) : wrongCode;
  }

  async #redeem(step: Extract<Step, { readonly do: 'redeem' }>): Promise<Happened | null> {
    const code = this.#codes.at(-1 - step.back);
    if (code === undefined) return null;
    const answer = await this.#players.call(step, 'POST', '/oidc/token', {
      form: {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: 'overlay',
        code_verifier: step.right ? verifier : 'x'.repeat(43),
      },
    });
    const tokens = answer.status === 200 ? await this.#tokensIn(step, answer.json) : null;
    if (tokens !== null) this.#refreshTokens.push({ code, text: tokens.refreshToken });
    const certificate = this.#house.certificateOf(step.by);
    const { foreign, right } = step;
    return { what: 'redeem', code, certificate, foreign, right, atOnce: false, now: this.#now, tokens };
  }

  async #tokensIn(
    { by, foreign }: Pick<Sender, 'by' | 'foreign'>,
    { access_token: accessToken, refresh_token: refreshToken }: Record<string, string>,
  ) {
    const { sub, amr } = claimsOf(accessToken ?? '');
    const who = this.#household.whose(sub);
    // Calls need the second token each time where the policy asks for one.
    const second = who !== null && this.#world.people[who].needs.includes('ejs');
    const tokens = [String(accessToken), ...(second ? [await this.#house.newToken(who)] : [])];
    const headers = { authorization: tokens.map((token) => `Bearer ${token}`) };
    const call = await this.#players.call({ by, foreign }, 'GET', '/edge/client/v1/current-identity', {
      headers,
    });
    const called = call.status === 200 ? this.#household.whose(call.json.data.id) : null;
    const passed = (amr as string[]).map((method) =>
      method.replace(/^ejs:.*/, 'ejs').replace(/^passkey:.*/, 'second passkey'),
    );
    return { who, passed, refreshToken: String(refreshToken), called };
  }

  async #refresh(step: Extract<Step, { readonly do: 'refresh' }>): Promise<Happened | null> {
    const presented = this.#refreshTokens.at(-1 - step.back);
    if (presented === undefined) return null;
    const from = { by: step.by, foreign: false };
    const answer = await this.#players.call(from, 'POST', '/oidc/token', {
      form: { grant_type: 'refresh_token', refresh_token: presented.text, client_id: 'overlay' },
    });
    const { code, text } = presented;
    const certificate = this.#house.certificateOf(step.by);
    const what = { what: 'refresh', code, presented: text, certificate, now: this.#now } as const;
    if (answer.status !== 200) return { ...what, tokens: null };
    const refreshToken = String(answer.json.refresh_token);
    this.#refreshTokens.push({ code, text: refreshToken });
    const who = this.#household.whose(claimsOf(answer.json.access_token).sub);
    return { ...what, tokens: { who, refreshToken } };
  }

  async #openSession(step: Extract<Step, { readonly do: 'open session' }>): Promise<Happened> {
    const { method, foreign } = step;
    const { fields, tokens, who, right } = await this.#primary(step);
    const [token] = tokens;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const path = `/edge/client/v1/authenticate?method=${isJwt(method) ? 'ext-jwt' : method}`;
    const answer = await this.#players.call(step, 'POST', path, { json: fields, headers });
    const now = this.#now;
    const what = { what: 'open session', who, method, right, foreign, now } as const;
    if (answer.status !== 200) return { ...what, opened: null };
    const { token: ztToken, identity, authQueries } = answer.json.data;
    this.#sessions.push(ztToken);
    return {
      ...what,
      opened: { token: ztToken, who: this.#household.whose(identity.id), lacks: lacksOf(authQueries) },
    };
  }

  async #onSession(step: Extract<Step, { readonly do: `session ${string}` }>): Promise<Happened | null> {
    const token = this.#sessions.at(-1 - step.back);
    if (token === undefined) return null;
    const root = '/edge/client/v1';
    const call = (method: string, path: string, init: Parameters<Players['call']>[3] = {}) =>
      this.#players.call(program, method, `${root}/${path}`, {
        ...init,
        headers: { 'zt-session': token, ...init.headers },
      });
    const now = this.#now;
    const jwt = 'jwt' in step ? step.jwt : null;
    const headers = jwt === null ? {} : { authorization: `Bearer ${await this.#house.newToken(jwt)}` };
    switch (step.do) {
      case 'session call': {
        const answer = await call('GET', 'current-identity', { headers });
        const called = answer.status === 200 ? this.#household.whose(answer.json.data.id) : null;
        return { what: 'session call', token, jwt, now, called };
      }
      case 'session totp': {
        const who = step.who ?? this.#world.sessions[token]?.who ?? 'bob';
        const text = this.#codeOf(who, step.kind);
        const outcome = outcomeOf(await call('POST', 'authenticate/mfa', { json: { code: text } }));
        return { what: 'session totp', token, text, jwt, now, outcome };
      }
      case 'session enroll': {
        const started = outcomeOfSession(await call('POST', 'current-identity/mfa', { headers }));
        if (started.kind === 'refused') return { what: step.do, token, text: '', jwt, now, outcome: started };
        const shown = await call('GET', 'current-identity/mfa', { headers });
        const outcome = shown.status === 200 ? shownIn(shown.json.data) : outcomeOfSession(shown);
        if (outcome.kind === 'shown') this.#shown.set(token, outcome.enrollment.secret);
        return { what: 'session enroll', token, text: '', jwt, now, outcome };
      }
      case 'session verify': {
        const text = this.#firstCode(token, step.right);
        const answer = await call('POST', 'current-identity/mfa/verify', { json: { code: text }, headers });
        return { what: 'session verify', token, text, jwt, now, outcome: outcomeOfSession(answer) };
      }
      case 'session end': {
        const answer = await call('DELETE', 'current-api-session');
        return { what: 'session end', token, text: '', jwt, now, outcome: outcomeOfSession(answer) };
      }
    }
  }

  /** Right passwords at once are no failures. After as many wrong ones as allowed, a right one is refused too. */
  async #crowd({ who, right }: Extract<Move, { readonly do: 'crowd' }>): Promise<void> {
    this.#story.push(`twelve ${right ? 'right' : 'wrong'} passwords of ${who} at once`);
    await this.#household.forgive();
    const { server } = this.#house;
    const present = this.#world.people[who].password;
    const statusOf = async (secret: string) =>
      (await submitPassword(server, await beginLogin(server), who, secret)).status;
    const secrets = Array.from({ length: 12 }, (_, at) => (right ? present : `wrong ${at}`));
    const statuses = await Promise.all(secrets.map(statusOf));
    if (right && statuses.includes(401)) throw new Broken(`a right password of ${who} was a failure`);
    if (!right && (await statusOf(present)) !== 401)
      throw new Broken(`${who} was not locked by wrong passwords`);
    await this.#household.forgive();
  }

  /** No state is a dead end: a client that may continue a request gets the code with the proofs of any person. */
  async #finish({ by, slot, who }: Extract<Move, { readonly do: 'finish' }>): Promise<void> {
    const page = by.startsWith('browser');
    const from: Sender = { by, foreign: false, page, asBefore: false };
    // A browser gets its cookie with the page.
    const party = page ? this.#players.partyOf(by as 'browser 1', slot) : null;
    const now = this.#now;
    const mayFinish = this.#worlds.every(
      (world) =>
        mayGoOn(world, { slot, party, foreign: false, now }) === null &&
        now < world.requests[slot].begunAt + 5 * MINUTE,
    );
    if (!mayFinish) return;
    this.#story.push(`${by} finishes request ${slot} as ${who}`);
    await this.#household.forgive();
    const also = this.#world.people[who].needs.includes('ejs') ? who : null;
    await this.#one({ do: 'primary', slot, who, method: 'password', right: true, also, ...from });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { login } = this.#world.requests[slot];
      if (login === null || login.who !== who) break;
      if (login.code !== null) return;
      const lacks = lacking(this.#world, who, login.passed);
      if (lacks.includes('passkey')) {
        const answer = { who, named: null, isVerified: true, again: false };
        await this.#one({ do: 'passkey', slot, ...answer, ...from });
      } else if (String(lacks) === 'password-change') {
        await this.#one({ do: 'replace', slot, old: false, ...from });
      } else if (this.#world.people[who].enrolled !== null) {
        this.#house.clock.advance(61 * SECOND);
        await this.#one({ do: 'totp', slot, who, kind: 'now', ...from });
      } else {
        await this.#one({ do: 'enroll', slot, ...from });
        if (this.#world.requests[slot].pending === null) await this.#one({ do: 'abandon', slot, ...from });
        else await this.#one({ do: 'verify', slot, right: true, ...from });
      }
    }
    const { login } = this.#world.requests[slot];
    if (login !== null && login.code !== null && login.who === who) return;
    const lacks = login === null ? 'the primary proof' : lacking(this.#world, who, login.passed).join(', ');
    throw new Broken(`a dead end: ${by} cannot finish request ${slot} as ${who}; lacks ${lacks}`);
  }

  async #compareWithStore(): Promise<void> {
    for (const who of people) {
      const isEnrolled = await this.#household.isEnrolled(who);
      this.#worlds = surviving(
        this.#worlds.map((world) => () => {
          if ((world.people[who].enrolled !== null) !== isEnrolled) {
            throw new Broken(`${who} is ${isEnrolled ? '' : 'not '}enrolled, and nobody did that`);
          }
          return [world];
        }),
      );
    }
    const { grants, sessions } = this.#world;
    const known = Object.values(grants).filter(({ isRedeemed }) => isRedeemed).length;
    const opened = known + Object.keys(sessions).length;
    const stored = this.#household.sessions();
    // A code whose login no longer counts when it is redeemed leaves a session that was ended at once.
    if (stored < opened) throw new Broken(`${stored} sessions in the store, ${opened} were opened`);
  }
}

const isJwt = (method: Method): method is JwtMethod => method.endsWith('-jwt');

function codeNow(secret: string, now: Millis): string {
  return new TOTP({ secret }).generate({ timestamp: now });
}

function outcomeOfSession({ status }: { readonly status: number }): Outcome {
  return status < 300 ? { kind: 'done' } : { kind: 'refused', status };
}
