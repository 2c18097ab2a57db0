import type { AttemptRecorder, RefusalReason } from '../../model/login-attempt.ts';
import {
  type ExternalJwtRefusal,
  externalJwtRefusals,
  type RefusedExternalJwt,
} from './external-jwt-verdict.ts';
import type { SignerDirectory } from './signer-directory.ts';

/** The reason in the decision record for each refusal of a token; the words beside it say more. */
const reasons: Readonly<Record<ExternalJwtRefusal, RefusalReason>> = {
  malformed: 'malformed-token',
  'no-signer-for-issuer': 'no-signer-for-issuer',
  algorithm: 'token-algorithm',
  audience: 'token-audience',
  'missing-exp': 'token-without-expiry',
  'missing-iat': 'malformed-token',
  'time-claims': 'malformed-token',
  lifetime: 'token-without-expiry',
  'keys-unavailable': 'keys-unavailable',
  'certificate-expired': 'keys-unavailable',
  'unknown-key': 'unknown-key',
  signature: 'token-signature',
  expired: 'token-expired',
  'not-yet-valid': 'token-not-yet-valid',
  'claim-missing': 'token-claim-missing',
  'email-not-verified': 'email-not-verified',
  'ambiguous-signer': 'no-signer-for-issuer',
};

/** Records why a token was refused, and by which signer. */
export function recordRefusal(
  signers: SignerDirectory,
  attempt: AttemptRecorder,
  { reason, signerId, detail }: RefusedExternalJwt,
): void {
  const signer = signerId === null ? undefined : signers.find(signerId);
  const who = signer === undefined ? '' : `signer ${signer.name}: `;
  const more = detail === null ? '' : ` (${detail})`;
  attempt.failed('token', reasons[reason], `${who}${externalJwtRefusals[reason]}${more}`);
}
