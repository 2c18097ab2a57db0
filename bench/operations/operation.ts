import type { Load } from '../load/rounds.ts';
import type { Findings } from '../report.ts';
import type { Stage } from '../stage.ts';

export interface Operation {
  /** For `--only`. */
  readonly name: string;
  run(stage: Stage): Promise<Findings>;
}

/** @param operations of one round of a full run */
export function loadOf(stage: Stage, operations: number, connections = 32): Load {
  const { countInstructions } = stage;
  return stage.quick
    ? { rounds: 3, connections, operations: Math.ceil(operations / 5), countInstructions }
    : { rounds: 7, connections, operations, countInstructions };
}

/** The results by the order in which the contestants were given. */
export function resultAt<Value>(results: readonly Value[], index: number): Value {
  const result = results[index];
  if (result === undefined) throw new Error('there is no such contestant');
  return result;
}

export const formHead = 'content-type: application/x-www-form-urlencoded\r\n';
export const jsonHead = 'content-type: application/json\r\n';
export const bearerHead = (token: string) => `authorization: Bearer ${token}\r\n`;
