// Events as syslog messages (RFC 5424) over TLS (RFC 5425).

import type { TLSSocket } from 'node:tls';
import type { EventKind, SentDelivery } from '../model/delivery.ts';
import { isoTime, type Millis } from '../platform/clock.ts';
import { shortened } from './subscribers.ts';

/** In bytes. What every receiver should take (RFC 5425 section 4.3.1). */
const longestMessage = 8192;
/** Facility 10: security and authorization. */
const facility = 10 * 8;
const [warning, notice] = [4, 5];
/** The number that is reserved for examples (RFC 5612): this project has none. */
const structure = 'overlayAuth@32473';
const parameters = [
  ...['id', 'action', 'entity', 'entityId', 'identityId', 'byIdentityId'],
  ...['method', 'reason', 'requestId', 'ipAddress', 'issuer'],
];

/** `tls://host[:port]` as the https URL of the same server, whose rules then apply; 6514 is the usual port. */
export function addressOfSyslog(url: string): string {
  return url.replace(/^tls:\/\/(\[[^\]]+\]|[^/:?#]*)$/, 'tls://$1:6514').replace(/^tls:/, 'https:');
}

/**
 * One message with its length before it. The text is the data of the event as JSON in ASCII; its parts that are often
 * looked for are structured data too.
 */
export function syslogFrame({ payload }: Pick<SentDelivery<EventKind>, 'payload'>): string {
  const whole = syslogMessage(payload);
  const message =
    Buffer.byteLength(whole) <= longestMessage
      ? whole
      : syslogMessage({ ...payload, data: shortened(payload.data) });
  return `${Buffer.byteLength(message)} ${message}`;
}

function syslogMessage({ type, at, data }: SentDelivery<EventKind>['payload']): string {
  const priority = facility + (type.endsWith('.refused') ? warning : notice);
  const url = typeof data.issuer === 'string' ? URL.parse(data.issuer) : null;
  // A name or an address, as section 6.2.4 says: syslog-ng refuses a message with brackets or a port there.
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '-';
  const elements = parameters.flatMap((name) => {
    const value = data[name];
    return typeof value === 'string' ? [` ${name}="${escaped(value)}"`] : [];
  });
  return `<${priority}>1 ${isoTime(at)} ${host} overlay-auth - ${type} [${structure}${elements.join('')}] ${asciiJson(data)}`;
}

/** Section 6.3.3. A line break or the like in a value could end the message for a careless reader. */
function escaped(value: string): string {
  return value
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .replace(/["\\\]]/g, '\\$&');
}

/** Without other characters, so that the text needs no mark of its encoding. */
function asciiJson(data: object): string {
  return JSON.stringify(data).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** In bytes. The protocol has no answers. */
const longestAnswer = 65_536;

/** Longer than it takes to hear that a receiver has closed, or refuses our certificate. */
const listening: Millis = 250;

/**
 * Writes the messages and closes. A receiver of syslog acknowledges nothing, but it closes the connection after it has
 * read everything before our close; whether it does so, not before us and without an error, is the only answer that there
 * is.
 */
export function writeAll(socket: TLSSocket, frames: readonly string[], within: Millis): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => socket.destroy(new Error('it did not read everything and close in time')),
      within,
    );
    let isEnding = false;
    socket.on('error', reject);
    socket.on('end', () => {
      if (!isEnding) socket.destroy(new Error('it was closed before everything was read'));
    });
    socket.on('close', () => {
      clearTimeout(late);
      if (isEnding) resolve();
      else reject(new Error('it was closed before everything was read'));
    });
    // Its answers are ignored, but not without end.
    let received = 0;
    socket.on('data', ({ length }: Buffer) => {
      received += length;
      if (received > longestAnswer) socket.destroy(new Error('it sent what is no answer'));
    });
    socket.write(frames.join(''), () => {
      setTimeout(() => {
        isEnding = true;
        socket.end();
      }, listening);
    });
  });
}
