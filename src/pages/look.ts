// How the operator's pages look: their name, colours and logo, and the files that every page refers to.

import { readFileSync } from 'node:fs';
import type { Branding, Logo } from '../model/branding.ts';
import { sha256 } from '../platform/digest.ts';
import type { Look } from './layout.ts';

/** A file that pages refer to. Its address changes with its content, so that caches may keep it for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: string | Buffer;
}

/** Colours, and the styles of every page. */
const base = fileOf('tokens.css') + fileOf('base.css');
const styles = fileOf('pages.css');
/** One file: pages.js imports nothing else. */
const script =
  fileOf('passkey.js') + fileOf('pages.js').replace(/^import \{[^}]*\} from '\.\/passkey\.js';$/m, '');

/** The look for a branding, and the files to serve for it. */
export function lookOf(branding: Branding): { readonly look: Look; readonly assets: readonly Asset[] } {
  const { name, colors, help } = branding;
  const stylesheet = asset(colorsOf(colors) + base + styles, {
    name: 'pages',
    extension: 'css',
    type: 'text/css; charset=utf-8',
  });
  const baseStyles = asset(colorsOf(colors) + base, {
    name: 'base',
    extension: 'css',
    type: 'text/css; charset=utf-8',
  });
  const scripts = asset(script, { name: 'pages', extension: 'js', type: 'text/javascript; charset=utf-8' });
  const logo = branding.logo === null ? null : pictureOf('logo', branding.logo);
  const logoDark = branding.logoDark === null ? null : pictureOf('logo-dark', branding.logoDark);
  const icon = logo ?? asset(iconOf(colors), { name: 'icon', extension: 'svg', type: 'image/svg+xml' });
  return {
    look: {
      name,
      help,
      logoPath: logo?.path ?? null,
      logoDarkPath: logoDark?.path ?? null,
      iconPath: icon.path,
      stylesheetPath: stylesheet.path,
      baseStylesPath: baseStyles.path,
      scriptPath: scripts.path,
    },
    assets: [stylesheet, baseStyles, scripts, icon, ...(logoDark === null ? [] : [logoDark])],
  };
}

function colorsOf({ light, dark }: Branding['colors']): string {
  return `:root{--accent-light:${light.accent};--on-accent-light:${light.on};--accent-dark:${dark.accent};--on-accent-dark:${dark.on}}\n`;
}

function pictureOf(name: string, { type, content }: Logo): Asset {
  return asset(content, { name, extension: type === 'image/png' ? 'png' : 'svg', type });
}

/** Two nodes and the link between them, in the operator's colour, for operators without a logo. */
function iconOf({ light, dark }: Branding['colors']): string {
  const style = `g{fill:${light.accent};stroke:${light.accent}}@media(prefers-color-scheme:dark){g{fill:${dark.accent};stroke:${dark.accent}}}`;
  const nodes = '<circle cx="8" cy="23" r="5.5"/><circle cx="24" cy="9" r="5.5"/>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>${style}</style><g stroke-width="3"><path d="M8 23 24 9"/>${nodes}</g></svg>`;
}

function asset(
  content: string | Buffer,
  { name, extension, type }: { readonly name: string; readonly extension: string; readonly type: string },
): Asset {
  return { path: `/assets/${name}.${sha256(content).slice(0, 12)}.${extension}`, type, content };
}

function fileOf(name: string): string {
  return readFileSync(new URL(`../../web/${name}`, import.meta.url), 'utf8');
}
