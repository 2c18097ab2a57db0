import { encode } from 'uqr';
import { pngOf } from '../platform/formats/png.ts';
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
