// What a disk holds after the power was cut: everything that was synced, and of the rest any part. Made from
// what a process has really asked of the system, as `strace` has seen it.

const sector = 512;

export type DiskEvent =
  | { readonly what: 'write'; readonly file: string; readonly at: number; readonly data: Buffer }
  | { readonly what: 'truncate'; readonly file: string; readonly length: number }
  | { readonly what: 'sync'; readonly file: string }
  /** A line that the process has said. */
  | { readonly what: 'said'; readonly line: string };

/** How `strace` is asked for what `eventsIn` reads. */
export function traced(trace: string, command: readonly string[]): readonly string[] {
  const calls = 'trace=write,writev,pwrite64,pwritev,ftruncate,fsync,fdatasync';
  return ['-f', '-y', '-xx', '-s', '1000000', '-e', calls, '-o', trace, ...command];
}

/**
 * The events of a trace, in order. A write counts from when it was asked for, a sync when it has ended.
 * @param isOfInterest which files
 * @throws Error a file of interest was written in a way that is not read here
 */
export function eventsIn(trace: string, isOfInterest: (file: string) => boolean): readonly DiskEvent[] {
  const events: DiskEvent[] = [];
  /** By process: which file is being synced. */
  const syncing = new Map<string, string>();
  for (const line of trace.split('\n')) {
    const resumed = /^(\d+) +<\.\.\. (?:fsync|fdatasync) resumed>.* = 0$/.exec(line);
    if (resumed !== null) {
      const file = syncing.get(String(resumed[1]));
      if (file !== undefined) events.push({ what: 'sync', file });
      syncing.delete(String(resumed[1]));
      continue;
    }
    const call = /^(\d+) +(\w+)\((\d+)<([^>]*)>(?:, (.*))?/.exec(line);
    if (call === null) continue;
    const [, pid = '', name = '', fd, hexPath = '', rest = ''] = call;
    const file = textOf(hexPath);
    if (fd === '1' && name === 'write') events.push({ what: 'said', line: textOf(quoted(rest)) });
    if (!isOfInterest(file)) continue;
    if (name === 'pwrite64') {
      const data = bytesOf(quoted(rest));
      const at = /", \d+, (\d+)/.exec(rest)?.[1];
      events.push({ what: 'write', file, at: Number(at), data });
    } else if (name === 'ftruncate') {
      events.push({ what: 'truncate', file, length: Number(/^\d+/.exec(rest)?.[0]) });
    } else if (name === 'fsync' || name === 'fdatasync') {
      if (line.includes('<unfinished ...>')) syncing.set(pid, file);
      else events.push({ what: 'sync', file });
    } else throw new Error(`${name} of ${file} is not known here`);
  }
  return events;
}

const quoted = (rest: string): string => /"([^"]*)"/.exec(rest)?.[1] ?? '';
const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');
const textOf = (hex: string): string => bytesOf(hex).toString();

export interface LossyDisk {
  happen(event: DiskEvent): void;
  /** The files after a cut now: of what was not synced each sector is there, or it is not. */
  afterCut(chance: (below: number) => number): ReadonlyMap<string, Buffer>;
}

/** @param files what is synced at the beginning */
export function lossyDisk(files: ReadonlyMap<string, Buffer>): LossyDisk {
  const synced = new Map(files);
  let unsynced: Exclude<DiskEvent, { what: 'said' | 'sync' }>[] = [];

  return {
    happen(event) {
      if (event.what === 'said') return;
      if (event.what !== 'sync') {
        unsynced.push(event);
        return;
      }
      const mine = unsynced.filter(({ file }) => file === event.file);
      unsynced = unsynced.filter(({ file }) => file !== event.file);
      const before = synced.get(event.file) ?? Buffer.alloc(0);
      synced.set(
        event.file,
        mine.reduce((bytes, one) => applied(bytes, one, () => true), before),
      );
    },
    afterCut(chance) {
      const left = new Map(synced);
      // Sometimes nothing of it is there, sometimes all, most times some.
      const odds = chance(4);
      const isThere = () => (odds === 0 ? false : odds === 1 ? true : chance(2) === 0);
      for (const event of unsynced) {
        left.set(event.file, applied(left.get(event.file) ?? Buffer.alloc(0), event, isThere));
      }
      return left;
    },
  };
}

/** @param isThere asked for each sector, or for the truncation */
function applied(
  bytes: Buffer,
  event: Exclude<DiskEvent, { what: 'said' | 'sync' }>,
  isThere: () => boolean,
): Buffer {
  if (event.what === 'truncate') return isThere() ? Buffer.from(bytes.subarray(0, event.length)) : bytes;
  const { at, data } = event;
  const result = Buffer.alloc(Math.max(bytes.length, at + data.length));
  bytes.copy(result);
  for (let from = 0; from < data.length; from += sector - ((at + from) % sector)) {
    const to = Math.min(data.length, from + sector - ((at + from) % sector));
    if (isThere()) data.copy(result, at + from, from, to);
  }
  return result;
}
