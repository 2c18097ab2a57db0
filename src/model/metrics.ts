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
