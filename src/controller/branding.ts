// The configured branding, with its logo files read.

import type { BrandingConfig } from '../config/config.ts';
import type { ConfigError } from '../config/config-error.ts';
import { refusedFile } from '../config/named-roots.ts';
import type { Branding, Logo } from '../model/branding.ts';
import { readBytes } from '../platform/read-file.ts';

const maxBytes = 64 * 1024;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @throws ConfigError a logo cannot be read, is too large, or is neither PNG nor an SVG without scripts */
export function brandingOf({ logoFile, logoDarkFile, ...branding }: BrandingConfig): Branding {
  if (logoFile === null && logoDarkFile !== null)
    throw refused(
      'branding.logoDark',
      `${logoDarkFile} is the logo of the dark theme, and there is none of the light`,
    );
  return {
    ...branding,
    logo: logoFile === null ? null : readLogo('branding.logo', logoFile),
    logoDark: logoDarkFile === null ? null : readLogo('branding.logoDark', logoDarkFile),
  };
}

/** @param path the setting that names the file */
function readLogo(path: string, file: string): Logo {
  let content: Buffer;
  try {
    content = readBytes(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refused(path, `${file} cannot be read (${why})`);
  }
  if (content.length > maxBytes) throw refused(path, `${file} is larger than ${maxBytes / 1024} KiB`);
  if (content.subarray(0, 8).equals(pngSignature)) return { type: 'image/png', content };
  const text = content
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (!/^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/i.test(text))
    throw refused(path, `${file} is neither an SVG nor a PNG picture`);
  const active = /<script|<foreignObject|\son\w+\s*=|javascript:|<!ENTITY/i.exec(text);
  if (active !== null)
    throw refused(path, `${file} holds ${JSON.stringify(active[0].trim())}; a logo is a picture only`);
  return { type: 'image/svg+xml', content };
}

function refused(path: string, message: string): ConfigError {
  return refusedFile(path, message, 'A logo is an SVG or PNG file of at most 64 KiB.');
}
