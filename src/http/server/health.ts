import { z } from 'zod';
import { type Clock, type Millis, SECOND } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { withinTime } from '../../platform/within-time.ts';
import { timeSchema } from '../documents/wire.ts';
import { type Answer, envelope } from '../request/answer.ts';
import { anonymous, dataAnswer, type Route, route, schemaNamed } from '../request/route.ts';

/** Something that has to work for the service to work, such as the database. */
export interface HealthCheck {
  /** A short name for machines, such as `store.read`. */
  readonly id: string;
  /** Resolves when it works. Its error is logged, not shown. */
  check(): Promise<void>;
}

const healthSchema = schemaNamed('Health', {
  checks: z.array(
    z.strictObject({
      id: z.string(),
      healthy: z.boolean(),
      lastCheckTime: timeSchema,
      lastCheckDuration: z.string(),
    }),
  ),
  healthy: z.boolean(),
});

/** The result of a check. */
export interface Finding {
  readonly id: string;
  readonly healthy: boolean;
  /** RFC 3339. */
  readonly lastCheckTime: string;
  /** A duration in Go's notation, as monitors of such controllers read it. */
  readonly lastCheckDuration: string;
}

/** Results are kept this long: everybody may ask, and asking must not become work for the database. */
const keptFor: Millis = SECOND;
const longestCheck: Millis = 5 * SECOND;

/**
 * `/health-checks` and `/health-checks/ready`: 200 when every check passes, otherwise 503, with each result.
 * `/health-checks/live`: 200 as long as the process answers. A supervisor restarts a process that does not.
 */
export function healthRoutes(
  needs: { clock: Clock; log: Logger },
  checks: readonly HealthCheck[],
): readonly Route[] {
  let findings: Promise<readonly Finding[]> = Promise.resolve([]);
  let foundAt = Number.NEGATIVE_INFINITY;

  function currentFindings(): Promise<readonly Finding[]> {
    const now = needs.clock.monotonic();
    if (now - foundAt >= keptFor) {
      foundAt = now;
      findings = runChecks(needs, checks);
    }
    return findings;
  }

  const common = {
    ...anonymous('health', 'light', 'edge'),
    answers: {
      200: dataAnswer(healthSchema, 'Everything works'),
      503: dataAnswer(healthSchema, 'Something does not work'),
    },
  } as const;
  return [
    ...['/health-checks', '/health-checks/ready'].map((path) =>
      route(['GET', 'HEAD'], path, {
        ...common,
        summary: 'Find out whether everything works',
        handler: async () => healthAnswer(await currentFindings()),
      }),
    ),
    route(['GET', 'HEAD'], '/health-checks/live', {
      ...common,
      summary: 'Find out whether the process answers',
      handler: () => healthAnswer([]),
    }),
  ];
}

function healthAnswer(checks: readonly Finding[]): Answer {
  const healthy = checks.every((finding) => finding.healthy);
  return envelope({ checks, healthy }, {}, { status: healthy ? 200 : 503 });
}

/** Runs all checks at once. Takes `longestCheck` at most. */
export function runChecks(
  needs: { clock: Clock; log: Logger },
  checks: readonly HealthCheck[],
): Promise<readonly Finding[]> {
  return Promise.all(checks.map((check) => runCheck(needs, check)));
}

async function runCheck({ clock, log }: { clock: Clock; log: Logger }, check: HealthCheck): Promise<Finding> {
  const lastCheckTime = new Date(clock.now()).toISOString();
  const start = clock.monotonic();
  let healthy = true;
  try {
    await withinTime(check.check(), longestCheck, 'the check took too long');
  } catch (error) {
    healthy = false;
    log.warn('health check failed', { check: check.id, error });
  }
  const millis = Math.round((clock.monotonic() - start) * 1000) / 1000;
  return { id: check.id, healthy, lastCheckTime, lastCheckDuration: `${millis}ms` };
}
