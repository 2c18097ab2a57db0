// How the operator's pages look: their name, colours and logo, and the files that every page refers to.

import { readFileSync } from 'node:fs';
import type { Branding } from '../model/branding.ts';
import { sha256 } from '../platform/digest.ts';
import type { Look } from './view.ts';

/** A file that pages refer to. Its address changes with its content, so that it may be kept for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: string | Buffer;
}

const tokens = fileOf('tokens.css');
const styles = fileOf('pages.css');
const script = fileOf('pages.js');

/** The look of a branding, and the files that have to be served for it. */
export function lookOf(branding: Branding): { readonly look: Look; readonly assets: readonly Asset[] } {
  const { name, colors, logo } = branding;
  const stylesheet = asset('pages', 'css', 'text/css; charset=utf-8', colorsOf(colors) + tokens + styles);
  const tokensOnly = asset('tokens', 'css', 'text/css; charset=utf-8', colorsOf(colors) + tokens);
  const scripts = asset('pages', 'js', 'text/javascript; charset=utf-8', script);
  const picture =
    logo === null ? null : asset('logo', logo.type === 'image/png' ? 'png' : 'svg', logo.type, logo.content);
  return {
    look: {
      name,
      logoPath: picture?.path ?? null,
      stylesheetPath: stylesheet.path,
      tokensPath: tokensOnly.path,
      scriptPath: scripts.path,
    },
    assets: [stylesheet, tokensOnly, scripts, ...(picture === null ? [] : [picture])],
  };
}

function colorsOf({ light, dark }: Branding['colors']): string {
  return `:root{--accent-light:${light.accent};--on-accent-light:${light.on};--accent-dark:${dark.accent};--on-accent-dark:${dark.on}}\n`;
}

function asset(name: string, extension: string, type: string, content: string | Buffer): Asset {
  return { path: `/assets/${name}.${sha256(content).slice(0, 12)}.${extension}`, type, content };
}

function fileOf(name: string): string {
  return readFileSync(new URL(`../../web/${name}`, import.meta.url), 'utf8');
}
