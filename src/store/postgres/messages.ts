// What a PostgreSQL server sends is a series of messages. `pg` relies on that: other bytes make it throw outside of any
// call, which ends the process, or read forever.

import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** The first bytes of what a server sends to a client that copies nothing. */
const types = new Set(Buffer.from('RSKZTDCEANnst123I'));
/** Those without content. */
const empty = new Set(Buffer.from('ns123I'));
/** Errors and notices: fields that end with NUL, and another NUL. */
const listsOfFields = new Set(Buffer.from('EN'));
/** In bytes; far more than a row of ours. */
const longest = 2 ** 28;
const headerLength = 5;

/** Destroys the connection of a client when something else than messages arrives on it. */
export function requireMessages({ connection }: pg.Client): void {
  const reading = connection as unknown as { attachListeners(stream: Pick<Duplex, 'on'>): void };
  const attach = reading.attachListeners.bind(connection);
  reading.attachListeners = (stream) => {
    const requireNext = messageReader();
    const on = (event: string, listener: (bytes: Buffer) => void) =>
      stream.on(event, (bytes: Buffer) => {
        try {
          if (event === 'data') requireNext(bytes);
          listener(bytes);
        } catch (cause) {
          const message =
            'the database server, or something before it, does not speak the protocol of PostgreSQL';
          connection.stream.destroy(Object.assign(new Error(message, { cause }), { code: 'EPROTO' }));
        }
      });
    attach({ on } as Pick<Duplex, 'on'>);
  };
}

/** Takes a stream in pieces of any length. @throws RangeError no series of messages continues like this */
function messageReader(): (bytes: Buffer) => void {
  const header = Buffer.alloc(headerLength);
  /** How many bytes of the header are here. */
  let known = 0;
  /** How many bytes of the content are to come. */
  let left = 0;
  let lastTwoBytes = -1;

  function requireHeader(): void {
    const type = header.readUInt8();
    left = header.readUInt32BE(1) - 4;
    const isMessage = types.has(type) && left >= 0 && left <= longest && (left === 0 || !empty.has(type));
    if (!isMessage) throw new RangeError(`not a message: ${header.toString('hex')}`);
  }

  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (known < headerLength) {
        header.writeUInt8(bytes.readUInt8(at), known);
        known += 1;
        at += 1;
        if (known === headerLength) requireHeader();
      } else {
        const end = Math.min(bytes.length, at + left);
        lastTwoBytes =
          end - at > 1 ? bytes.readUInt16BE(end - 2) : ((lastTwoBytes & 0xff) << 8) | bytes.readUInt8(at);
        left -= end - at;
        at = end;
      }
      if (known < headerLength || left > 0) continue;
      if (listsOfFields.has(header.readUInt8()) && lastTwoBytes !== 0)
        throw new RangeError('a list of fields that does not end');
      known = 0;
      lastTwoBytes = -1;
    }
  };
}
