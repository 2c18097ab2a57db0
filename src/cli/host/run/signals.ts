// The signals of a controller's process, from the beginning of its command: SIGTERM and SIGINT end it, SIGHUP reloads.

type StopSignal = 'SIGTERM' | 'SIGINT';

export type ControllerSignals = ReturnType<typeof listenForSignals>;

/**
 * Without it, the system's default would count until the controller runs: SIGHUP would end the process, which a service
 * manager takes for a clean end, and the first process of a container would not notice SIGTERM at all.
 */
export function listenForSignals() {
  let wasHungUp = false;
  let onHangup = () => {
    wasHungUp = true;
  };
  // Nobody is served yet, and each step of a start is done as a whole or not at all.
  let onStop: (signal: StopSignal) => void = () => process.exit(0);
  const stop = (signal: StopSignal) => onStop(signal);
  const hangup = () => onHangup();
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', hangup);
  return {
    /** Resolves with the first SIGTERM or SIGINT from now on; a second one ends the process at once. */
    untilStopped(): Promise<StopSignal> {
      const { promise, resolve } = Promise.withResolvers<StopSignal>();
      onStop = (signal) => {
        onHangup = () => undefined;
        // The second signal: do not wait for the requests under way.
        onStop = () => process.exit(1);
        resolve(signal);
      };
      return promise;
    },
    /** Calls it for every SIGHUP until the process is asked to stop, and at once if there was one before. */
    reloadWith(reload: () => void): void {
      onHangup = reload;
      if (wasHungUp) reload();
    },
    [Symbol.dispose]() {
      process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', hangup);
    },
  };
}
