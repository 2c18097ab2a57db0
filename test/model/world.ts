// The model: what is known to have been proven, by whom, in which browser and on which request. `judge` takes what was
// sent and what came back, and returns the possible states of the world; none means a broken promise. It knows what
// must not be accepted, and never when something must be: refusals change nothing.

import { type Secret, TOTP } from 'otpauth';
import { MINUTE, type Millis, SECOND } from '../../src/platform/clock.ts';
import { type JwtMethod, type Method, firstPassword as password, type Slot, type Who } from './steps.ts';

/** The browser whose cookie was sent. Null: none, as with programs. */
export type Party = string | null;

/** `uv`: by a passkey that knew its owner, where the policy takes that for both factors; `user`: by one that did not. */
export type Proof =
  | 'password'
  | 'cert'
  | 'ext-jwt'
  | 'passkey'
  | 'uv'
  | 'user'
  | 'totp'
  | 'ejs'
  | 'second passkey';
/** What is still to be proven. */
export type Lack = 'totp' | 'ejs' | 'passkey' | 'password-change';

/** What the policies say of passkeys. As the second proof, dee's has to know her. */
const passkeyRules: Readonly<
  Record<Who, { readonly mayOpen: boolean; readonly mayBeUnverified: boolean; readonly isTwofold: boolean }>
> = {
  ann: { mayOpen: true, mayBeUnverified: false, isTwofold: false },
  bob: { mayOpen: true, mayBeUnverified: false, isTwofold: true },
  cyd: { mayOpen: true, mayBeUnverified: true, isTwofold: false },
  dee: { mayOpen: false, mayBeUnverified: false, isTwofold: false },
};

interface Enrollment {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

interface Person {
  readonly needs: readonly Lack[];
  enrolled: Enrollment | null;
  password: string;
  mustChange: boolean;
  lastStep: number;
  readonly spent: string[];
}

interface Login {
  readonly party: Party;
  readonly who: Who;
  readonly passed: readonly Proof[];
  /** Of the certificate, if that was the primary proof. */
  readonly certificate: Who | null;
  /** The code that it gave in the end; null until then. */
  readonly code: string | null;
}

interface Request {
  begunAt: Millis;
  /** The browser to which the id itself is bound. */
  begunIn: Party;
  login: Login | null;
  pending: (Enrollment & { readonly who: Who }) | null;
}

interface Grant {
  readonly who: Who;
  readonly passed: readonly Proof[];
  readonly certificate: Who | null;
  readonly at: Millis;
  isRedeemed: boolean;
  hasEnded: boolean;
  refreshToken: string | null;
  rotatedAt: Millis;
}

interface Session {
  readonly who: Who;
  passed: readonly Proof[];
  lastUse: Millis;
  hasEnded: boolean;
  pending: Enrollment | null;
}

/** Plain data, so that it can be copied. */
export interface World {
  readonly people: Record<Who, Person>;
  readonly requests: [Request, Request];
  /** By the code. */
  readonly grants: Record<string, Grant>;
  /** By the token. */
  readonly sessions: Record<string, Session>;
  /** The questions whose answers of passkeys were accepted. */
  readonly answered: string[];
}

/** The answer, as far as it shows that something was accepted. */
export type Outcome =
  | { readonly kind: 'refused'; readonly status: number }
  /** `lacks` is null if a page does not say it. */
  | { readonly kind: 'partial'; readonly lacks: readonly Lack[] | null }
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'shown'; readonly label: string; readonly enrollment: Enrollment }
  | { readonly kind: 'done' };

interface OnRequest {
  readonly slot: Slot;
  readonly party: Party;
  readonly foreign: boolean;
  readonly now: Millis;
  readonly outcome: Outcome;
}

/** Of whose passkey, and to which question. */
export interface PasskeyAnswer {
  readonly who: Who;
  readonly isVerified: boolean;
  readonly challenge: string;
  readonly asked: { readonly slot: Slot; readonly party: Party; readonly named: Who | null };
}

export type Happened =
  | { readonly what: 'begun'; readonly slot: Slot; readonly party: Party; readonly now: Millis }
  | ({
      readonly what: 'primary';
      readonly who: Who;
      readonly method: Method;
      readonly right: boolean;
      /** The password that was sent. */
      readonly secret: string | null;
      /** Whose external JWT of the required signer came along. */
      readonly also: Who | null;
    } & OnRequest)
  | ({ readonly what: 'totp'; readonly text: string } & OnRequest)
  /** An external JWT alone: as a primary or as the second proof. */
  | ({
      readonly what: 'jwt';
      readonly who: Who;
      readonly right: boolean;
      readonly method: JwtMethod;
    } & OnRequest)
  | ({ readonly what: 'passkey' } & PasskeyAnswer & OnRequest)
  | ({ readonly what: 'queries' } & OnRequest)
  | ({ readonly what: 'enroll' } & OnRequest)
  | ({ readonly what: 'verify'; readonly text: string } & OnRequest)
  | ({ readonly what: 'abandon' } & OnRequest)
  | ({ readonly what: 'replace'; readonly text: string } & OnRequest)
  | {
      readonly what: 'redeem';
      readonly code: string;
      readonly certificate: Who | null;
      readonly foreign: boolean;
      readonly right: boolean;
      /** With something else, which may have ended the session before the call. */
      readonly atOnce: boolean;
      readonly now: Millis;
      readonly tokens: {
        readonly who: Who | null;
        readonly passed: readonly string[];
        readonly refreshToken: string;
        /** Whose the answer to a call with them was; null when it was refused. */
        readonly called: Who | null;
      } | null;
    }
  | {
      readonly what: 'refresh';
      readonly code: string;
      readonly presented: string;
      readonly certificate: Who | null;
      readonly now: Millis;
      readonly tokens: { readonly who: Who | null; readonly refreshToken: string } | null;
    }
  | {
      readonly what: 'open session';
      readonly who: Who;
      readonly method: Method;
      readonly right: boolean;
      readonly foreign: boolean;
      readonly now: Millis;
      readonly opened: {
        readonly token: string;
        readonly who: Who | null;
        readonly lacks: readonly Lack[];
      } | null;
    }
  | {
      readonly what: 'session totp' | 'session enroll' | 'session verify' | 'session end';
      readonly token: string;
      readonly text: string;
      /** Whose external JWT came along. */
      readonly jwt: Who | null;
      readonly now: Millis;
      readonly outcome: Outcome;
    }
  | {
      readonly what: 'session call';
      readonly token: string;
      readonly jwt: Who | null;
      readonly now: Millis;
      readonly called: Who | null;
    };

/** A broken promise. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

const longest = 30 * MINUTE;
const codeLifetime = MINUTE;
const sessionTimeout = 30 * MINUTE;
const duplicateWindow = 2 * SECOND;

/** What the person still has to prove, now. TOTP once it is enrolled, with any policy (spec 3.2). */
export function lacking(world: World, who: Who, passed: readonly Proof[]): readonly Lack[] {
  const { needs, enrolled, mustChange } = world.people[who];
  const wanted = new Set<Lack>([...needs, ...(enrolled === null ? [] : (['totp'] as const))]);
  const stands: Readonly<Partial<Record<Lack, readonly Proof[]>>> = {
    totp: ['totp', 'uv'],
    passkey: ['second passkey'],
    ejs: ['ejs'],
  };
  const lacks: Lack[] = [...wanted].filter((lack) => !stands[lack]?.some((proof) => passed.includes(proof)));
  // Only of who came with the password that has to go.
  if (mustChange && passed[0] === 'password') lacks.push('password-change');
  return lacks.sort();
}

/** The steps of the secret that have this code: now, or one before or after. */
function stepsOf(secret: string | Secret, text: string, now: Millis): readonly number[] {
  const totp = new TOTP({ secret });
  const current = Math.floor(now / (30 * SECOND));
  return [-1, 0, 1]
    .map((offset) => current + offset)
    .filter((step) => totp.generate({ timestamp: step * 30 * SECOND }) === text);
}

/** Whether a client may continue a request: in time, and not from another browser than its own. */
export function mayGoOn(
  world: World,
  { slot, party, foreign, now }: Pick<OnRequest, 'slot' | 'party' | 'foreign' | 'now'>,
): string | null {
  const { begunAt, begunIn, login } = world.requests[slot];
  if (foreign) return 'a page of another site';
  if (begunIn !== null && begunIn !== party) return 'not the browser in which it was begun';
  if (login !== null && login.party !== null && login.party !== party) return 'not the browser that proved';
  if (now >= begunAt + longest) return 'after its end';
  if (login !== null && login.code !== null) return 'after its code';
  return null;
}

/**
 * The possible states of the world after this.
 * @throws Broken if the answer must not have come
 */
export function judge(before: World, happened: Happened): readonly World[] {
  const world = structuredClone(before);
  switch (happened.what) {
    case 'begun':
      world.requests[happened.slot] = {
        begunAt: happened.now,
        begunIn: happened.party,
        login: null,
        pending: null,
      };
      return [world];
    case 'redeem':
      return [redeem(world, happened)];
    case 'refresh':
      return refresh(world, happened);
    case 'open session':
      return [openSession(world, happened)];
    case 'session totp':
    case 'session enroll':
    case 'session verify':
    case 'session end':
    case 'session call':
      return onSession(world, happened);
    default:
      return onRequest(world, happened);
  }
}

type OfRequest = Extract<Happened, OnRequest>;

function onRequest(world: World, happened: OfRequest): readonly World[] {
  const { outcome } = happened;
  if (outcome.kind === 'refused') {
    if (happened.foreign && outcome.status !== 403) {
      throw new Broken(`a page of another site was refused with ${outcome.status}`);
    }
    return happened.what === 'verify' ? [world, ...enrolledAllTheSame(world, happened)] : [world];
  }
  const objection = mayGoOn(world, happened);
  if (objection !== null) throw new Broken(`accepted: ${objection}`);
  switch (happened.what) {
    case 'primary':
      return surviving(
        readingsOf(happened).map((reading) => () => [primary(structuredClone(world), reading)]),
      );
    case 'jwt':
      return secondJwt(world, happened);
    case 'passkey':
      return [passkey(world, happened)];
    default: {
      const { login } = world.requests[happened.slot];
      if (login === null) throw new Broken('accepted without a primary login');
      if (login.party !== happened.party) throw new Broken('accepted: not where the primary login was done');
      return afterPrimary(world, happened, login);
    }
  }
}

/** The code was right, but the login was over before it could continue: the enrollment stays. */
function enrolledAllTheSame(before: World, happened: Of<'verify'>): readonly World[] {
  const world = structuredClone(before);
  const { pending } = world.requests[happened.slot];
  if (pending === null || mayGoOn(world, happened) !== null) return [];
  return completedIn(world, pending.who, pending, happened);
}

function completedIn(
  world: World,
  who: Who,
  pending: Enrollment,
  { text, now }: { readonly text: string; readonly now: Millis },
): readonly World[] {
  if (world.people[who].enrolled !== null || stepsOf(pending.secret, text, now).length === 0) return [];
  completeEnrollment(world, who, pending, text, now);
  return [world];
}

type Of<What extends Happened['what']> = Extract<Happened, { readonly what: What }>;

/** Either of two external JWTs may be the primary proof, in any order. */
function readingsOf(happened: Of<'primary'>): readonly Of<'primary'>[] {
  const { method, who, right, also } = happened;
  if (!method.endsWith('-jwt') || also === null) return [happened];
  const isSecond = right && method === 'ext-jwt';
  const turned = {
    ...happened,
    method: 'ext-jwt',
    who: also,
    right: true,
    also: isSecond ? who : null,
  } as const;
  return [happened, turned];
}

/** @throws Broken when the token is of the issuer of which the person's policy requires another: one account, one factor */
function opening(world: World, who: Who, method: Method): Proof {
  if (!method.endsWith('-jwt')) return method as Proof;
  if (method !== 'other-jwt' && world.people[who].needs.includes('ejs')) {
    throw new Broken(`a token of the issuer of the second proof opened a login of ${who}`);
  }
  return 'ext-jwt';
}

function primary(world: World, happened: Of<'primary'>): World {
  const { slot, party, who, method, right, also, now, outcome } = happened;
  if (!right) throw new Broken('wrong credentials were accepted');
  const { secret } = happened;
  if (secret !== null && secret !== world.people[who].password)
    throw new Broken('an old password was accepted');
  const isSecond = also === who && world.people[who].needs.includes('ejs');
  const login: Login = {
    party,
    who,
    passed: [opening(world, who, method), ...(isSecond ? (['ejs'] as const) : [])],
    certificate: method === 'cert' ? who : null,
    code: null,
  };
  world.requests[slot].pending = null;
  return settled(world, slot, login, outcome, now);
}

/** The login as it is now, with the code if that was given, and exactly then. */
function settled(world: World, slot: Slot, login: Login, outcome: Outcome, now: Millis): World {
  const lacks = lacking(world, login.who, login.passed);
  if (outcome.kind === 'code') {
    if (lacks.length > 0) throw new Broken(`a code for ${login.who} without ${lacks.join(', ')}`);
    const { who, passed, certificate } = login;
    world.grants[outcome.code] = {
      who,
      passed,
      certificate,
      at: now,
      isRedeemed: false,
      hasEnded: false,
      refreshToken: null,
      rotatedAt: 0,
    };
  } else if (outcome.kind === 'partial') {
    if (lacks.length === 0) throw new Broken(`no code for ${login.who}, who has proven everything`);
    if (outcome.lacks !== null && String(outcome.lacks) !== String(lacks)) {
      throw new Broken(`asked ${login.who} for ${outcome.lacks.join(', ')} instead of ${lacks.join(', ')}`);
    }
  } else throw new Broken(`a login step ended in ${outcome.kind}`);
  world.requests[slot].login = { ...login, code: outcome.kind === 'code' ? outcome.code : null };
  return world;
}

/** The first proof, or the second one of the only person whose policy requires it: her own one cannot open her login. */
function passkey(world: World, happened: Of<'passkey'>): World {
  const { slot, party, who, isVerified, challenge, asked, now, outcome } = happened;
  if (world.answered.includes(challenge)) throw new Broken('an answer of a passkey counted twice');
  if (asked.slot !== slot || asked.party !== party)
    throw new Broken('an answer of a passkey counted elsewhere');
  world.answered.push(challenge);
  const { mayOpen, mayBeUnverified, isTwofold } = passkeyRules[who];
  if (!isVerified && !mayBeUnverified) throw new Broken(`a passkey that did not know ${who} counted`);
  const { login } = world.requests[slot];
  if (mayOpen) {
    if (asked.named !== null && asked.named !== who)
      throw new Broken(`the passkey of ${who} answered for ${asked.named}`);
    world.requests[slot].pending = null;
    const mark: readonly Proof[] = isTwofold ? ['uv'] : isVerified ? [] : ['user'];
    const passed: readonly Proof[] = ['passkey', ...mark];
    return settled(world, slot, { party, who, passed, certificate: null, code: null }, outcome, now);
  }
  if (login === null || login.who !== who || login.party !== party)
    throw new Broken(`the passkey of ${who} counted in a login of ${login?.who}`);
  return settled(world, slot, withProof(login, 'second passkey'), outcome, now);
}

/** Alone it may be the second proof of this login, a primary proof, or worth nothing: the answer tells. */
function secondJwt(before: World, happened: Of<'jwt'>): readonly World[] {
  const { slot, party, who, right, method, now, outcome } = happened;
  const { login: last } = before.requests[slot];
  // Elsewhere it is a primary login or nothing.
  const login = last?.party === party ? last : null;
  const isSecond =
    right &&
    login !== null &&
    login.who === who &&
    before.people[who].needs.includes('ejs') &&
    method === 'ext-jwt';
  const asPrimary = (world: World): Login => ({
    party,
    who,
    passed: [opening(world, who, method)],
    certificate: null,
    code: null,
  });
  const readings = [
    ...(isSecond ? [() => ({ ...login, passed: [...new Set([...login.passed, 'ejs' as const])] })] : []),
    ...(right ? [asPrimary] : []),
    ...(login !== null && outcome.kind === 'partial' ? [() => login] : []),
  ];
  return surviving(
    readings.map((reading) => () => {
      const world = structuredClone(before);
      if (reading === asPrimary) world.requests[slot].pending = null;
      return [settled(world, slot, reading(world), outcome, now)];
    }),
  );
}

/** What remains of several readings of one answer. @throws Broken the first objection, if none remains */
export function surviving(readings: readonly (() => readonly World[])[]): readonly World[] {
  let objection: Broken | undefined;
  const worlds = readings.flatMap((reading) => {
    try {
      return reading();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      objection ??= error;
      return [];
    }
  });
  if (worlds.length === 0) throw objection ?? new Broken('no reading is possible');
  return worlds;
}

function afterPrimary(
  world: World,
  happened: Of<'totp' | 'queries' | 'enroll' | 'verify' | 'abandon' | 'replace'>,
  login: Login,
): readonly World[] {
  const { slot, now, outcome } = happened;
  const request = world.requests[slot];
  const person = world.people[login.who];
  switch (happened.what) {
    case 'queries':
      return [settled(world, slot, login, outcome, now)];
    case 'totp': {
      const isAsked = person.enrolled !== null && lacking(world, login.who, login.passed).includes('totp');
      const isPage = outcome.kind === 'partial' && outcome.lacks === null;
      // A page that asks for no code any more leads on, whatever was typed there.
      if (!isAsked && isPage && codeObjection(person, happened.text, now) !== null)
        return [settled(world, slot, login, outcome, now)];
      spendCode(person, happened.text, now);
      return [settled(world, slot, withProof(login, 'totp'), outcome, now)];
    }
    case 'enroll':
      if (outcome.kind === 'partial') return [world];
      if (outcome.kind !== 'shown') throw new Broken(`an enrollment began with ${outcome.kind}`);
      mayEnroll(world, login.who, login.passed, outcome.label);
      request.pending = { ...outcome.enrollment, who: login.who };
      return [world];
    case 'verify': {
      const { pending } = request;
      if (pending === null || pending.who !== login.who)
        throw new Broken('nothing of this person was pending');
      addsLast(world, login.who, login.passed);
      completeEnrollment(world, login.who, pending, happened.text, now);
      return [settled(world, slot, withProof(login, 'totp'), outcome, now)];
    }
    case 'abandon':
      if (request.pending === null) throw new Broken('abandoned what was not begun');
      request.pending = null;
      return [world];
    case 'replace':
      return replacePassword(world, slot, login, happened.text).map((after) =>
        settled(after, slot, login, outcome, now),
      );
  }
}

/** @throws Broken unless nothing else was left to prove, and the new one is new */
function replacePassword(world: World, slot: Slot, { who, passed }: Login, text: string): readonly World[] {
  const person = world.people[who];
  if (String(lacking(world, who, passed)) !== 'password-change') {
    throw new Broken(`a password was replaced while ${lacking(world, who, passed).join(', ')} was lacking`);
  }
  if (text === person.password) throw new Broken('the old password became the new one');
  Object.assign(person, { password: text, mustChange: false });
  // What the old one opened ends with it: sessions, codes, and other logins.
  for (const grant of Object.values(world.grants)) if (grant.who === who) grant.hasEnded = true;
  for (const session of Object.values(world.sessions)) if (session.who === who) session.hasEnded = true;
  const other = slot === 0 ? 1 : 0;
  const { login } = world.requests[other];
  if (login?.who !== who) return [world];
  // One whose code was redeemed is kept, so that a second use is noticed.
  if (login.code !== null && world.grants[login.code]?.isRedeemed) return [world];
  const forgotten = structuredClone(world);
  forgotten.requests[other].login = null;
  // A client that was refused may still have used the code up.
  return login.code === null ? [forgotten] : [forgotten, world];
}

function withProof(login: Login, proof: Proof): Login {
  return { ...login, passed: [...new Set([...login.passed, proof])] };
}

/** Why it is no code of this very person that was never used; null if it is one. */
function codeObjection({ enrolled, spent, lastStep }: Person, text: string, now: Millis): string | null {
  if (enrolled === null) return 'a code of somebody who has none';
  if (enrolled.recoveryCodes.includes(text))
    return spent.includes(text) ? 'a recovery code worked twice' : null;
  const steps = stepsOf(enrolled.secret, text, now);
  if (steps.length === 0) return 'a wrong code was accepted';
  return steps.some((step) => step > lastStep) ? null : 'a code worked twice';
}

/** @throws Broken unless it is a code of this very person that was never used */
function spendCode(person: Person, text: string, now: Millis): void {
  const objection = codeObjection(person, text, now);
  if (objection !== null) throw new Broken(objection);
  const { enrolled, lastStep } = person;
  if (enrolled?.recoveryCodes.includes(text)) person.spent.push(text);
  else if (enrolled !== null)
    person.lastStep = Math.min(...stepsOf(enrolled.secret, text, now).filter((step) => step > lastStep));
}

function mayEnroll(world: World, who: Who, passed: readonly Proof[], label: string): void {
  if (world.people[who].enrolled !== null) throw new Broken('enrolled again');
  if (passed.includes('totp')) throw new Broken('enrolled after TOTP was passed');
  if (!label.includes(who)) throw new Broken(`the secret of ${who} is labelled ${label}`);
  addsLast(world, who, passed);
}

/** A factor is added only when every factor that can be proven now has been. */
function addsLast(world: World, who: Who, passed: readonly Proof[]): void {
  const lacks = lacking(world, who, passed);
  if (lacks.includes('ejs')) throw new Broken(`${who} set up an app before the external JWT`);
  if (lacks.includes('passkey')) throw new Broken(`${who} set up an app before the passkey`);
}

function completeEnrollment(world: World, who: Who, pending: Enrollment, text: string, now: Millis): void {
  const person = world.people[who];
  if (person.enrolled !== null) throw new Broken('enrolled a second time');
  const steps = stepsOf(pending.secret, text, now);
  if (steps.length === 0) throw new Broken('enrolled with a wrong code');
  const { secret, recoveryCodes } = pending;
  person.enrolled = { secret, recoveryCodes };
  person.lastStep = Math.min(...steps);
  for (const request of world.requests) if (request.pending?.who === who) request.pending = null;
  for (const session of Object.values(world.sessions)) if (session.who === who) session.pending = null;
}

function redeem(
  world: World,
  { code, certificate, foreign, right, atOnce, now, tokens }: Of<'redeem'>,
): World {
  const grant = world.grants[code];
  if (grant === undefined) throw new Error('a code that nobody got');
  const hasCertificate = grant.certificate === null || grant.certificate === certificate;
  const fits = right && hasCertificate && !foreign;
  if (tokens === null) {
    // RFC 6749 4.1.2: a second use ends what the first one opened.
    if (grant.isRedeemed && fits) grant.hasEnded = true;
    return world;
  }
  if (foreign) throw new Broken('a page of another site redeemed a code');
  if (!right) throw new Broken('a code was redeemed without its verifier');
  if (!hasCertificate) throw new Broken('a code was redeemed without the certificate of its login');
  if (grant.isRedeemed) throw new Broken('a code worked twice');
  if (grant.hasEnded) throw new Broken('a code worked after the password of its login was replaced');
  if (now >= grant.at + codeLifetime) throw new Broken('a code worked after its end');
  if (tokens.who !== grant.who) throw new Broken(`tokens of ${tokens.who} for a login of ${grant.who}`);
  const expected = grant.passed.toSorted();
  if (String(tokens.passed.toSorted()) !== String(expected)) {
    throw new Broken(`the tokens say ${tokens.passed.join(', ')} of ${expected.join(', ')}`);
  }
  // A person who has enrolled since must log in again.
  const isComplete = lacking(world, grant.who, grant.passed).length === 0;
  const isEndedMeanwhile = atOnce && tokens.called === null;
  if (!isEndedMeanwhile && tokens.called !== (isComplete ? grant.who : null)) {
    throw new Broken(`a call with the tokens of ${grant.who} was answered to ${tokens.called}`);
  }
  Object.assign(grant, { isRedeemed: true, refreshToken: tokens.refreshToken, rotatedAt: now });
  return world;
}

function refresh(world: World, happened: Of<'refresh'>): readonly World[] {
  const { code, presented, certificate, now, tokens } = happened;
  const grant = world.grants[code];
  if (grant === undefined) throw new Error('a token that nobody got');
  const isCurrent = presented === grant.refreshToken;
  const hasCertificate = grant.certificate === null || grant.certificate === certificate;
  if (tokens === null) {
    if (isCurrent || !hasCertificate) return [world];
    const ended = structuredClone(world);
    (ended.grants[code] as Grant).hasEnded = true;
    // Soon after, it may be the same request once more.
    return now - grant.rotatedAt > duplicateWindow ? [ended] : [world, ended];
  }
  if (!isCurrent) throw new Broken('a refresh token worked twice');
  if (grant.hasEnded) throw new Broken('a refresh token worked after its session had ended');
  if (!hasCertificate) throw new Broken('a refresh token worked without the certificate of its login');
  if (tokens.who !== grant.who) throw new Broken(`tokens of ${tokens.who} for a session of ${grant.who}`);
  Object.assign(grant, { refreshToken: tokens.refreshToken, rotatedAt: now });
  return [world];
}

function openSession(world: World, happened: Of<'open session'>): World {
  const { who, method, right, foreign, now, opened } = happened;
  if (opened === null) return world;
  if (foreign) throw new Broken('a page of another site opened a session');
  if (!right) throw new Broken('wrong credentials opened a session');
  if (opened.who !== who) throw new Broken(`a session of ${opened.who} for ${who}`);
  const passed = [opening(world, who, method)];
  const lacks = lacking(world, who, passed);
  if (String(opened.lacks) !== String(lacks)) {
    throw new Broken(`a session asks ${who} for ${opened.lacks.join(', ')} instead of ${lacks.join(', ')}`);
  }
  const session = { who, passed, lastUse: now, hasEnded: false, pending: null };
  world.sessions[opened.token] = session;
  return world;
}

type OfSession = Of<'session totp' | 'session enroll' | 'session verify' | 'session end' | 'session call'>;

function onSession(world: World, happened: OfSession): readonly World[] {
  const { token, now } = happened;
  const session = world.sessions[token];
  if (session === undefined) throw new Error('a session that nobody opened');
  const isAlive = !session.hasEnded && now < session.lastUse + sessionTimeout;
  const isAccepted =
    happened.what === 'session call' ? happened.called !== null : happened.outcome.kind !== 'refused';
  if (isAccepted && !isAlive) throw new Broken(`${happened.what} after the end of the session`);
  // Whether a refused call counts as activity does not matter here.
  if (isAlive) session.lastUse = now;
  if (isAccepted) {
    acceptedOnSession(world, session, happened);
    return [world];
  }
  if (happened.what !== 'session verify' || !isAlive || session.pending === null) return [world];
  // Right, and the session ended before it could be noted in it.
  return [world, ...completedIn(structuredClone(world), session.who, session.pending, happened)];
}

function acceptedOnSession(world: World, session: Session, happened: OfSession): void {
  const { who } = session;
  const proven = happened.jwt === who ? [...session.passed, 'ejs' as const] : session.passed;
  if (happened.what === 'session call') {
    if (happened.called !== who) throw new Broken(`a session of ${who} was answered to ${happened.called}`);
    const lacks = lacking(world, who, proven);
    if (lacks.length > 0) throw new Broken(`a call of ${who} was answered without ${lacks.join(', ')}`);
    return;
  }
  const { text, now, outcome } = happened;
  switch (happened.what) {
    case 'session totp':
      spendCode(world.people[who], text, now);
      session.passed = [...new Set([...session.passed, 'totp' as const])];
      return;
    case 'session enroll':
      if (outcome.kind !== 'shown') throw new Broken(`an enrollment began with ${outcome.kind}`);
      mayEnroll(world, who, proven, outcome.label);
      session.pending = outcome.enrollment;
      return;
    case 'session verify':
      if (session.pending === null) throw new Broken('nothing was pending in this session');
      addsLast(world, who, proven);
      completeEnrollment(world, who, session.pending, text, now);
      session.passed = [...new Set([...session.passed, 'totp' as const])];
      return;
    case 'session end':
      session.hasEnded = true;
  }
}

export function newWorld(
  enrolled: Partial<Record<Who, Enrollment>>,
  mustChange: readonly Who[],
  now: Millis,
): World {
  const person = (who: Who, needs: readonly Lack[]): Person => {
    return {
      needs,
      enrolled: enrolled[who] ?? null,
      password,
      mustChange: mustChange.includes(who),
      lastStep: Math.floor(now / (30 * SECOND)) - 2,
      spent: [],
    };
  };
  const nothing = (): Request => ({ begunAt: now, begunIn: null, login: null, pending: null });
  return {
    people: {
      ann: person('ann', []),
      bob: person('bob', ['totp']),
      cyd: person('cyd', ['ejs', 'totp']),
      dee: person('dee', ['passkey']),
    },
    requests: [nothing(), nothing()],
    grants: {},
    sessions: {},
    answered: [],
  };
}
