// Loggers, and where their lines go.

import { constants, fstatSync, openSync } from 'node:fs';
import { pino } from 'pino';
import { type Clock, isoTime, type Millis, systemClock } from '../clock.ts';
import { ensurePrivateFile } from '../whole-file.ts';
import { jsonLine, type LogFields, loggableFields, loggableText, textLine } from './log-line.ts';

/**
 * `message` is a constant sentence; variable values go into `fields`. Fields whose names sound like secrets (`code`,
 * `token`, `password`, …) are written as "[redacted]": call an error's code `errorCode`.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Written as `info` at every configured level: for the audit trail, which no log setting may switch off. */
  always(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
  /**
   * Resolves when every line so far was handed to the system; absent if lines go nowhere else.
   * @returns false when they cannot be written, because the disk is full or the pipe is not read
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
  /** Lines lost since the start, because they were not read or the disk refused them. */
  lostLines(): number;
  /** Changes the level from now on. */
  setLevel(level: LogOptions['level']): void;
  /** Reopens the file, after it was moved away. If that fails, stays in the old one and says so. */
  reopen(): void;
  /** Resolves when waiting lines were handed to the system. A normal exit does this by itself. */
  flush(): Promise<void>;
}

const severity: Readonly<Record<LineLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, always: 4 };

const shownLevel = (level: LineLevel): LogLevel => (level === 'always' ? 'info' : level);

/** Opens the log. Lines are written in the background. @throws Error when the file cannot be opened */
export function openLogger(options: LogOptions): OpenLogger & AsyncDisposable {
  const clock = options.clock ?? systemClock;
  const render = options.format === 'json' ? jsonLine : textLine;
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
  const logger = loggerOver(write, {}, () => destination.written());
  return {
    ...logger,
    lostLines: () => lost,
    setLevel(level) {
      least = severity[level];
    },
    reopen() {
      if (typeof options.to !== 'object') return;
      const former = destination;
      try {
        destination = openDestination(options.to, countLost);
      } catch (error) {
        logger.error('the log file cannot be opened again; the former one stays in use', { error });
        return;
      }
      former.end();
    },
    flush: () => destination.flush(),
    [Symbol.asyncDispose]: () => destination.flush(),
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

// Lines wait in memory and are handed to the system together. Callers can find out when theirs were.

// Lines wait in memory while a pipe is blocked or a disk is slow. Beyond this they are dropped and counted, because
// requests must continue.
const longestBacklog = 4 * 1024 * 1024;

// A write costs more than the line, so lines that arrive within this time are handed over together.
const gatheringTime: Millis = 20;
const gatheredBytes = 8 * 1024;

/** The longest wait for a pipe that is not read. */
const longestWait: Millis = 2000;
/** The pauses between tries of a full pipe: what logs much must not wait long for a reader that keeps up. */
const [shortestPause, longestPause]: readonly [Millis, Millis] = [1, 100];
const triesAtExit = longestWait / longestPause;

/**
 * @param onLost called for each dropped line, and whenever the system refuses some
 * @throws Error when the file cannot be opened
 */
function openDestination(to: 'stdout' | 'stderr' | { readonly file: string }, onLost: () => void) {
  const { stream, giveUp, triesAgain, noteWrite, writeNoneAtExit } = openStream(to);
  const bytes = countBytes();
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  function handOver(): void {
    // In this case it writes by itself.
    if (!hasEnded) stream.flush();
  }

  function handOverSoon(): void {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      handOver();
    }, gatheringTime);
    timer.unref();
  }

  stream.on('drop', (line: string) => {
    bytes.drop(line);
    onLost();
  });
  stream.on('error', (error) => {
    if (triesAgain(error)) return;
    writeNoneAtExit();
    bytes.refuse();
    onLost();
  });
  stream.on('write', (count: number) => {
    noteWrite();
    bytes.handOver(count);
  });
  // An earlier write left waiting what arrived while it was under way.
  stream.on('drain', () => {
    if (bytes.isWaitedFor) handOver();
    else if (bytes.isLeft) handOverSoon();
  });

  return {
    write(line: string): void {
      bytes.take(line);
      stream.write(line);
      handOverSoon();
    },
    /** Resolves when every line so far was handed to the system. @returns false when the system does not take them */
    written(): Promise<boolean> {
      const all = bytes.allHandedOver();
      if (bytes.isLeft) handOver();
      return all;
    },
    /** Resolves when waiting lines were handed over and synced, or the system does not take them. */
    async flush(): Promise<void> {
      if (await this.written()) await new Promise<void>((resolve) => stream.flush(() => resolve()));
      else giveUp();
    },
    /** Writes waiting lines, then closes. */
    end(): void {
      hasEnded = true;
      stream.end();
    },
  };
}

/** A stream whose waiting lines are written when the process ends, unless the system does not take them. */
function openStream(to: LogOptions['to']) {
  /** How many more times the end of the process tries to write to a full pipe. Until then, a timer does. */
  let tries = 0;
  let pause = shortestPause;
  let hasGivenUp = false;
  const stream = pino.destination({
    dest: openDescriptor(to),
    sync: false,
    minLength: gatheredBytes,
    maxLength: longestBacklog,
    retryEAGAIN() {
      tries -= 1;
      return tries > 0;
    },
  });
  // When the process ends, what waits is written, and would be tried again without end where the system refuses it.
  const { flushSync } = stream;
  function writeAtExit(): void {
    stream.flushSync = () => {
      tries = triesAtExit;
      try {
        flushSync.call(stream);
      } catch {
        // The pipe is not read.
      }
    };
  }
  function writeNoneAtExit(): void {
    stream.flushSync = () => {};
  }
  function giveUp(): void {
    writeNoneAtExit();
    hasGivenUp = true;
  }
  writeAtExit();
  return {
    stream,
    writeNoneAtExit,
    giveUp,
    /** Whether the pipe is only full, and is tried again. */
    triesAgain(error: NodeJS.ErrnoException): boolean {
      if (error.code !== 'EAGAIN' || hasGivenUp) return false;
      setTimeout(() => stream.flush(), pause);
      pause = Math.min(longestPause, pause * 2);
      return true;
    },
    noteWrite(): void {
      pause = shortestPause;
      writeAtExit();
    },
  };
}

/**
 * Of a file, or of a standard stream. A write to a full pipe or socket blocks a thread, without which the process cannot
 * end. On Linux the pipe is opened once more, so that a write of ours fails instead; writes of other processes are not
 * affected. A socket, such as that of the system's journal, cannot be opened: it stops blocking for all who share it.
 */
function openDescriptor(to: LogOptions['to']): number {
  if (typeof to === 'object') {
    ensurePrivateFile(to.file);
    return openSync(to.file, 'a');
  }
  const inherited = to === 'stdout' ? 1 : 2;
  if (process.platform !== 'linux') return inherited;
  const kind = fstatSync(inherited);
  // Node does that when it makes the stream, and takes it back when the process ends.
  if (kind.isSocket()) void process[to].fd;
  if (!kind.isFIFO()) return inherited;
  try {
    return openSync(`/proc/self/fd/${inherited}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // It belongs to another user, or its reader is gone.
    return inherited;
  }
}

interface Waiting {
  /** How many bytes have to be handed over first. */
  readonly upTo: number;
  resolve(isWritten: boolean): void;
}

/** How many bytes there were since the start, how many of them are handed over, and who waits for that. */
function countBytes() {
  let taken = 0;
  let handedOver = 0;
  let hasDropped = false;
  let waiting: Waiting[] = [];

  function settle(isWritten: boolean, isDue: (one: Waiting) => boolean): void {
    const due = waiting.filter(isDue);
    waiting = waiting.filter((one) => !isDue(one));
    for (const { resolve } of due) resolve(isWritten);
  }

  return {
    take(line: string): void {
      taken += Buffer.byteLength(line);
    },
    /** An accepted line is given up. */
    drop(line: string): void {
      taken -= Buffer.byteLength(line);
      hasDropped = true;
    },
    /** The system accepts nothing now. */
    refuse: (): void => settle(false, () => true),
    handOver(count: number): void {
      handedOver += count;
      if (handedOver >= taken) hasDropped = false;
      settle(true, ({ upTo }) => upTo <= handedOver);
    },
    get isWaitedFor(): boolean {
      return waiting.length > 0;
    },
    get isLeft(): boolean {
      return handedOver < taken;
    },
    /** @returns false when lines were refused or given up, or nothing happens for too long */
    allHandedOver(): Promise<boolean> {
      if (hasDropped || handedOver >= taken) return Promise.resolve(!hasDropped);
      return new Promise((resolve) => {
        const one: Waiting = {
          upTo: taken,
          resolve(isWritten) {
            clearTimeout(impatience);
            resolve(isWritten);
          },
        };
        const impatience = setTimeout(() => settle(false, (other) => other === one), longestWait);
        impatience.unref();
        waiting.push(one);
      });
    },
  };
}
