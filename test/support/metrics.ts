/** Serves the metrics on the listener of the APIs, where a test's client reaches them. */
export function withMetrics(yaml: string): string {
  return yaml
    .replace(/\n {2}# For Prometheus[\s\S]*?- binding: metrics\n/, '')
    .replace(/( *)- binding: health-checks\n/, '$&$1- binding: metrics\n');
}
