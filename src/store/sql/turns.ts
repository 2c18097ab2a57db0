// How both engines take turns at lists: see `Engine.inTurn`.

import type { ListBudget } from '../../model/list-query.ts';
import { type Millis, systemClock } from '../../platform/clock.ts';
import { fairTurns, usualTurns } from '../../platform/fair-turns.ts';
import { StoreUnavailable } from '../contracts/store.ts';

/** A statement was ended because the time of its list was over. */
export class OutOfTime extends StoreUnavailable {
  constructor() {
    super('the list took longer than it may');
  }
}

export type InTurn = <T>(budget: ListBudget, use: (left: () => Millis) => Promise<T>) => Promise<T>;

/**
 * @param atOnce how many lists the engine reads at once; strangers have one more
 * @returns runs `use` in the payer's turn; `left` is the time that is left, and throws OutOfTime when none is
 */
export function listTurns(atOnce: number): InTurn {
  const ofCallers = fairTurns({ ...usualTurns, atOnce });
  const ofStrangers = fairTurns({ ...usualTurns, atOnce: 1 });
  return async (budget, use) => {
    const end = await (budget.isStranger ? ofStrangers : ofCallers).take(budget.payer);
    try {
      const ends = systemClock.monotonic() + budget.time;
      return await use(() => {
        const left = ends - systemClock.monotonic();
        if (left <= 0) throw new OutOfTime();
        return left;
      });
    } finally {
      end();
    }
  };
}
