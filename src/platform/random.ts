import { randomBytes, randomFillSync } from 'node:crypto';
import { type Clock, type Millis, systemClock } from './clock.ts';

export interface Random {
  /** `n` bytes from the system's cryptographic source. */
  bytes(n: number): Buffer;
  /**
   * A UUID version 7. Later ids of one process sort after earlier ones, as strings too, even within a millisecond and
   * when the clock is set back. An id is a name, not a secret: its first half can be guessed.
   * @see RFC 9562 section 5.7 and section 6.2 method 1
   */
  id(): string;
}

/** One system call costs the same for one id as for a hundred. Ids are names, so they may wait in memory. */
const idsDrawn = 128;
const randomBytesOfId = 10;

/** The random source, with ids ordered by `clock`. */
export function createRandom(clock: Clock): Random {
  return { bytes: (n) => randomBytes(n), id: uuidV7Source(clock) };
}

export const systemRandom: Random = createRandom(systemClock);

// node:crypto has randomUUIDv7 only from 24.16 on, and does not promise order within a millisecond.
function uuidV7Source(clock: Clock): () => string {
  let timestamp: Millis = -1;
  let counter = 0;
  const uuid = Buffer.alloc(16);
  const drawn = Buffer.alloc(idsDrawn * randomBytesOfId);
  let at = drawn.length;
  return () => {
    if (at === drawn.length) {
      randomFillSync(drawn);
      at = 0;
    }
    drawn.copy(uuid, 6, at, at + randomBytesOfId);
    at += randomBytesOfId;
    const now = Math.floor(clock.now());
    if (now > timestamp) {
      timestamp = now;
      // Half the range is left free so that a busy millisecond has room to count.
      counter = uuid.readUInt16BE(6) & 0x07ff;
    } else if (counter < 0x0fff) {
      counter += 1;
    } else {
      timestamp += 1;
      counter = 0;
    }
    uuid.writeUIntBE(timestamp, 0, 6);
    uuid.writeUInt16BE(0x7000 | counter, 6);
    uuid.writeUInt8((uuid.readUInt8(8) & 0x3f) | 0x80, 8);
    const hex = uuid.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}
