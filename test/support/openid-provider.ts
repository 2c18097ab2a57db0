// An OpenID provider that is not ours, with its own pages for people who sign in there.

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { type Closable, closable, stopServing } from './closable.ts';
import { cookieBrowser } from './cookie-browser.ts';
import { createSigner } from './external-jwt.ts';
import { httpsClient } from './https-client.ts';
import type { Caller } from './management.ts';
import { testPki } from './test-pki.ts';
import type { TestServer } from './test-server.ts';

export interface OpenIdProvider extends Closable {
  readonly issuer: string;
  readonly jwksEndpoint: string;
  readonly clientId: string;
  /** Registers a redirect URI of its one client, which is public and must use PKCE. */
  register(redirectUri: string): void;
  /** Makes it another kind of client, as OpenID Connect Registration describes it. */
  describe(client: object): void;
  /** Signs in at an address that begins there. @returns where it leads back to */
  signIn(address: string, login: string): Promise<URL>;
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const { server: identity, ca } = await testPki();
  const server = createServer({ cert: identity.certPem, key: identity.keyPem });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const clientId = 'overlay-pages';
  const redirectUris: string[] = [];
  let described = {};
  const answerer = () =>
    new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          redirect_uris: redirectUris,
          response_types: ['code'],
          grant_types: ['authorization_code'],
          token_endpoint_auth_method: 'none',
          ...described,
        },
      ],
      cookies: { keys: ['only for tests'] },
    }).callback();
  let answer: ReturnType<typeof answerer> | null = null;
  server.on('request', (request, response) => {
    answer ??= answerer();
    void answer(request, response);
  });
  return closable<OpenIdProvider>({
    issuer,
    jwksEndpoint: `${issuer}/jwks`,
    clientId,
    register(redirectUri) {
      redirectUris.push(redirectUri);
      // The provider reads its clients when it is created.
      answer = null;
    },
    describe(client) {
      described = client;
      answer = null;
    },
    async signIn(address, login) {
      using client = httpsClient(issuer, ca.certPem);
      const browser = cookieBrowser({ ...client, url: issuer });
      let at = await browser.get(address.slice(issuer.length));
      for (let step = 0; step < 10; step += 1) {
        const to = new URL(String(at.headers.location), issuer);
        if (to.origin !== issuer) return to;
        at = await browser.get(to.pathname);
        const prompt = /name="prompt" value="(\w+)"/.exec(at.text)?.[1];
        if (prompt !== undefined)
          at = await browser.post(to.pathname, { prompt, login, password: 'any', commit: '' });
      }
      throw new Error(`the provider does not lead back: ${at.status} ${at.text}`);
    },
    close: () => stopServing(server),
  });
}

/** A signer for people who sign in at the provider, which knows its redirect URI. @returns its id */
export async function createSignerOf(
  provider: OpenIdProvider,
  server: Pick<TestServer, 'url'>,
  admin: Caller,
  name = 'Example ID',
): Promise<string> {
  const id = await createSigner(admin, provider, name, {
    audience: provider.clientId,
    externalAuthUrl: provider.issuer,
    clientId: provider.clientId,
    targetToken: 'ID',
  });
  provider.register(`${server.url}/oidc/login/ext-jwt/callback/${id}`);
  return id;
}
