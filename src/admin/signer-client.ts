// How a signer's client authenticates at its provider: the method and the secret fit together, and the secret stays with
// the provider for which it was set.

import { openClientSecret, sealClientSecret } from '../login/external-jwt/client-secret.ts';
import { type Change, patched } from '../model/entities/entity.ts';
import { type ExternalJwtSigner, externalJwtSignerEntity } from '../model/entities/external-jwt-signer.ts';
import { usesSecret } from '../model/entities/oidc-client.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { refusedField } from './acceptable-values.ts';

/** The members that follow; the secret itself is not stored. */
type ClientProof = Pick<ExternalJwtSigner, 'clientAuthMethod' | 'sealedClientSecret'> & {
  readonly clientSecret: undefined;
};

const longestSecret = 1024;

/**
 * @param before the signer as stored; null when it is created
 * @throws AuthError could_not_validate
 */
export function clientProofOf(
  { vault, issuers }: { readonly vault: KeyVault; readonly issuers: ReadonlySet<string> },
  fields: Change<typeof externalJwtSignerEntity>,
  before: ExternalJwtSigner | null,
): ClientProof {
  const none = { issuer: '', externalAuthUrl: null, clientId: null, sealedClientSecret: null };
  const signer = patched(externalJwtSignerEntity.fields, { ...none, ...before }, fields);
  const sent = fields.clientSecret === '' ? null : fields.clientSecret;
  const clientAuthMethod = fields.clientAuthMethod ?? methodAfter(sent, before);
  if (clientAuthMethod !== 'none' && signer.clientId === null)
    throw refusedField('clientId', `is needed for ${clientAuthMethod}`);
  // It is what our key signs as `iss` (RFC 7523 3), and must not look like a token of ours.
  if (clientAuthMethod === 'private_key_jwt' && issuers.has(signer.clientId ?? ''))
    throw refusedField('clientId', 'is an issuer of this service', signer.clientId);
  if (!usesSecret(clientAuthMethod)) {
    if (sent) throw refusedField('clientSecret', `is not used by ${clientAuthMethod}`);
    return { clientAuthMethod, sealedClientSecret: null, clientSecret: undefined };
  }
  const sealedClientSecret =
    sent === undefined
      ? signer.sealedClientSecret
      : sent && sealClientSecret(vault, acceptable(sent), signer);
  if (sealedClientSecret === null) throw refusedField('clientSecret', `is needed for ${clientAuthMethod}`);
  if (openClientSecret(vault, { ...signer, sealedClientSecret }) === null)
    throw refusedField(
      'clientSecret',
      'must be sent again where issuer, externalAuthUrl or clientId change: it was set for that provider',
    );
  return { clientAuthMethod, sealedClientSecret, clientSecret: undefined };
}

function methodAfter(
  sent: string | null | undefined,
  before: ExternalJwtSigner | null,
): ExternalJwtSigner['clientAuthMethod'] {
  const method = before?.clientAuthMethod ?? 'none';
  if (sent) return usesSecret(method) ? method : 'client_secret_basic';
  return sent === null && usesSecret(method) ? 'none' : method;
}

/** RFC 6749 appendix A.2. */
function acceptable(secret: string): string {
  if (secret.length <= longestSecret && /^[\x20-\x7e]+$/.test(secret)) return secret;
  throw refusedField('clientSecret', `must be at most ${longestSecret} printable ASCII characters`);
}
