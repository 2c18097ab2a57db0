// Writes DER, right or wrong as a test needs it.

export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(
    length.toString(16).padStart(length < 0x100 ? 2 : length < 0x10000 ? 4 : 6, '0'),
    'hex',
  );
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(0x30, ...parts);
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return element(0x31, ...parts);
}

export function integer(value: number | Buffer): Buffer {
  if (typeof value !== 'number') return element(0x02, value);
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return element(0x02, ...((bytes[0] ?? 0) >= 0x80 ? [Buffer.from([0]), bytes] : [bytes]));
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function bitString(content: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), content);
}

export function octetString(content: Uint8Array): Buffer {
  return element(0x04, content);
}

export function text(tag: number, value: string): Buffer {
  return element(tag, Buffer.from(value, 'utf8'));
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return element(0x06, Buffer.from(bytes));
}

/** UTCTime up to 2049, GeneralizedTime afterwards, as RFC 5280 section 4.1.2.5 requires. @param at Millis */
export function time(at: number): Buffer {
  const digits = new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return Number(digits.slice(0, 4)) < 2050 ? text(0x17, digits.slice(2)) : text(0x18, digits);
}
