// A model of the login, beside a real server: random runs of four people, two browsers, two programs and pages of
// other sites on shared auth request ids, over both mechanisms. A client that gets a code, a token, a session or an
// enrollment of a person has proven, in that same browser or program and on that same request, what the person's policy
// requires; single-use items work only once; no state is a dead end. world.ts says it in full.
//
// Everything goes through the front door, TLS and database included: certificates are proven by the handshake, and the
// races are those of the real store. On connections that stay open a request costs about a millisecond, so there is no
// need for a shorter way.

import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../support/size.ts';
import { openHouse } from './house.ts';
import { run } from './run.ts';
import { scenarios } from './steps.ts';

/**
 * Of a server; then comes a new one, so that its clock does not run away from the certificates of the tests. The small
 * size finds every planted fault (docs/planted-faults.md).
 */
const runsOfHouse = sized({ small: 1000, full: 2000 });
/** Moves of a run; usually half as many. */
const longest = 12;
const houses = Number(process.env.OVERLAY_AUTH_MODEL_HOUSES ?? sized({ small: 1, full: 100 }));
const runs = Number(process.env.OVERLAY_AUTH_MODEL_RUNS ?? runsOfHouse);
/** Shrinks a counterexample as far as possible, unless it will not be read. */
const shrinks = process.env.OVERLAY_AUTH_MODEL_SHRINK !== '0';
const firstSeed = Number(
  process.env.OVERLAY_AUTH_MODEL_SEED ?? sized({ small: 20260101, full: Date.now() % 2 ** 31 }),
);

test('no client gets more than was proven, under any events in any order', async (t) => {
  for (let index = 0; index < houses; index += 1) {
    const house = await openHouse();
    const seed = (firstSeed + index) % 2 ** 31;
    try {
      const property = fc.asyncProperty(scenarios(longest), (scenario) => run(house, scenario));
      await fc.assert(property, { numRuns: runs, seed, endOnFailure: !shrinks });
    } finally {
      await house.close();
    }
    if (houses > 1) t.diagnostic(`${(index + 1) * runs} of ${houses * runs} runs, seed ${seed}`);
  }
});
