// What would become of an external JWT, without logging anybody in: for the administrator who sets up a signer. The
// rules are those of the login; nothing is stored, and no attempt is counted.

import type { ExternalJwtSigner } from '../../model/external-jwt-signer.ts';
import type { Identity } from '../../model/identity.ts';
import type { AttemptCheck, AttemptRecorder, RefusalReason } from '../../model/login-attempt.ts';
import { isEnabled, mayLogIn } from '../account.ts';
import { accountNamedBy, type ExternalJwtLoginNeeds, maySignerLogIn } from './external-jwt.ts';
import { recordRefusal } from './external-jwt-record.ts';
import { verifyExternalJwt } from './verify-external-jwt.ts';

export interface TriedToken {
  /** What the token would count as, or null when it is refused. */
  readonly use: 'primary' | 'secondary' | null;
  /** Why it is refused; null when it is not. */
  readonly reason: RefusalReason | null;
  /** Whom it names, as soon as its claim was found good. */
  readonly identity: Identity | null;
  /** The value that names the identity; null when the token was refused before it was looked at. */
  readonly claim: string | null;
  readonly checks: readonly AttemptCheck[];
}

/**
 * Judges a token for one signer. It counts as the secondary proof for an identity whose policy asks for that signer
 * besides another method, and as the primary proof otherwise.
 * @param signer the record of the directory, enabled or not
 * @param token  as sent, unchecked
 */
export async function tryExternalJwt(
  needs: ExternalJwtLoginNeeds,
  signer: ExternalJwtSigner,
  token: string,
): Promise<TriedToken> {
  const noted: Noted = { checks: [], reason: null, identity: null, claim: null };
  const use = await judge(needs, signer, token, noted);
  return { use, ...noted };
}

interface Noted {
  readonly checks: AttemptCheck[];
  reason: RefusalReason | null;
  identity: Identity | null;
  claim: string | null;
}

async function judge(
  needs: ExternalJwtLoginNeeds,
  signer: ExternalJwtSigner,
  token: string,
  noted: Noted,
): Promise<TriedToken['use']> {
  const record = recorderOf(noted);
  if (!signer.enabled) {
    record.failed('signer enabled', 'signer-disabled', `signer ${signer.name} is disabled`);
    return null;
  }
  record.passed('signer enabled', `signer ${signer.name}`);
  const alone = await verifyExternalJwt(needs, [signer], token);
  // Beside the others a token that fits this signer may be ambiguous.
  const verdict =
    alone.verdict === 'valid' ? await verifyExternalJwt(needs, needs.signers.all(), token) : alone;
  if (verdict.verdict === 'refused') {
    if (verdict.reason === 'no-signer-for-issuer')
      record.failed('issuer', 'no-signer-for-issuer', `signer ${signer.name} is for "${signer.issuer}"`);
    else recordRefusal(needs.signers, record, verdict);
    return null;
  }
  record.passed('token', `valid for signer ${signer.name}`);
  const account = await accountNamedBy(needs, signer, verdict.claim, record);
  if (account === null) return null;
  noted.identity = account.identity;
  const now = needs.clock.now();
  if (account.policy.secondary.requireExtJwt !== signer.id)
    return mayLogIn(account, 'ext-jwt', record, now) && maySignerLogIn(needs, account, signer, record)
      ? 'primary'
      : null;
  if (!isEnabled(account, record, now)) return null;
  const saw = `policy ${account.policy.name} asks for a token of signer ${signer.name} besides another method`;
  record.passed('second proof', saw);
  return 'secondary';
}

function recorderOf(noted: Noted): AttemptRecorder {
  const note = (check: string, verdict: AttemptCheck['verdict'], saw: string | undefined) =>
    void noted.checks.push({ check, verdict, saw: saw ?? null });
  return {
    passed: (check, saw) => note(check, 'passed', saw),
    failed(check, why, saw) {
      note(check, 'failed', saw);
      noted.reason ??= why;
    },
    about({ subject }) {
      noted.claim = subject ?? noted.claim;
    },
    conclude() {},
  };
}
