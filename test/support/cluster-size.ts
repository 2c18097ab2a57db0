// How much the cluster tests do: a little in every run, everything on request.

import { type Millis, SECOND } from '../../src/platform/clock.ts';
import { sized } from './size.ts';

export interface ClusterSize {
  readonly nodes: number;
  /** Clients under load. */
  readonly clients: number;
  /** How often each fault happens. */
  readonly rounds: number;
  /** How long the load runs before each fault, and after recovery. */
  readonly calm: Millis;
  /** How long a client waits before its next step. A crowd that does not wait takes all processors. */
  readonly thought: Millis;
  /** After this long a client gives up on an answer, and tries again. */
  readonly patience: Millis;
  /** Number of changes that are timed. */
  readonly changes: number;
}

export const clusterSize = sized<ClusterSize>({
  small: { nodes: 2, clients: 4, rounds: 1, calm: SECOND, thought: 100, patience: 4 * SECOND, changes: 10 },
  full: {
    nodes: 3,
    clients: 16,
    rounds: 5,
    calm: 5 * SECOND,
    thought: 0,
    patience: 10 * SECOND,
    changes: 300,
  },
});
