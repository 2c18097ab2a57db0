// The client library as published, built once for each test process.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopServing } from './closable.ts';
import { testPki } from './test-pki.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Builds the package into a new folder. */
export function buildClient(): { readonly folder: string; remove(): void } {
  const parent = mkdtempSync(join(tmpdir(), 'overlay-auth-client-'));
  const folder = join(parent, 'package');
  const script = join(root, 'scripts', 'build-client.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the client library was not built: ${stderr}`);
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

export interface ClientApplication {
  /** `https://other.localhost:PORT`, another site than that of test servers. */
  readonly origin: string;
  close(): Promise<void>;
}

/** What a page imports by name, and where it is. */
const libraries = {
  oauth4webapi: 'oauth4webapi/build/index.js',
  'openapi-fetch': 'openapi-fetch/dist/index.mjs',
} as const;

/**
 * Serves an application to browsers at an origin of its own, with the built package and its imports.
 * @param script the module of every page
 */
export async function startClientApplication(
  folder: string,
  script: () => string,
): Promise<ClientApplication> {
  const { server: identity } = await testPki();
  const imports = {
    '@overlay-auth/client': '/client/client.js',
    '@overlay-auth/client/browser': '/client/browser/browser.js',
    ...Object.fromEntries(Object.keys(libraries).map((name) => [name, `/library/${name}.js`])),
  };
  const shell = () => `<!doctype html><html lang="en"><title>Application</title><h1>Application</h1>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">${script()}</script></html>`;
  const server: Server = createServer(
    { cert: identity.certPem, key: identity.keyPem },
    (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'https://localhost');
      const file = fileOf(folder, pathname);
      response.writeHead(200, { 'content-type': file === undefined ? 'text/html' : 'text/javascript' });
      response.end(file === undefined ? shell() : readFileSync(file));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://other.localhost:${(server.address() as AddressInfo).port}`,
    close: () => stopServing(server),
  };
}

function fileOf(folder: string, pathname: string): string | undefined {
  if (pathname.startsWith('/client/')) return join(folder, normalize(pathname).slice('/client/'.length));
  const name = /^\/library\/(.+)\.js$/.exec(pathname)?.[1];
  if (name === undefined || !Object.hasOwn(libraries, name)) return undefined;
  return join(root, 'node_modules', libraries[name as keyof typeof libraries]);
}
