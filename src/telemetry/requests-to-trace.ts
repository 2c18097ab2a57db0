// Which requests are traced. Anybody can send a trace context, so it is followed only within bounds: it must decide
// neither what this service spends nor what it reveals.

import type { TelemetryConfig } from '../config/config.ts';
import { type Clock, SECOND } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';

/** The contents of the header `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the caller traces it. */
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Reads the header. Anything but the exact form of the standard counts as absent.
 * @see W3C Trace Context, section 3.2
 */
export function readTraceParent(header: string | undefined): TraceParent | null {
  if (header === undefined || header.length > 256) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = pattern.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/**
 * Decides for each request whether it is traced. If the caller does not keep its trace, neither do we. Of all others
 * we choose the configured share at random, never by a trace id that the caller chose. In addition, a limited number
 * per second is traced because the caller traces them.
 */
export function requestsToTrace(
  needs: { readonly clock: Clock; readonly random: Random },
  { sampling, callersPerSecond }: TelemetryConfig['traces'],
): (parent: TraceParent | null) => boolean {
  const most = Math.max(1, callersPerSecond);
  let allowance = callersPerSecond === 0 ? 0 : most;
  let countedAt = needs.clock.monotonic();

  function isAllowed(): boolean {
    const now = needs.clock.monotonic();
    allowance = Math.min(most, allowance + ((now - countedAt) / SECOND) * callersPerSecond);
    countedAt = now;
    if (callersPerSecond === 0 || allowance < 1) return false;
    allowance -= 1;
    return true;
  }

  return (parent) => {
    if (parent !== null && !parent.isSampled) return false;
    if (sampling > 0 && needs.random.bytes(4).readUInt32BE() / 2 ** 32 < sampling) return true;
    return parent !== null && isAllowed();
  };
}
