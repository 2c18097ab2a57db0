// A model of logins by passkey, beside a real server: random runs of four people with different policies on two shared
// logins, with questions that are answered late, twice, elsewhere, or with the device of another person. The model knows
// what must not be accepted, and what is lacking after each step.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { type AuthenticatorId, type AuthPolicyId, asId, type IdentityId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { HOUR, MINUTE } from '../../src/platform/clock.ts';
import { type Json, SoftAuthenticator } from '../support/authenticator.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, claimsOf, codeOf, redeem, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { passkeyPolicy, question, storePasskey, submit } from '../support/passkeys.ts';
import { sized } from '../support/size.ts';
import { startTestServer } from '../support/test-server.ts';

const people = ['ann', 'bob', 'cyd', 'dee'] as const;
type Who = (typeof people)[number];
type Lack = 'MFA' | 'PASSKEY';
interface Rules {
  readonly requireTotp?: boolean;
  readonly requirePasskey?: boolean;
  readonly passkey: {
    readonly userVerification: 'required' | 'preferred';
    readonly satisfiesSecondary?: boolean;
  };
}
const rulesOf: Readonly<Record<Who, Rules>> = {
  ann: { passkey: { userVerification: 'required' } },
  bob: { requireTotp: true, passkey: { userVerification: 'preferred' } },
  cyd: { requirePasskey: true, passkey: { userVerification: 'required' } },
  dee: {
    requireTotp: true,
    requirePasskey: true,
    passkey: { userVerification: 'preferred', satisfiesSecondary: true },
  },
};
/** The devices of the others do not count their signatures. */
const counts: readonly Who[] = ['ann', 'cyd'];

type Slot = 0 | 1;
type Move =
  | { readonly do: 'begin'; readonly slot: Slot }
  | { readonly do: 'password'; readonly slot: Slot; readonly who: Who }
  | { readonly do: 'ask'; readonly slot: Slot; readonly named: Who | null }
  | {
      readonly do: 'answer';
      readonly slot: Slot;
      /** The how many latest question. */
      readonly back: number;
      readonly device: Who;
      readonly isVerified: boolean;
      readonly saysOwner: boolean;
      /** Its counter does not grow: another device has its key. */
      readonly isCopy: boolean;
    }
  | { readonly do: 'remove'; readonly who: Who }
  | { readonly do: 'wait' };

const slot = fc.constantFrom<Slot[]>(0, 0, 0, 1);
const who = fc.constantFrom(...people);
const mostly = fc.constantFrom(true, true, true, false);
const of = <Name extends string>(name: Name) => ({ do: fc.constant(name) });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ...of('begin' as const), slot }) },
  { weight: 3, arbitrary: fc.record({ ...of('password' as const), slot, who }) },
  { weight: 5, arbitrary: fc.record({ ...of('ask' as const), slot, named: fc.option(who, { freq: 1 }) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      ...of('answer' as const),
      slot,
      back: fc.constantFrom(0, 0, 0, 1),
      device: who,
      isVerified: mostly,
      saysOwner: mostly,
      isCopy: mostly.map((grows) => !grows),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...of('remove' as const), who }) },
  { weight: 1, arbitrary: fc.record(of('wait' as const)) },
);

class Broken extends Error {
  override readonly name = 'Broken';
}
function must(isKept: boolean, otherwise: string): void {
  if (!isKept) throw new Broken(otherwise);
}

interface Login {
  readonly who: Who;
  readonly passed: readonly ('password' | 'passkey' | 'uv' | 'user' | 'second')[];
}

function lacking({ who: whose, passed }: Login): readonly Lack[] {
  const { requireTotp = false, requirePasskey = false } = rulesOf[whose];
  if (passed.includes('uv')) return [];
  const lacksPasskey = requirePasskey && !passed.includes('second');
  return [...(requireTotp ? (['MFA'] as const) : []), ...(lacksPasskey ? (['PASSKEY'] as const) : [])];
}

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await startTestServer({ clock });
after(() => server.close());
const policies = new Map<Who, AuthPolicyId>();
for (const name of people) policies.set(name, await passkeyPolicy(server, rulesOf[name]));
const passwordHash = await server.controller.services.hasher.hash(password, 'test');
const accepted = { first: 0, second: 0 };

interface Person {
  readonly id: IdentityId;
  readonly passkeyId: AuthenticatorId;
  readonly device: SoftAuthenticator;
  isRemoved: boolean;
  counter: number;
}

async function moveIn(name: Who): Promise<Person> {
  const id = asId<IdentityId>(server.random.id());
  const now = clock.now();
  const identity = {
    id,
    name: typedName(name),
    type: 'User' as const,
    externalId: null,
    isAdmin: false,
    passwordMustChange: false,
  };
  const more = { authPolicyId: policies.get(name) as AuthPolicyId, roleAttributes: [], tags: {} };
  const own = { id: server.random.id(), ...userNamed(name), passwordHash };
  await server.store.identities.create({ ...identity, ...more }, own, now);
  const device = new SoftAuthenticator(server.url, { counter: counts.includes(name) ? 1 : 0 });
  const passkeyId = await storePasskey(server, id, device);
  return { id, passkeyId, device, isRemoved: false, counter: device.counter };
}

interface Asked {
  readonly login: string;
  readonly options: Json;
  /** Of whom: as the second proof, or of this name. */
  readonly second: Who | null;
  readonly named: Who | null;
  isUsed: boolean;
}

class Run {
  readonly #people = new Map<Who, Person>();
  readonly #ids: string[] = [];
  readonly #logins: (Login | 'over' | null)[] = [null, null];
  readonly #asked: Asked[] = [];

  async play(moves: readonly Move[]): Promise<void> {
    for (const name of people) this.#people.set(name, await moveIn(name));
    for (const at of [0, 1]) this.#ids[at] = await beginLogin(server);
    try {
      for (const each of moves) await this.#move(each);
    } finally {
      for (const { id } of this.#people.values()) await server.store.identities.delete(id, clock.now());
      // Guesses are forgotten: this is not about how they are counted.
      clock.advance(HOUR);
    }
  }

  #person(name: Who): Person {
    return this.#people.get(name) as Person;
  }

  async #move(each: Move): Promise<void> {
    switch (each.do) {
      case 'begin':
        this.#ids[each.slot] = await beginLogin(server);
        this.#logins[each.slot] = null;
        return;
      case 'password': {
        const answer = await submitPassword(server, this.#id(each.slot), each.who, password);
        if (answer.status < 400)
          await this.#becomes(each.slot, { who: each.who, passed: ['password'] }, answer);
        return;
      }
      case 'ask':
        return this.#ask(each);
      case 'answer':
        return this.#answer(each);
      case 'remove': {
        const { id, passkeyId } = this.#person(each.who);
        await server.store.passkeys.delete(id, passkeyId, { now: clock.now(), mayBeLast: true });
        this.#person(each.who).isRemoved = true;
        // Logins of this identity in progress end.
        for (const at of [0, 1]) {
          const login = this.#logins[at];
          if (login !== null && login !== 'over' && login?.who === each.who) this.#logins[at] = null;
        }
        return;
      }
      case 'wait':
        clock.advance(6 * MINUTE);
    }
  }

  #id(at: Slot): string {
    return this.#ids[at] as string;
  }

  async #ask({ slot: at, named }: Extract<Move, { readonly do: 'ask' }>): Promise<void> {
    const login = this.#id(at);
    const path = `/oidc/login/passkey/options?id=${encodeURIComponent(login)}`;
    if ((await server.get(path)).status !== 200) return;
    const now = this.#logins[at];
    const isSecond = now !== null && now !== 'over' && now !== undefined && lacking(now).includes('PASSKEY');
    const second = isSecond && !this.#person(now.who).isRemoved ? now.who : null;
    const options = await question(server, login, named ?? undefined);
    this.#asked.push({ login, options, second, named: second === null ? named : null, isUsed: false });
  }

  async #answer(each: Extract<Move, { readonly do: 'answer' }>): Promise<void> {
    const asked = this.#asked.at(-1 - each.back);
    if (asked === undefined) return;
    const { device: owner, isVerified } = each;
    const person = this.#person(owner);
    const [credential] = person.device.credentials;
    assert.ok(credential);
    const counter = !counts.includes(owner) ? 0 : each.isCopy ? person.counter : person.counter + 1;
    const says = each.saysOwner ? {} : { userHandle: null };
    const response = person.device.get(asked.options, { credential, isVerified, counter, ...says });
    const answer = await submit(server, this.#id(each.slot), response);
    if (answer.status >= 400) return;
    must(this.#id(each.slot) === asked.login, 'an answer counted in another login');
    must(!asked.isUsed, 'an answer counted twice');
    must(!person.isRemoved, `the removed passkey of ${owner} counted`);
    must(!counts.includes(owner) || counter > person.counter, `a copy of the passkey of ${owner} counted`);
    const { userVerification, satisfiesSecondary = false } = rulesOf[owner].passkey;
    must(isVerified || userVerification === 'preferred', `${owner} was not verified`);
    const mark = isVerified ? [] : (['user'] as const);
    const before = this.#logins[each.slot];
    must(before !== 'over', 'accepted after the code');
    asked.isUsed = true;
    person.counter = counter;
    if (asked.second !== null) {
      must(asked.second === owner, `the passkey of ${owner} was the second proof of ${asked.second}`);
      const isOfOwner = before !== null && before !== 'over' && before !== undefined && before.who === owner;
      if (!isOfOwner) throw new Broken('a second proof without a first one');
      accepted.second += 1;
      return this.#becomes(each.slot, { who: owner, passed: [...before.passed, 'second', ...mark] }, answer);
    }
    must(
      asked.named === null || asked.named === owner,
      `the passkey of ${owner} answered for ${asked.named}`,
    );
    must(each.saysOwner || asked.named === owner, `the passkey of ${owner} did not say whose it is`);
    const mayOpen = rulesOf[owner].requirePasskey !== true || satisfiesSecondary;
    must(mayOpen, `a passkey opened a login of ${owner}, and would be the second proof too`);
    must(isVerified || !satisfiesSecondary, `${owner} was not verified, and it counts as both factors`);
    accepted.first += 1;
    const twofold = satisfiesSecondary ? (['uv'] as const) : mark;
    return this.#becomes(each.slot, { who: owner, passed: ['passkey', ...twofold] }, answer);
  }

  /** The answer says what is lacking now, or gives the code of this very person. */
  async #becomes(at: Slot, login: Login, answer: Answer): Promise<void> {
    const lacks = lacking(login);
    this.#logins[at] = answer.status === 302 ? 'over' : login;
    if (answer.status !== 302) {
      const asks = answer.json.authQueries.map(({ typeId }: { typeId: string }) => typeId).sort();
      must(String(asks) === String(lacks), `asked ${login.who} for ${asks} instead of ${lacks}`);
      return;
    }
    must(lacks.length === 0, `a code for ${login.who} without ${lacks}`);
    const tokens = await redeem(server, codeOf(answer));
    must(tokens.status === 200, `no tokens: ${tokens.text}`);
    const { sub, amr } = claimsOf(tokens.json.access_token);
    must(sub === this.#person(login.who).id, `tokens of another identity for ${login.who}`);
    const { passkeyId } = this.#person(login.who);
    const expected = login.passed.map((method) => (method === 'second' ? `passkey:${passkeyId}` : method));
    must(String(amr) === String(expected), `tokens say ${amr} instead of ${expected}`);
  }
}

test('no passkey counts for what it was not asked for, or for more than the policy says', async () => {
  const property = fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 25, size: 'max' }), (moves) =>
    new Run().play(moves),
  );
  const seed = sized({ small: 20260101, full: Date.now() % 2 ** 31 });
  await fc.assert(property, { numRuns: sized({ small: 150, full: 5000 }), seed });
  assert.ok(accepted.first > 20 && accepted.second > 5, JSON.stringify(accepted));
});
