import { z } from 'zod';
import type { NamedApiSession } from '../../admin/api-sessions.ts';
import type { CertificateExtension } from '../../certificates/client-certificate-issuer.ts';
import { authQueryOf } from '../../login/auth-query.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import type { Factor } from '../../model/login.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { apiSessionDocument, ownApiSessionSchema } from '../documents/api-session-document.ts';
import { selfLink } from '../documents/wire.ts';

export const legacySessionSchema = z
  .strictObject({
    ...ownApiSessionSchema.shape,
    token: z.string().describe('The value of the zt-session header'),
    isMfaRequired: z.boolean(),
    isMfaComplete: z.boolean(),
    isCertExtendable: z.boolean(),
    isCertExtendRequested: z.boolean(),
    isCertKeyRollRequested: z.boolean(),
    improperClientCertChain: z.boolean(),
  })
  .meta({ id: 'LegacyApiSession' });

/**
 * A legacy session as its owner sees it (spec 2.8), with the members that clients of the mechanism expect.
 * `expirationSeconds` is the whole timeout, because the session lives that long after this answer.
 */
export function legacySessionDocument(
  signers: SignerDirectory,
  session: NamedApiSession,
  {
    token,
    outstanding,
    timeout,
    extension,
  }: { token: string; outstanding: readonly Factor[]; timeout: Millis; extension: CertificateExtension },
): object {
  const isMfaComplete = session.passed.includes('totp');
  return {
    ...apiSessionDocument(session),
    _links: {
      self: selfLink('api-sessions', session.id),
      session: { href: `./api-sessions/${session.id}/sessions` },
    },
    token,
    authQueries: outstanding.map((factor) => authQueryOf(factor, { totpUrl: './authenticate/mfa', signers })),
    isMfaRequired: isMfaComplete || outstanding.some(({ type }) => type === 'totp'),
    isMfaComplete,
    isCertExtendable: extension.isExtendable,
    isCertExtendRequested: extension.isRequested,
    isCertKeyRollRequested: extension.isKeyRollRequested,
    improperClientCertChain: false,
    expirationSeconds: Math.floor(timeout / SECOND),
  };
}
