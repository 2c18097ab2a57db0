/** A listener cannot be opened. The message tells the operator what to do, in one sentence. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** The reason of a failed `listen`, in words. */
export function listenErrorOf(
  listenerName: string,
  { host, port }: { host: string; port: number },
  cause: unknown,
): ListenError {
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new ListenError(
    `The listener ${JSON.stringify(listenerName)} cannot listen on ${where}: ${reasonOf(cause)}`,
    { cause },
  );
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return 'another program uses this port. Stop it, or change the interface of the bind point.';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'this machine has no such address. Change the interface of the bind point.';
    case 'EACCES':
      return 'the operating system does not allow it. Use a port above 1023, or give the program the right to use this one.';
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}
