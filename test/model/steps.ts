// What may happen in one run of the model: who does what, in any order, some of it at the same moment.

import fc from 'fast-check';
import { MINUTE, type Millis, SECOND } from '../../src/platform/clock.ts';

/**
 * Four people with different policies: no second factor; TOTP, or a passkey that knew its owner for both; TOTP and an
 * external JWT, and passkeys need not know their owner; a passkey as the second factor.
 */
export const people = ['ann', 'bob', 'cyd', 'dee'] as const;
export type Who = (typeof people)[number];
/** Everybody's password at first. */
export const firstPassword = 'seven quiet lanterns';

export const browsers = ['browser 1', 'browser 2'] as const;
export type BrowserName = (typeof browsers)[number];
/** Program 2 and browser 2 have the certificates of bob and ann. */
const actors = [...browsers, 'program 1', 'program 2'] as const;
export type Actor = (typeof actors)[number];

/** Auth request ids are shared: everybody knows every one. */
export type Slot = 0 | 1;

/**
 * An external JWT: of the signer that cyd's policy requires as the second proof; of another one with the same issuer; of
 * another issuer.
 */
export type JwtMethod = 'ext-jwt' | 'sister-jwt' | 'other-jwt';
export type Method = 'password' | 'cert' | JwtMethod;
export type CodeKind = 'now' | 'again' | 'wrong' | 'recovery' | 'recovery again';

/** Who sends a step of a login. */
export interface Sender {
  readonly by: Actor;
  /** A page of another site in that browser: cookies and certificate are the browser's. */
  readonly foreign: boolean;
  /** By a form, as people do; else as JSON. Of browsers only. */
  readonly page: boolean;
  /** Preferably the person of the last primary login on the request, in the same way. */
  readonly asBefore: boolean;
}

export type Step =
  | ({ readonly do: 'begin'; readonly slot: Slot } & Sender)
  | ({
      readonly do: 'primary';
      readonly slot: Slot;
      readonly who: Who;
      readonly method: Method;
      readonly right: boolean;
      /** Whose external JWT comes along as the second proof. */
      readonly also: Who | null;
    } & Sender)
  | ({
      readonly do: 'totp';
      readonly slot: Slot;
      /** Whose code; null: of the person whose login it is. */
      readonly who: Who | null;
      readonly kind: CodeKind;
    } & Sender)
  /** An external JWT alone. */
  | ({
      readonly do: 'jwt';
      readonly slot: Slot;
      readonly who: Who | null;
      readonly method: JwtMethod;
    } & Sender)
  /** Asks for a passkey, and answers with that of a person. */
  | ({
      readonly do: 'passkey';
      readonly slot: Slot;
      readonly who: Who | null;
      /** Whose name is typed; null: none. */
      readonly named: Who | null;
      readonly isVerified: boolean;
      /** Rather the last answer once more. */
      readonly again: boolean;
    } & Sender)
  | ({ readonly do: 'queries'; readonly slot: Slot } & Sender)
  | ({ readonly do: 'enroll'; readonly slot: Slot } & Sender)
  | ({ readonly do: 'verify'; readonly slot: Slot; readonly right: boolean } & Sender)
  | ({ readonly do: 'abandon'; readonly slot: Slot } & Sender)
  /** A new password; `old`: the current one again. */
  | ({ readonly do: 'replace'; readonly slot: Slot; readonly old: boolean } & Sender)
  /** `back`: the how many latest one. */
  | ({ readonly do: 'redeem'; readonly back: number; readonly right: boolean } & Sender)
  | { readonly do: 'refresh'; readonly by: Actor; readonly back: number }
  | ({
      readonly do: 'open session';
      readonly who: Who;
      readonly method: Method;
      readonly right: boolean;
    } & Sender)
  | {
      readonly do: 'session totp';
      readonly back: number;
      readonly who: Who | null;
      readonly kind: CodeKind;
    }
  | { readonly do: 'session enroll'; readonly back: number; readonly jwt: Who | null }
  | {
      readonly do: 'session verify';
      readonly back: number;
      readonly right: boolean;
      readonly jwt: Who | null;
    }
  | { readonly do: 'session call'; readonly back: number; readonly jwt: Who | null }
  | { readonly do: 'session end'; readonly back: number };

export type Move =
  | { readonly do: 'wait'; readonly millis: Millis }
  /** A client that may go on with the request finishes it as this person, after any earlier steps. */
  | { readonly do: 'finish'; readonly by: Actor; readonly slot: Slot; readonly who: Who }
  | { readonly do: 'one'; readonly step: Step }
  /** More logins of one person at once than passwords may be wrong, on requests of their own. */
  | { readonly do: 'crowd'; readonly who: Who; readonly right: boolean }
  /** `pauses`: how long the calls of the store wait, in turn, so that one step comes between the parts of the other. */
  | {
      readonly do: 'together';
      readonly steps: readonly [Step, Step];
      readonly pauses: readonly Millis[];
    };

export interface Scenario {
  /** Who has enrolled TOTP before. */
  readonly enrolled: readonly Who[];
  /** Whose password must be replaced at the next login with it. */
  readonly mustChange: readonly Who[];
  /** Who begins the two requests; a browser on a page is bound to them from then on. */
  readonly begun: readonly [Sender, Sender];
  readonly moves: readonly Move[];
}

const slot = fc.constantFrom<Slot[]>(0, 0, 0, 1);
const who = fc.constantFrom(...people, ...people.slice(0, 3));
const jwtMethod = fc.constantFrom<JwtMethod[]>('ext-jwt', 'ext-jwt', 'sister-jwt', 'other-jwt');
const method: fc.Arbitrary<Method> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Method[]>('password', 'password', 'cert') },
  { weight: 1, arbitrary: jwtMethod },
);
const mostly = fc.constantFrom(true, true, true, true, false);
const seldom = mostly.map((usual) => !usual);
const kind = fc.constantFrom<CodeKind[]>(
  ...(['now', 'now', 'now', 'again', 'wrong'] as const),
  ...(['recovery', 'recovery', 'recovery again', 'recovery again'] as const),
);
const back = fc.constantFrom(0, 0, 0, 1, 2);
const someone: fc.Arbitrary<Who | null> = fc.option(who);
const ratherTheirs: fc.Arbitrary<Who | null> = fc.option(who, { freq: 2 });
const maybeSomeone: fc.Arbitrary<Who | null> = fc.option(who, { freq: 2 });

const sender: fc.Arbitrary<Sender> = fc
  .record({ by: fc.constantFrom(...actors), odds: fc.nat(9), page: fc.boolean() })
  .map(({ by, odds, page }) => {
    const isBrowser = by.startsWith('browser');
    const foreign = isBrowser && odds === 0;
    return { by, foreign, page: isBrowser && !foreign && page, asBefore: !foreign && odds > 4 };
  });

type Sent<Kind extends Step['do'], More> = More & { readonly do: Kind } & Sender;
/** A step that a client sends, with members of its own. */
function sent<Kind extends Step['do'], More extends object>(
  name: Kind,
  more: { [K in keyof More]: fc.Arbitrary<More[K]> },
): fc.Arbitrary<Sent<Kind, More>> {
  return fc
    .tuple(sender, fc.record(more))
    .map(([from, members]) => ({ do: name, ...members, ...from }) as Sent<Kind, More>);
}

const session = <Kind extends Step['do'], More extends object>(
  name: Kind,
  more: { [K in keyof More]: fc.Arbitrary<More[K]> },
) =>
  fc.record({ do: fc.constant(name), back, ...more }) as unknown as fc.Arbitrary<
    More & { do: Kind; back: number }
  >;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: sent('begin', { slot }) },
  {
    weight: 10,
    arbitrary: sent('primary', { slot, who, method, right: mostly, also: maybeSomeone }),
  },
  { weight: 6, arbitrary: sent('totp', { slot, who: ratherTheirs, kind }) },
  {
    weight: 3,
    arbitrary: sent('jwt', { slot, who: ratherTheirs, method: jwtMethod }),
  },
  {
    weight: 6,
    arbitrary: sent('passkey', {
      slot,
      who: ratherTheirs,
      named: someone,
      isVerified: mostly,
      again: seldom,
    }),
  },
  // A page of another site cannot read the answer to a GET.
  { weight: 2, arbitrary: sent('queries', { slot }).map((asked) => ({ ...asked, foreign: false })) },
  { weight: 5, arbitrary: sent('enroll', { slot }) },
  { weight: 4, arbitrary: sent('verify', { slot, right: mostly }) },
  { weight: 1, arbitrary: sent('abandon', { slot }) },
  { weight: 3, arbitrary: sent('replace', { slot, old: seldom }) },
  { weight: 5, arbitrary: sent('redeem', { back, right: mostly }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('refresh' as const), by: fc.constantFrom(...actors), back }),
  },
  { weight: 3, arbitrary: sent('open session', { who, method, right: mostly }) },
  { weight: 2, arbitrary: session('session totp', { who: ratherTheirs, kind }) },
  { weight: 2, arbitrary: session('session enroll', { jwt: ratherTheirs }) },
  { weight: 2, arbitrary: session('session verify', { right: mostly, jwt: ratherTheirs }) },
  { weight: 3, arbitrary: session('session call', { jwt: someone }) },
  { weight: 1, arbitrary: session('session end', {}) },
);

const waits = [SECOND, 3 * SECOND, 31 * SECOND, 31 * SECOND, 61 * SECOND, 6 * MINUTE, 31 * MINUTE];

const one = (step: Step): Move => ({ do: 'one', step });
const wait = (millis: Millis): Move => ({ do: 'wait', millis });
const pauses = fc.array(fc.constantFrom(0, 0, 1, 2, 4), { minLength: 8, maxLength: 8 });

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 24, arbitrary: step.map(one) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('together' as const), steps: fc.tuple(step, step), pauses }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...waits).map(wait) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('crowd' as const), who, right: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      by: fc.constantFrom(...actors),
      slot,
      who,
    }),
  },
);

/** A person who knows all of a person's proofs, on a request of their own. */
const owner = fc.record({ by: fc.constantFrom(...actors), page: fc.boolean(), slot, who }).map((chosen) => {
  const { by, slot, who } = chosen;
  const from = { by, foreign: false, page: chosen.page && by.startsWith('browser'), asBefore: false };
  const login: readonly Move[] = [
    one({ do: 'begin', slot, ...from }),
    one({ do: 'primary', slot, who, method: 'password', right: true, also: who, ...from }),
  ];
  return { by, from, slot, who, login };
});

/** A code of the app or a recovery code, and the same one in the next login. */
const codeAgain = fc
  .tuple(owner, fc.constantFrom(['now', 'again'] as const, ['recovery', 'recovery again'] as const))
  .map(([{ from, slot, who, login }, [first, second]]): readonly Move[] => [
    ...login,
    one({ do: 'totp', slot, who, kind: first, ...from }),
    ...login,
    one({ do: 'totp', slot, who, kind: second, ...from }),
  ]);

/** A refresh token, the same one when it is no longer a duplicate, and then its successor. */
const refreshTokenAgain = owner.map(({ by, from, slot, who }): readonly Move[] => [
  one({ do: 'begin', slot, ...from }),
  { do: 'finish', by, slot, who },
  one({ do: 'redeem', back: 0, right: true, ...from }),
  one({ do: 'refresh', by, back: 0 }),
  wait(3 * SECOND),
  one({ do: 'refresh', by, back: 1 }),
  one({ do: 'refresh', by, back: 0 }),
]);

/** The second factor of one login, while another login takes its place. */
const supersededWhileProving = fc
  .tuple(owner, who, pauses)
  .map(([{ from, slot, who: first, login }, second, between]): readonly Move[] => [
    ...login,
    {
      do: 'together',
      steps: [
        { do: 'totp', slot, who: first, kind: 'now', ...from },
        { do: 'primary', slot, who: second, method: 'password', right: true, also: null, ...from },
      ],
      pauses: between,
    },
  ]);

/**
 * Two logins of a person whose password must change, and a session; one of the logins replaces it, after it has tried to
 * keep the present one.
 */
const replacedElsewhere = fc.tuple(owner, pauses).map(([{ from, who, login }, between]): readonly Move[] => [
  ...login,
  one({ do: 'begin', slot: 1, ...from }),
  one({ do: 'primary', slot: 1, who, method: 'password', right: true, also: who, ...from }),
  one({ do: 'totp', slot: 1, who, kind: 'now', ...from }),
  one({ do: 'replace', slot: 1, old: true, ...from }),
  {
    do: 'together',
    steps: [
      { do: 'replace', slot: 1, old: false, ...from },
      { do: 'replace', slot: 0, old: false, ...from },
    ],
    pauses: between,
  },
  one({ do: 'queries', slot: 0, ...from }),
  ...login,
]);

/** Another person logs in on the request, from any place, and the first one goes on. */
const takenOver = fc
  .tuple(owner, owner)
  .map(([{ from, slot, login }, { from: other, who }]): readonly Move[] => [
    ...login,
    one({ do: 'primary', slot, who, method: 'password', right: true, also: who, ...other }),
    one({ do: 'queries', slot, ...from }),
    one({ do: 'enroll', slot, ...from }),
  ]);

/** A person begins an enrollment; another one logs in on the request and wants one too. */
const begunBefore = fc
  .tuple(owner, who)
  .map(([{ by, from, slot, login }, second]): readonly Move[] => [
    ...login,
    one({ do: 'enroll', slot, ...from }),
    { do: 'finish', by, slot, who: second },
  ]);

/** A passkey in a login that asks for more, and its answer once more. */
const answerAgain = owner.map(({ from, slot, who, login }): readonly Move[] => {
  const answer = { do: 'passkey', slot, who, named: null, isVerified: true, again: false, ...from } as const;
  return [...login, one(answer), one({ ...answer, again: true })];
});

/** Sequences that randomly chosen steps seldom reach. */
const plot: fc.Arbitrary<readonly Move[]> = fc.oneof(
  codeAgain,
  refreshTokenAgain,
  supersededWhileProving,
  replacedElsewhere,
  takenOver,
  begunBefore,
  answerAgain,
);

/** @param longest maximum number of moves and plots in a run */
export function scenarios(longest: number): fc.Arbitrary<Scenario> {
  const moves = fc.oneof(
    { weight: 30, arbitrary: move.map((only): readonly Move[] => [only]) },
    { weight: 1, arbitrary: plot },
  );
  return fc.record({
    enrolled: fc.subarray([...people]),
    mustChange: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.subarray([...people])),
    begun: fc.tuple(sender, sender),
    moves: fc.array(moves, { minLength: 1, maxLength: longest, size: 'max' }).map((parts) => parts.flat()),
  });
}
