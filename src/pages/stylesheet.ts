import { readFileSync } from 'node:fs';
import { sha256 } from '../platform/digest.ts';

const text = readFileSync(new URL('../../web/pages.css', import.meta.url), 'utf8');

/** The one stylesheet of all pages. Its address changes with its content, so that it may be kept for ever. */
export const stylesheet = { path: `/assets/pages.${sha256(text).slice(0, 12)}.css`, text } as const;
