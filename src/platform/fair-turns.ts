// Turns at work of which only a few can run at once: a caller who asks for much waits longer, and no other caller does.

import { type Millis, SECOND } from './clock.ts';

/** Too many wait already, or a turn did not come in time. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
  /** When another attempt makes sense. */
  readonly retryAfterSeconds = 5;
  constructor() {
    super('too many are waiting for their turn');
  }
}

export interface TurnLimits {
  readonly atOnce: number;
  /** How many turns one caller has at once. */
  readonly ofOne: number;
  /** How many wait at most, in all. Beyond that the newest of the caller with the most is sent away. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  readonly patience: Millis;
}

export const usualTurns: Omit<TurnLimits, 'atOnce'> = {
  ofOne: 2,
  waiting: 200,
  waitingOfOne: 20,
  patience: 10 * SECOND,
};

interface Waiter {
  start(): void;
  sendAway(): void;
}

interface Line {
  running: number;
  readonly waiting: Waiter[];
}

export function fairTurns({ atOnce, ofOne, waiting, waitingOfOne, patience }: TurnLimits) {
  /** The caller whose last turn is longest ago comes first. */
  const lines = new Map<string, Line>();
  let running = 0;
  let inAll = 0;

  function startNext(): void {
    while (running < atOnce) {
      const next = [...lines].find(([, line]) => line.waiting.length > 0 && line.running < ofOne);
      if (next === undefined) return;
      const [caller, line] = next;
      toTheEnd(caller, line);
      line.running += 1;
      running += 1;
      inAll -= 1;
      line.waiting.shift()?.start();
    }
  }

  function toTheEnd(caller: string, line: Line): void {
    lines.delete(caller);
    if (line.running > 0 || line.waiting.length > 0) lines.set(caller, line);
  }

  function end(caller: string, line: Line): void {
    line.running -= 1;
    running -= 1;
    toTheEnd(caller, line);
    startNext();
  }

  /** Whether one more may wait; sends away one of a caller who has more waiting. */
  function hasRoom(line: Line): boolean {
    if (line.waiting.length >= waitingOfOne) return false;
    if (inAll < waiting) return true;
    const longest = [...lines.values()].reduce((one, other) =>
      other.waiting.length > one.waiting.length ? other : one,
    );
    if (longest.waiting.length <= line.waiting.length + 1) return false;
    longest.waiting.at(-1)?.sendAway();
    return true;
  }

  return {
    /**
     * Waits for a turn.
     * @returns ends the turn; further calls do nothing
     * @throws NoTurn
     */
    take(caller: string): Promise<() => void> {
      const line = lines.get(caller) ?? { running: 0, waiting: [] };
      if (!hasRoom(line)) return Promise.reject(new NoTurn());
      return new Promise((resolve, reject) => {
        let isOver = false;
        const waiter: Waiter = {
          start() {
            clearTimeout(timer);
            resolve(() => {
              if (!isOver) end(caller, line);
              isOver = true;
            });
          },
          sendAway() {
            clearTimeout(timer);
            line.waiting.splice(line.waiting.indexOf(waiter), 1);
            inAll -= 1;
            if (line.running === 0 && line.waiting.length === 0) lines.delete(caller);
            reject(new NoTurn());
          },
        };
        const timer = setTimeout(() => waiter.sendAway(), patience);
        line.waiting.push(waiter);
        lines.set(caller, line);
        inAll += 1;
        startNext();
      });
    },
  };
}
