/** One metric with all its series. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge` or `histogram`. */
  readonly type: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** Of a histogram: the name with `_bucket`, `_sum` or `_count`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Deliveries to an OpenTelemetry collector; all zero if the configuration names none. */
export interface DeliveryCounts {
  readonly spansSent: number;
  /** Never sent: there was no room, or the collector refused them. */
  readonly spansLost: number;
  readonly failures: number;
}

/** The purposes of connections to PostgreSQL; each purpose has its own pool. */
export const poolNames = ['writes', 'reads', 'lists'] as const;

/** A pool of connections to PostgreSQL. */
export interface PoolUse {
  readonly pool: (typeof poolNames)[number];
  /** Connections that are being opened count too. */
  readonly inUse: number;
  readonly limit: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** How often a connection was used, each time for a transaction or a read, since the start. */
  readonly uses: number;
  /** How long these took together, without the wait for the connection. */
  readonly seconds: number;
}
