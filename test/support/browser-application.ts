// An application that runs in the browser at an origin of its own: oidc-client-ts, as published.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { stopServing } from './closable.ts';
import { testPki } from './test-pki.ts';

export interface BrowserApplication {
  /** `https://other.localhost:PORT`, another site than that of test servers. */
  readonly origin: string;
  close(): Promise<void>;
}

const client = fileOf('oidc-client-ts', 'dist/esm/oidc-client-ts.js');
const jwtDecode = fileOf('jwt-decode', 'build/esm/index.js');

/**
 * Serves the application: `/` has the client as `manager`, `/callback` finishes a login, `/silent` an attempt without a
 * person.
 * @param issuer called at each request, since the server behind it may start later
 */
export async function startBrowserApplication(issuer: () => string): Promise<BrowserApplication> {
  const { server: identity } = await testPki();
  const server = createServer({ cert: identity.certPem, key: identity.keyPem }, (request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? '/';
    const script = { '/oidc-client-ts.js': client, '/jwt-decode.js': jwtDecode }[path];
    if (script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      response.end(script);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page(origin, issuer(), path));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://other.localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    close: () => stopServing(server),
  };
}

function page(origin: string, authority: string, path: string): string {
  const settings = {
    authority,
    client_id: 'overlay',
    redirect_uri: `${origin}/callback`,
    silent_redirect_uri: `${origin}/silent`,
    post_logout_redirect_uri: `${origin}/signed-out`,
    scope: 'openid offline_access',
    loadUserInfo: true,
    revokeTokensOnSignout: true,
    silentRequestTimeoutInSeconds: 5,
  };
  const step = {
    '/callback': 'await manager.signinCallback();',
    '/silent': 'await manager.signinCallback();',
  };
  return `<!doctype html><html lang="en"><title>Application</title>
<script type="importmap">{"imports":{"jwt-decode":"/jwt-decode.js"}}</script>
<h1>Application</h1>
<script type="module">
import { UserManager } from '/oidc-client-ts.js';
const manager = new UserManager(${JSON.stringify(settings)});
${step[path as keyof typeof step] ?? ''}
globalThis.manager = manager;
document.documentElement.dataset.ready = '';
</script></html>`;
}

function fileOf(name: string, path: string): string {
  // The package's entry only shows where its folder is; the wanted file is the one for browsers.
  const entry = createRequire(import.meta.url).resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(`/${name}/`) + name.length + 2);
  return readFileSync(`${folder}${path}`, 'utf8');
}
