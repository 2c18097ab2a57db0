/** What the exit status tells a script (design 2.1). */
export const exitCodes = {
  fine: 0,
  failed: 1,
  usage: 2,
  notAuthenticated: 3,
  deniedByPolicy: 4,
  unreachable: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for a failed answer of a server, by its HTTP status. */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401) return exitCodes.notAuthenticated;
  if (status === 403) return exitCodes.deniedByPolicy;
  // 502 to 504: a proxy, or the service itself, says that it is unavailable.
  if (status >= 502 && status <= 504) return exitCodes.unreachable;
  return exitCodes.failed;
}
