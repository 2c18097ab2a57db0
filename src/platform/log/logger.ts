import { type Clock, isoTime, systemClock } from '../clock.ts';
import { escapeUnseen } from '../formats/escape-unseen.ts';
import { openDestination } from './log-destination.ts';
import { type LogFields, loggableFields, loggableText } from './log-fields.ts';

/**
 * `message` is a constant sentence; variable values go into `fields`. Fields whose names sound like secrets (`code`,
 * `token`, `password`, …) are written as "[redacted]": call an error's code `errorCode`.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Written as `info` whatever the configured level: for the audit trail, which no log setting may switch off. */
  always(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
  /**
   * Resolves when every line so far was handed to the system; absent if lines go nowhere else.
   * @returns false when they cannot be written, because the disk is full or nobody takes them
   */
  written?(): Promise<boolean>;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The level of a line: `always` is `info` that every configured level lets through. */
export type LineLevel = LogLevel | 'always';

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: 'json' | 'text';
  /** A file is created for its owner only, and appended to. */
  readonly to: 'stdout' | 'stderr' | { readonly file: string };
  readonly clock?: Clock;
}

export interface OpenLogger extends Logger {
  /** Lines lost since the start, because nobody read them or the disk refused them. */
  lostLines(): number;
  /** Changes the level from now on. */
  setLevel(level: LogOptions['level']): void;
  /** Reopens the file, after it was moved away. */
  reopen(): void;
  /** Resolves when waiting lines were handed to the system. A normal exit does this by itself. */
  flush(): Promise<void>;
}

const severity: Readonly<Record<LineLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, always: 4 };

const shownLevel = (level: LineLevel): LogLevel => (level === 'always' ? 'info' : level);

/** Opens the log. Lines are written in the background. @throws Error when the file cannot be opened */
export function openLogger(options: LogOptions): OpenLogger {
  const clock = options.clock ?? systemClock;
  const render: (parts: LineParts) => string = options.format === 'json' ? jsonLine : textLine;
  let least = severity[options.level];
  let lost = 0;
  const countLost = () => {
    lost += 1;
  };
  let destination = openDestination(options.to, countLost);
  const write: Write = (level, message, fields) => {
    if (severity[level] < least) return;
    const time = isoTime(clock.now());
    const safe = { fields: loggableFields(fields), msg: loggableText(message) };
    destination.write(render({ level: shownLevel(level), time, ...safe }));
  };
  return {
    ...loggerOver(write, {}, () => destination.written()),
    lostLines: () => lost,
    setLevel(level) {
      least = severity[level];
    },
    reopen() {
      const former = destination;
      destination = openDestination(options.to, countLost);
      former.end();
    },
    flush: () => destination.flush(),
  };
}

export interface LogEntry<Level extends LineLevel = LogLevel> {
  readonly level: Level;
  readonly message: string;
  /** As they would be written: secrets replaced. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Passes lines on as they would be written, for a thread whose lines another one writes. The fields can cross threads.
 * @param options.level   as it is now
 * @param options.written asks the writing thread, once it has received all lines so far
 */
export function forwardingLogger(
  options: { readonly level: () => LogOptions['level']; readonly written: () => Promise<boolean> },
  forward: (entry: LogEntry<LineLevel>) => void,
): Logger {
  const write: Write = (level, message, fields) => {
    if (severity[level] < severity[options.level()]) return;
    forward({ level, message, fields: { ...loggableFields(fields) } });
  };
  return loggerOver(write, {}, options.written);
}

/** Logs nothing. */
export const silentLogger: Logger = loggerOver(() => undefined, {});

type Write = (level: LineLevel, message: string, fields: LogFields) => void;

function loggerOver(write: Write, common: LogFields, written?: () => Promise<boolean>): Logger {
  const at = (level: LineLevel) => (message: string, fields?: LogFields) =>
    write(level, message, { ...common, ...renamed(fields) });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    always: at('always'),
    child: (fields) => loggerOver(write, { ...common, ...renamed(fields) }, written),
    ...(written === undefined ? {} : { written }),
  };
}

/** A field may not replace the line's own time, level or message. */
function renamed(fields: LogFields | undefined): LogFields {
  if (fields === undefined || !('time' in fields || 'level' in fields || 'msg' in fields))
    return fields ?? {};
  const { time, level, msg, ...rest } = fields;
  return { ...rest, fieldTime: time, fieldLevel: level, fieldMsg: msg };
}

// The form of a log line: nothing in it can begin a new line, move the cursor or turn the reading direction.

/** What a line says. Fields and message are safe to log (see log-fields.ts). */
interface LineParts {
  readonly level: string;
  /** ISO 8601. */
  readonly time: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly msg: string;
}

/** One line of JSON: level, time, the fields, message. */
function jsonLine({ level, time, fields, msg }: LineParts): string {
  return `${escapeUnseen(JSON.stringify({ level, time, ...fields, msg }))}\n`;
}

/** One line for people: time, level, message, `name=value`… */
function textLine({ level, time, fields, msg }: LineParts): string {
  let line = `${time} ${level.toUpperCase().padEnd(5)} ${plain(msg)}`;
  for (const name in fields) line += ` ${plain(name)}=${fieldValue(fields[name])}`;
  return `${line}\n`;
}

function fieldValue(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : quoted(value);
  if (isError(value)) {
    const at = value.stack[0]?.replace(/^at /, '');
    return quoted(`${value.type}: ${value.message}${at === undefined ? '' : ` (${at})`}`);
  }
  return escapeUnseen(JSON.stringify(value));
}

function isError(value: unknown): value is { type: string; message: string; stack: string[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    'message' in value &&
    'stack' in value &&
    Array.isArray(value.stack)
  );
}

function quoted(text: string): string {
  return escapeUnseen(JSON.stringify(text));
}

function plain(text: string): string {
  if (/^[\w.:/@+ -]*$/.test(text)) return text;
  return quoted(text).slice(1, -1).replaceAll('\\"', '"');
}
