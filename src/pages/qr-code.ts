import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { longestQrText } from '../platform/formats/qr-text.ts';
import { type Html, html } from './html.ts';

/**
 * A QR code as inline SVG, which needs neither an image address nor a style; null if the text is too long for a camera
 * to read. The white edge of four modules is part of it, in dark mode too (ISO/IEC 18004).
 * @param label for people who cannot see it
 */
export function qrCode(text: string, label: string): Html | null {
  if (text.length > longestQrText) return null;
  const { size, content } = drawing(text);
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
${content}
</svg>`;
}

/** The same as an SVG document; null when the text is too long. */
export function qrCodeSvg(text: string): string | null {
  if (text.length > longestQrText) return null;
  const { size, content } = drawing(text);
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
${content}
</svg>`.text;
}

function drawing(text: string): { readonly size: number; readonly content: Html } {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const content = html`<rect width="${size}" height="${size}" fill="#fff"/>
<path d="${modules.join('')}" fill="#000"/>`;
  return { size, content };
}

const smallestWidth = 256;

/** A QR code as PNG, at least 256 pixels wide, including the white edge; null if the text is too long. */
export function qrCodePng(text: string): Buffer | null {
  if (text.length > longestQrText) return null;
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const scale = Math.max(4, Math.ceil(smallestWidth / size));
  const pixels = data.flatMap((row) => {
    const line = row.flatMap((isDark) => Array<boolean>(scale).fill(isDark));
    return Array<typeof line>(scale).fill(line);
  });
  return pngOf(pixels);
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * A black and white picture.
 * @param rows of dark pixels, all equally long
 * @see PNG (Third Edition), section 11
 */
function pngOf(rows: readonly (readonly boolean[])[]): Buffer {
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
