import { Refusal } from './refusal.ts';

// Colours of the operator's pages, and whether people can read what is drawn in them.

/** The backgrounds of links and the focus, as in `web/pages.css`. */
const grounds = { light: '#ffffff', dark: '#1a1e24' } as const;
/** WCAG 1.4.3, level AA. */
const leastContrast = 4.5;

type Channels = readonly [number, number, number];

/** @throws Refusal when it is not `#rrggbb` */
export function parseColor(text: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Refusal(`"${text}" is not a colour of the form #rrggbb`);
  return text.toLowerCase();
}

/** @throws Refusal names the nearest readable shade */
export function requireContrast(color: string, scheme: 'light' | 'dark'): string {
  const contrast = contrastOf(color, grounds[scheme]);
  if (contrast >= leastContrast) return color;
  throw new Refusal(
    `${color} has a contrast of ${contrast.toFixed(1)}:1 on the ${scheme} ground, and links and buttons need ` +
      `${leastContrast}:1 (WCAG 2.2, 1.4.3); the nearest shade that can be read is ${readableShade(color, scheme)}`,
  );
}

/** The colour itself, or the nearest darker (on a dark background: lighter) readable one. */
export function readableShade(color: string, scheme: 'light' | 'dark'): string {
  const towards = scheme === 'light' ? 0 : 255;
  for (let percent = 0; percent <= 100; percent += 1) {
    const mixed = channelsOf(color).map((one) => Math.round(one + ((towards - one) * percent) / 100));
    const shade = `#${mixed.map((one) => one.toString(16).padStart(2, '0')).join('')}`;
    if (contrastOf(shade, grounds[scheme]) >= leastContrast) return shade;
  }
  return scheme === 'light' ? '#000000' : '#ffffff';
}

/** Black or white, whichever is more readable on a colour; one of them always has 4.5:1. */
export function textOn(color: string): string {
  return contrastOf(color, '#ffffff') >= contrastOf(color, '#000000') ? '#ffffff' : '#000000';
}

/** @see WCAG 2.2, contrast ratio */
function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @see WCAG 2.2, relative luminance */
function luminance(color: string): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): Channels {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
