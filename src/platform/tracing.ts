// Tracing as the rest of the service sees it: work may be part of a trace. telemetry/ decides whether it is, and where
// the trace goes; where tracing is off, none of this is called.

/** A part of a request. Everything in it leaves the machine: names and counts, never a value from a client. */
export interface SpanDescription {
  readonly name: string;
  /** `client`: it waits for another server. */
  readonly kind: 'internal' | 'client';
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** How a request ended. */
export interface RequestOutcome {
  readonly method: string;
  /** The path as the endpoint declares it, with names instead of values; undefined: no endpoint has the path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly errorCode?: string | undefined;
}

/** A request that belongs to a trace. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Work that `work` starts is part of this request, for as long as the request lasts. */
  run<T>(work: () => T): T;
  end(outcome: RequestOutcome): void;
}

export interface Tracing {
  /**
   * Begins a request, and decides whether it is traced.
   * @param request.traceparent the header as received
   * @returns null: it is not part of a trace
   */
  begin(request: { requestId: string; traceparent: string | undefined }): RequestTrace | null;
  /** Runs `work` as part of the current request; without one, just runs it. */
  within<T>(span: SpanDescription, work: () => T): T;
}

/** The tracing settings of the configuration in use. */
export interface TracingInUse {
  /** Null: no collector is configured. */
  readonly current: Tracing | null;
  /** Called when a reload has put another one in use, or none. */
  onChange(listener: (current: Tracing | null) => void): void;
}
