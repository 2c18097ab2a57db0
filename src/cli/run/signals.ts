/**
 * Resolves with the first SIGTERM or SIGINT; a second one ends the process at once.
 * @param onHangup called for every SIGHUP until then
 */
export function untilStopped(onHangup: () => void): Promise<'SIGTERM' | 'SIGINT'> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: 'SIGTERM' | 'SIGINT') => {
      // Somebody does not want to wait for the requests under way.
      if (isStopping) process.exit(1);
      isStopping = true;
      process.off('SIGHUP', onHangup);
      // A hang-up while stopping must not end the process half-way.
      process.on('SIGHUP', () => undefined);
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('SIGHUP', onHangup);
  });
}
