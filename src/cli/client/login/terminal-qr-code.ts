import { encode } from 'uqr';
import { longestQrText } from '../../../platform/formats/qr-text.ts';

const blackOnWhite = '\u001b[30;107m';
const asBefore = '\u001b[0m';

/**
 * A QR code for a terminal, two rows of modules per line of text. It sets colours, because cameras need dark modules on
 * a light background, with any colours of the terminal.
 * @returns undefined when it is too wide
 */
export function terminalQrCode(text: string, columns: number): string | undefined {
  if (text.length > longestQrText) return undefined;
  const { data, size } = encode(text, { ecc: 'L', border: 2 });
  if (size > columns) return undefined;
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    const upper = data[y] ?? [];
    const lower = data[y + 1] ?? [];
    const blocks = upper.map((isDark, x) => block(isDark, lower[x] ?? false));
    lines.push(`${blackOnWhite}${blocks.join('')}${asBefore}`);
  }
  return lines.join('\n');
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}
