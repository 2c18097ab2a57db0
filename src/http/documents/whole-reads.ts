// What looks at every entry of a table: one at a time for each caller, and a few in all.

import { fairTurns, usualTurns } from '../../platform/fair-turns.ts';
import { type Answer, jsonParts } from '../request/answer.ts';

/** Of this thread. Each may take as long as its client takes to read. */
const turns = fairTurns({ ...usualTurns, atOnce: 8, ofOne: 1, waitingOfOne: 4 });

/**
 * A JSON document whose parts are made when the client has taken those before.
 * @param payer whose turn it takes, until the last part is taken or the client is gone
 * @throws NoTurn
 */
export async function wholeRead(payer: string, parts: AsyncGenerator<string>): Promise<Answer> {
  const end = await turns.take(payer);
  const next = async () => {
    try {
      const part = await parts.next();
      if (part.done === true) end();
      return part;
    } catch (error) {
      end();
      throw error;
    }
  };
  // What fails before anything is sent is answered as usual.
  let first: IteratorResult<string> | null = await next();
  const iterator: AsyncIterator<string> = {
    async next() {
      const part = first ?? (await next());
      first = null;
      return part;
    },
    // Unlike `finally` of a generator, it also runs for an answer that is never read, such as that to HEAD.
    return() {
      end();
      return parts.return(undefined);
    },
  };
  return jsonParts({ [Symbol.asyncIterator]: () => iterator });
}

/** @throws NoTurn, and what `work` throws */
export async function inWholeTurn<T>(payer: string, work: () => Promise<T>): Promise<T> {
  const end = await turns.take(payer);
  try {
    return await work();
  } finally {
    end();
  }
}
