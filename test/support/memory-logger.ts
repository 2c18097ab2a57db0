import { loggableText } from '../../src/platform/log/log-line.ts';
import { forwardingLogger, type LogEntry, type Logger } from '../../src/platform/log/logger.ts';

/** Keeps what is logged, at every level. */
export function memoryLogger(): Logger & { readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  const keep = forwardingLogger(
    { level: () => 'debug', written: async () => true },
    ({ level, message, fields }) =>
      entries.push({ level: level === 'always' ? 'info' : level, message: loggableText(message), fields }),
  );
  return { ...keep, entries };
}
