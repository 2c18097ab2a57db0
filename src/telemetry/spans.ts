// Traces with the OpenTelemetry packages: spans stay in memory until they are sent, up to a limit.

import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from '../config/config.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { RequestTrace, SpanDescription, Tracing } from '../platform/tracing.ts';
import type { Collector } from './collector.ts';

/** Learns the outcome of deliveries. */
export interface Deliveries {
  /** @param spans number of delivered spans */
  sent(spans: number): void;
  /** @param lost number of lost spans */
  failed(error: unknown, lost: number): void;
  /** There was no room. */
  dropped(spans: number): void;
}

/** Waiting spans, including those being sent. At their largest they take some megabytes. */
const mostSpans = 2048;
const mostInOneRequest = 200;
const sendEvery: Millis = SECOND;
const longestText = 300;

interface UnderWay {
  readonly span: Span;
  parts: number;
  isOver: boolean;
}

export type Spans = ReturnType<typeof openSpans>;

export function openSpans(needs: {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: TelemetryConfig['traces'];
  readonly resource: Resource;
  readonly collector: Collector;
  readonly deliveries: Deliveries;
}) {
  const { collector, deliveries } = needs;
  const waiting = { spans: 0 };
  const provider = new TracerProvider({
    resource: needs.resource,
    // Whether to trace a request is decided before it has a span.
    sampler: new AlwaysOnSampler(),
    spanLimits: {
      attributeValueLengthLimit: longestText,
      attributeCountLimit: 32,
      eventCountLimit: 8,
      linkCountLimit: 0,
    },
    spanProcessors: [boundedProcessor(spanExporter(collector, deliveries, waiting), deliveries, waiting)],
  });
  const tracer = provider.getTracer('overlay-auth');
  const underWay = new AsyncLocalStorage<UnderWay>();
  const isTraced = requestsToTrace(needs, needs.settings);

  function begin(request: Parameters<Tracing['begin']>[0]): RequestTrace | null {
    const parent = readTraceParent(request.traceparent);
    if (!isTraced(parent)) return parent === null ? null : untraced(parent.traceId);
    const context =
      parent === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.SAMPLED, isRemote: true });
    const attributes = { 'overlay_auth.request_id': request.requestId };
    const span = tracer.startSpan('request', { kind: SpanKind.SERVER, attributes }, context);
    const state = { span, parts: 0, isOver: false };
    return {
      traceId: span.spanContext().traceId,
      run: (work) => underWay.run(state, work),
      end({ method, route, status, errorCode }) {
        if (state.isOver) return;
        state.isOver = true;
        span.updateName(route === undefined ? method : `${method} ${route}`);
        span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status });
        if (route !== undefined) span.setAttribute('http.route', route);
        if (errorCode !== undefined) span.setAttribute('error.type', errorCode);
        if (state.parts > mostInOneRequest) span.setAttribute('overlay_auth.parts', state.parts);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  function within<T>(part: SpanDescription, work: () => T): T {
    const state = underWay.getStore();
    // Work after the answer, such as writing decision records, belongs to many requests.
    if (state === undefined || state.isOver) return work();
    state.parts += 1;
    if (state.parts > mostInOneRequest) return work();
    const span = tracer.startSpan(
      part.name,
      { kind: part.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: part.attributes },
      trace.setSpan(ROOT_CONTEXT, state.span),
    );
    const outcome = work();
    // Synchronous work takes no time, and gets no span.
    if (outcome instanceof Promise)
      outcome.then(
        () => span.end(),
        (error) => endFailed(span, error),
      );
    return outcome;
  }

  return { tracing: { begin, within }, stop: () => provider.shutdown() };
}

/** Only the id, for the log. */
function untraced(traceId: string): RequestTrace {
  return { traceId, run: (work) => work(), end() {} };
}

/** Only the kind of the failure: its message may contain values from a client. */
function endFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** The library's processor, which sends one batch after the other, with a limit that includes the batch under way. */
function boundedProcessor(
  exporter: SpanExporter,
  deliveries: Deliveries,
  waiting: { spans: number },
): SpanProcessor {
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: mostSpans,
    maxExportBatchSize: 512,
    scheduledDelayMillis: sendEvery,
    exportTimeoutMillis: 30 * SECOND,
  });
  return {
    onStart: (...started) => batches.onStart(...started),
    onEnd(span) {
      if (waiting.spans >= mostSpans) return deliveries.dropped(1);
      waiting.spans += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** Sends each batch once: the next one is another try. Operators who need more run a collector beside the service. */
function spanExporter(
  collector: Collector,
  deliveries: Deliveries,
  waiting: { spans: number },
): SpanExporter {
  return {
    export(spans: ReadableSpan[], done) {
      const body = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
      collector
        .post('traces', body)
        .then(
          () => deliveries.sent(spans.length),
          (error: unknown) => deliveries.failed(error, spans.length),
        )
        .finally(() => {
          waiting.spans -= spans.length;
          // Already reported: the library would only report it again.
          done({ code: 0 });
        });
    },
    shutdown: async () => {},
  };
}

// Which requests are traced. Every client can send a trace context, so it is followed only within bounds: it must
// decide neither the costs of this service nor the data that it reveals.

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
