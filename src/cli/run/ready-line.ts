import type { RunningController } from '../../controller.ts';

export interface ReadyFacts {
  readonly event: 'ready';
  readonly issuers: readonly string[];
  /** What clients dial first: `https://host[:port]`. */
  readonly url: string;
  /** From the start of the process. */
  readonly readyAfterMs: number;
}

/** What the world is told when every listener accepts connections. */
export function readyFacts(controller: RunningController): ReadyFacts {
  const issuers = [...new Set(controller.bindPoints.map(({ issuer }) => issuer))];
  return {
    event: 'ready',
    issuers,
    url: new URL(issuers[0] ?? 'https://localhost').origin,
    readyAfterMs: Math.round(process.uptime() * 1000),
  };
}
