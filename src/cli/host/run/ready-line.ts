import type { RunningController } from '../../../controller/controller.ts';

export interface ReadyFacts {
  readonly event: 'ready';
  readonly issuers: readonly string[];
  /** What clients dial first: `https://host[:port]`. */
  readonly url: string;
  /** From the start of the process. */
  readonly readyAfterMs: number;
}

/** What is announced when every listener accepts connections. */
export function readyFacts({ issuers, bindPoints }: RunningController): ReadyFacts {
  return {
    event: 'ready',
    issuers,
    url: new URL(issuers[0] ?? bindPoints[0]?.issuer ?? 'https://localhost').origin,
    readyAfterMs: Math.round(process.uptime() * 1000),
  };
}
