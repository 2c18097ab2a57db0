import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * A black and white picture.
 * @param rows of dark pixels, all equally long
 * @see PNG (Third Edition), section 11
 */
export function pngOf(rows: readonly (readonly boolean[])[]): Buffer {
  const width = rows[0]?.length ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  // One bit per pixel, greyscale.
  header[8] = 1;
  const lines = rows.map((row) => {
    // Begins with the filter type: none.
    const line = Buffer.alloc(1 + Math.ceil(width / 8));
    row.forEach((isDark, x) => {
      const at = 1 + (x >> 3);
      if (!isDark) line[at] = (line[at] ?? 0) | (0x80 >> (x & 7));
    });
    return line;
  });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
