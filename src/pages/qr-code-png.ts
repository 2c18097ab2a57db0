import { encode } from 'uqr';
import { pngOf } from '../platform/formats/png.ts';
import { longestText } from './qr-code.ts';

const smallestWidth = 256;

/** A QR code as PNG, at least 256 pixels wide, with the white edge that belongs to it; null for a text that is too long. */
export function qrCodePng(text: string): Buffer | null {
  if (text.length > longestText) return null;
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const scale = Math.max(4, Math.ceil(smallestWidth / size));
  const pixels = data.flatMap((row) => {
    const line = row.flatMap((isDark) => Array<boolean>(scale).fill(isDark));
    return Array<typeof line>(scale).fill(line);
  });
  return pngOf(pixels);
}
