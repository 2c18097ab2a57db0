// An OpenID provider that is not ours, with its own pages for people who sign in there.

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { testPki } from './test-pki.ts';

export interface OpenIdProvider {
  readonly issuer: string;
  readonly jwksEndpoint: string;
  readonly clientId: string;
  /** Registers a redirect URI of its one client, which is public and must use PKCE. */
  register(redirectUri: string): void;
  close(): Promise<void>;
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const { server: identity } = await testPki();
  const server = createServer({ cert: identity.certPem, key: identity.keyPem });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const clientId = 'overlay-pages';
  const redirectUris: string[] = [];
  const answerer = () =>
    new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          redirect_uris: redirectUris,
          response_types: ['code'],
          grant_types: ['authorization_code'],
          token_endpoint_auth_method: 'none',
        },
      ],
      cookies: { keys: ['only for tests'] },
    }).callback();
  let answer: ReturnType<typeof answerer> | null = null;
  server.on('request', (request, response) => {
    answer ??= answerer();
    void answer(request, response);
  });
  return {
    issuer,
    jwksEndpoint: `${issuer}/jwks`,
    clientId,
    register(redirectUri) {
      redirectUris.push(redirectUri);
      // The provider reads its clients when it is created.
      answer = null;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
