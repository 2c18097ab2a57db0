// Client certificates on real connections to a running test server, and the authorities behind them.

import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { type AuthenticatorId, asId, type IdentityId } from '../../src/model/ids.ts';
import { sha256 } from '../../src/platform/digest.ts';
import { client as clientCertificate, commonName, type Made, makeCertificate } from './chains.ts';
import { beginLogin, codeOf, redeem, type Tokens } from './flow.ts';
import { type Answer, type HttpsClient, type HttpsConnection, httpsClient } from './https-client.ts';
import { type Caller, createdId } from './management.ts';
import { testPki } from './test-pki.ts';
import type { TestServer } from './test-server.ts';

export type Issuer = Pick<Made, 'name' | 'keys'>;

/** The root of the overlay of every test server. */
export async function overlayRoot(): Promise<Issuer> {
  const { ca } = await testPki();
  const privateKey = createPrivateKey(ca.keyPem);
  return {
    name: commonName('Test overlay root'),
    keys: { privateKey, publicKey: createPublicKey(privateKey) },
  };
}

/** A client whose requests share one connection, which proves the key of `leaf`. */
export function withCertificate(
  server: Pick<TestServer, 'url' | 'caPem'>,
  leaf: Pick<Made, 'certPem' | 'keyPem'>,
  ...sent: readonly Pick<Made, 'certPem'>[]
): HttpsConnection {
  const cert = [leaf, ...sent].map(({ certPem }) => certPem).join('');
  return httpsClient(server.url, server.caPem, { cert, key: leaf.keyPem, maxSockets: 1 });
}

/** Gives an identity a certificate, past the rules of the management API. */
export async function giveCertificate(
  server: TestServer,
  identityId: IdentityId,
  { certPem, der }: Pick<Made, 'certPem' | 'der'>,
): Promise<AuthenticatorId> {
  const id = asId<AuthenticatorId>(server.random.id());
  const authenticator = { id, identityId, certPem, thumbprint: sha256(der), tags: {} };
  await server.store.authenticators.createCertificate(authenticator, server.clock.now());
  return id;
}

/** A certificate of the overlay for a new key, and its identity. */
export async function enrolled(
  server: TestServer,
  identityId: IdentityId,
  recipe: Parameters<typeof clientCertificate>[0] = {},
): Promise<Made & { readonly authenticatorId: AuthenticatorId }> {
  const leaf = clientCertificate({ issuer: await overlayRoot(), ...recipe });
  return { ...leaf, authenticatorId: await giveCertificate(server, identityId, leaf) };
}

/** Registers an authority, enables it for logins, and proves possession of its key. */
export async function registerCa(
  admin: Caller,
  ca: Made,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const name = sha256(ca.der);
  const body = { name, certPem: ca.certPem, isAuthEnabled: true, ...more };
  const id = createdId(await admin.call('POST', 'cas', body));
  const { verificationToken } = (await admin.get(`cas/${id}`)).json.data;
  const proof = makeCertificate({ subject: verificationToken, issuer: ca });
  const verified = await admin.call('POST', `cas/${id}/verify`, { certPem: proof.certPem });
  assert.equal(verified.status, 200, verified.text);
  return id;
}

/** One login by certificate on a new authorization request, over the connection of the client. */
export async function submitCertificate(client: HttpsClient): Promise<Answer> {
  return client.post('/oidc/login/cert', { json: { authRequestId: await beginLogin(client) } });
}

/** The tokens of a complete login by certificate. */
export async function certificateLogin(client: HttpsClient): Promise<Tokens> {
  const answer = await submitCertificate(client);
  assert.equal(answer.status, 302, answer.text);
  const tokens = await redeem(client, codeOf(answer));
  assert.equal(tokens.status, 200, tokens.text);
  return tokens.json;
}
