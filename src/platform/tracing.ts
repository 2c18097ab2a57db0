// What the rest of the service knows of traces: what is under way may be in one. Whether it is, and what becomes of it,
// is decided in telemetry/; where that is off, nothing of it is called.

/** A part of a request. Everything in it leaves the machine: names and counts, never a value that somebody sent. */
export interface SpanDescription {
  readonly name: string;
  /** `client`: it waits for another server. */
  readonly kind: 'internal' | 'client';
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** How a request ended. */
export interface RequestOutcome {
  readonly method: string;
  /** The path as the endpoint declares it, with names in place of values; undefined: no endpoint has the path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly errorCode?: string | undefined;
}

/** A request that belongs to a trace. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** What `work` begins is a part of this request, for as long as the request lasts. */
  run<T>(work: () => T): T;
  end(outcome: RequestOutcome): void;
}

export interface Tracing {
  /**
   * Begins a request, and decides whether it is traced.
   * @param request.traceparent the header as it came
   * @returns null: it belongs to no trace
   */
  begin(request: {
    readonly requestId: string;
    readonly traceparent: string | undefined;
  }): RequestTrace | null;
  /** Runs `work` as a part of the request that is under way here; without one, just runs it. */
  within<T>(span: SpanDescription, work: () => T): T;
}

/** What the configuration in use wants. */
export interface TracingInUse {
  /** Null: no collector is named. */
  readonly current: Tracing | null;
  /** Told when a reload has put another one in use, or none. */
  onChange(listener: (current: Tracing | null) => void): void;
}
