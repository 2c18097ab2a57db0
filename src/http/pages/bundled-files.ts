// The bundled scripts and styles of the account page and the console, at an address that changes with their content.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { webFiles } from '../../pages/web-files.ts';
import { type Route, route } from '../request/route.ts';
import { immutable } from '../request/security-headers.ts';

/** Each serves the files at its own address, because a listener may have only one of them. */
type BundledApi = 'account' | 'console';

/** Path of the folder that currently contains the files. @throws Error when they cannot be built */
export async function bundledFilesPath(api: BundledApi): Promise<string> {
  const { version } = await webFiles();
  return `/assets/${api}/${version}`;
}

export function bundledFileRoute(api: BundledApi, summary: string): Route {
  return route({
    api,
    guard: 'anonymous',
    errors: 'html-or-edge',
    methods: ['GET', 'HEAD'],
    path: `/assets/${api}/:version/:name`,
    produces: ['text/javascript', 'text/css'],
    summary,
    answers: {
      200: { description: 'The file', content: { 'text/javascript': z.string(), 'text/css': z.string() } },
    },
    async handler({ params, headers }) {
      const { version, byName } = await webFiles();
      const found = byName.get(params.name ?? '');
      if (found === undefined || params.version !== version) throw new AuthError('not_found');
      const isBrotli = /(?:^|,)\s*br\s*(?:,|$)/.test(String(headers['accept-encoding'] ?? ''));
      return {
        status: 200,
        headers: {
          'content-type': found.contentType,
          vary: 'origin, accept-encoding',
          ...(isBrotli && { 'content-encoding': 'br' }),
          ...immutable,
        },
        body: isBrotli ? found.brotli : found.plain,
      };
    },
  });
}
