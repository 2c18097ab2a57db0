// Dry run of a login with an external JWT, for administrators who set up a signer. It uses the rules of the login,
// creates no session, stores nothing and counts no attempt.

import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { AttemptCheck, AttemptRecorder } from '../../model/login-attempt.ts';
import { nameKeys } from '../../model/names.ts';
import { notedRecord } from '../../model/noted-record.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import { quoted } from '../../platform/formats/quoted.ts';
import { isEnabled, mayLogIn } from '../primary-verdict.ts';
import type { LoginServices, PlannedIdentity } from '../services.ts';
import { accountNamedBy, maySignerLogIn, recordUnknown } from './external-jwt.ts';
import { recordRefusal, type ValidExternalJwt } from './external-jwt-verdict.ts';
import { verifyJwtFrom } from './verify-external-jwt.ts';

export interface TriedToken {
  /** The factor that the token would count as, or null when it is refused. */
  readonly use: 'primary' | 'secondary' | null;
  /** Why it is refused; null when it is not. */
  readonly reason: RefusalReason | null;
  /** Whom it names, if its claim was accepted. */
  readonly identity: Identity | null;
  /** The identity that the login would create: the signer has identities created, and the token names none yet. */
  readonly creates?: PlannedIdentity | undefined;
  /** The value that names the identity; null when the token was refused before that was read. */
  readonly claim: string | null;
  readonly checks: readonly AttemptCheck[];
}

/**
 * Judges a token for one signer. It counts as the secondary proof for an identity whose policy requires that signer in
 * addition to another method, and otherwise as the primary proof.
 * @param signer from the directory, enabled or not
 * @param token  as sent, unchecked
 */
export async function tryExternalJwt(
  needs: LoginServices,
  signer: ExternalJwtSigner,
  token: string,
): Promise<TriedToken> {
  const record = notedRecord();
  const judged = await judge(needs, { signer, token }, record);
  const { reason, subject: claim, checks } = record;
  return { ...judged, reason, claim, checks };
}

async function judge(
  needs: LoginServices,
  { signer, token }: { signer: ExternalJwtSigner; token: string },
  record: AttemptRecorder,
): Promise<Pick<TriedToken, 'use' | 'identity' | 'creates'>> {
  const refused = { use: null, identity: null };
  if (!signer.enabled) {
    record.failed('signer enabled', 'signer-disabled', `signer ${signer.name} is disabled`);
    return refused;
  }
  record.passed('signer enabled', `signer ${signer.name}`);
  const verdict = await verifyJwtFrom(needs, signer.id, token);
  if (verdict.verdict === 'refused') {
    if (verdict.reason === 'no-signer-for-issuer') {
      const saw = `${verdict.saw}; signer ${signer.name} is for ${quoted(signer.issuer)}`;
      record.failed('issuer', 'no-signer-for-issuer', saw);
    } else recordRefusal(needs.signers, record, verdict);
    return refused;
  }
  record.passed('token', `valid for signer ${signer.name}`);
  record.about({ subject: verdict.claim });
  const account = await accountNamedBy(needs, verdict);
  if (account === null) return judgeNewcomer(needs, verdict, record);
  const { identity } = account;
  const now = needs.clock.now();
  if (account.policy.secondary.requireExtJwt !== signer.id) {
    const isGood =
      mayLogIn(account, { method: 'ext-jwt', now }, record) &&
      maySignerLogIn(needs, { account, signer }, record);
    return { use: isGood ? 'primary' : null, identity };
  }
  if (!isEnabled(account, record, now)) return { use: null, identity };
  const saw = `policy ${account.policy.name} asks for a token of signer ${signer.name} besides another method`;
  record.passed('second proof', saw);
  return { use: 'secondary', identity };
}

async function judgeNewcomer(
  needs: LoginServices,
  jwt: ValidExternalJwt,
  record: AttemptRecorder,
): Promise<Pick<TriedToken, 'use' | 'identity' | 'creates'>> {
  const refused = { use: null, identity: null };
  if (jwt.signer.createIdentities === null) {
    recordUnknown(jwt, record);
    return refused;
  }
  const creates = await needs.newcomers.plan(jwt, record);
  if (creates === null) return refused;
  const [holder] = await needs.store.identities.listByNameKeys(nameKeys(creates.name));
  if (holder !== undefined) {
    const name = quoted(creates.name);
    const saw =
      holder.name === creates.name
        ? `the name ${name} is taken`
        : `the name ${name} passes for ${holder.name}`;
    record.failed('new identity', 'newcomer-refused', saw);
    return refused;
  }
  record.passed('new identity', `${creates.name} would be created`);
  return { use: 'primary', identity: null, creates };
}
