// The bundled scripts and styles of the account page and the console, at an address that changes with their content.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { webFiles } from '../../pages/web-files.ts';
import { fixedRoute } from '../request/fixed-route.ts';
import type { Route } from '../request/route.ts';
import { immutable } from '../request/security-headers.ts';

/** Each serves the files at its own address, because a listener may have only one of them. */
type BundledApi = 'account' | 'console';

/** Path of the folder that currently contains the files. @throws Error when they cannot be built */
export async function bundledFilesPath(api: BundledApi): Promise<string> {
  const { version } = await webFiles();
  return `/assets/${api}/${version}`;
}

export function bundledFileRoute(api: BundledApi, summary: string): Route {
  return fixedRoute(`/assets/${api}/:version/:name`, {
    api,
    errors: 'html-or-edge',
    produces: ['text/javascript', 'text/css'],
    summary,
    answers: {
      200: { description: 'The file', content: { 'text/javascript': z.string(), 'text/css': z.string() } },
    },
    keyedBy: ['version', 'name'],
    async make({ params }) {
      const { version, byName } = await webFiles();
      const found = byName.get(params.name ?? '');
      if (found === undefined || params.version !== version) throw new AuthError('not_found');
      const headers = { 'content-type': found.contentType, ...immutable };
      return { status: 200, headers, body: found.plain, brotli: found.brotli };
    },
  });
}
