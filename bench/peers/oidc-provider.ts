// Another provider doing the same job: one public client with PKCE and rotation, a login of our own, an access
// token as a signed JWT and an ID token for every grant. Its store is its own, in memory: it makes nothing durable.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import { Provider } from 'oidc-provider';
import { systemClock } from '../../src/platform/clock.ts';
import { createHashPool } from '../../src/platform/secrets/hash-pool.ts';
import { preparePassword } from '../../src/platform/secrets/password-hash.ts';
import '../child-channel.ts';
import { peerArguments } from './peer.ts';

const { port, tls } = peerArguments();
const hashes = process.argv[5] === 'hash';
const resource = 'urn:overlay-edge-apis';
const scope = 'openid offline_access';
const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

const provider = new Provider(`https://localhost:${port}`, {
  clients: [
    {
      client_id: 'overlay',
      redirect_uris: ['http://localhost:8400/auth/callback'],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: { keys: [{ ...signingKey, use: 'sig', alg: 'ES256' }] },
  cookies: { keys: ['a key for the cookies of a benchmark'] },
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: 'api',
        audience: resource,
        accessTokenTTL: 1800,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  ttl: {
    AccessToken: 1800,
    AuthorizationCode: 60,
    IdToken: 1800,
    RefreshToken: 86_400,
    Interaction: 600,
    Session: 86_400,
    Grant: 86_400,
  },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
  rotateRefreshToken: true,
  async loadExistingGrant({ oidc }: LoadContext) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    });
    grant.addOIDCScope(scope);
    grant.addResourceScope(resource, 'api');
    await grant.save();
    return grant;
  },
});

interface LoadContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: Provider;
  };
}

const hashPool = createHashPool({ clock: systemClock });
const password = preparePassword('seven quiet lanterns');
const phc = hashes ? await hashPool.hash(password, 'bench') : '';
const callback = provider.callback();

createServer(tls, (request, response) => {
  if (request.method !== 'POST' || request.url?.startsWith('/interaction/') !== true) {
    void callback(request, response);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const form = JSON.parse(Buffer.concat(chunks).toString()) as { username: string; password: string };
    if (hashes && !(await hashPool.verify(phc, preparePassword(form.password), form.username))) {
      response.writeHead(401, { 'content-length': 0 }).end();
      return;
    }
    await provider.interactionFinished(request, response, { login: { accountId: form.username } });
  });
}).listen(port, '127.0.0.1');
