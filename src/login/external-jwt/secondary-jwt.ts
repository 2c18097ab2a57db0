// The external JWT that a policy requires in addition to the primary proof (spec 5.4): at login, and on every API call
// after it. It must come from the one signer that the policy names, and name the identity of the login.

import type { ChallengeError } from '../../errors/challenge.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { SignerId } from '../../model/ids.ts';
import type { LoginProgress, Vouched } from '../../model/login.ts';
import type { AttemptRecorder, StepOrigin } from '../../model/login-attempt.ts';
import { notedRecord } from '../../model/noted-record.ts';
import type { PrimaryResult } from '../authenticate-primary.ts';
import type { ExternalJwtServices, LoginServices } from '../services.ts';
import { namesIdentity, vouchedFor } from './external-jwt.ts';
import {
  challengeErrorOf,
  type RefusedExternalJwt,
  recordRefusal,
  refused,
  type ValidExternalJwt,
} from './external-jwt-verdict.ts';
import { enabledSigner } from './signer-directory.ts';
import { verifyExternalJwt } from './verify-external-jwt.ts';

export type SecondaryVerdict =
  | { readonly verdict: 'passed'; readonly token: string; readonly jwt: ValidExternalJwt }
  | { readonly verdict: 'refused'; readonly error: ChallengeError };

/** Looks for the secondary token among those of a request. Records what refuses. */
export async function verifySecondaryJwt(
  needs: ExternalJwtServices,
  {
    signerId,
    identity,
    tokens,
  }: { signerId: SignerId; identity: Pick<Identity, 'id' | 'externalId'>; tokens: readonly string[] },
  attempt: AttemptRecorder,
): Promise<SecondaryVerdict> {
  const signer = enabledSigner(needs.signers, signerId);
  if (signer === undefined) {
    attempt.failed('signer enabled', 'signer-disabled', 'the signer that the policy requires is not enabled');
    return { verdict: 'refused', error: tokens.length === 0 ? 'missing' : 'invalid' };
  }
  const refusals: RefusedExternalJwt[] = [];
  const failures = notedRecord();
  for (const token of tokens) {
    const verdict = await verifyExternalJwt(needs, [signer], token);
    if (verdict.verdict === 'refused') {
      refusals.push(verdict);
      // A token of an issuer that was not asked for is not recorded: it may be an access token.
      if (verdict.outward !== 'missing') recordRefusal(needs.signers, failures, verdict);
    } else if (needs.signers.find(signerId) !== signer) {
      refusals.push(refused('no-signer-for-issuer', 'the signer was changed', signerId));
      failures.failed('unchanged', 'changed-meanwhile', `signer ${signer.name} was changed meanwhile`);
    } else if (namesIdentity(signer, verdict.claim, identity)) {
      attempt.passed('token', `valid for signer ${signer.name}`);
      return { verdict: 'passed', token, jwt: verdict };
    } else {
      // The token is valid, but names another identity.
      refusals.push(refused('token-claim-missing', 'it names another identity', signerId));
      failures.failed('same identity', 'secondary-wrong-identity', `the token names "${verdict.claim}"`);
    }
  }
  const error = challengeErrorOf(refusals);
  if (error === 'missing')
    attempt.failed('token', 'secondary-token-missing', `none of signer ${signer.name}`);
  failures.handTo(attempt);
  return { verdict: 'refused', error };
}

export interface SubmittedSecondary {
  readonly progress: LoginProgress;
  /** Recording it checks it again; null: no token was accepted. */
  readonly vouched: Vouched | null;
  readonly error: ChallengeError;
}

/**
 * Takes the external JWT that the policy requires in addition, if it came with the primary credentials (spec 4.4, 5.4).
 * A refusal ends nothing: the factor stays outstanding, and `error` has the reason.
 * @param signerId the signer that the policy names
 */
export async function submitSecondaryJwt(
  needs: LoginServices,
  {
    signerId,
    primary: { account, progress },
    bearers,
  }: { signerId: SignerId; primary: Pick<PrimaryResult, 'account' | 'progress'>; bearers: readonly string[] },
  { mechanism, origin }: StepOrigin,
): Promise<SubmittedSecondary> {
  const { identity } = account;
  const method = 'secondary-ext-jwt';
  const verdict = await needs.attempts.decide({ step: method, mechanism, origin }, (attempt) => {
    attempt.about({ identityId: identity.id });
    return verifySecondaryJwt(needs, { signerId, identity, tokens: bearers }, attempt);
  });
  if (verdict.verdict === 'refused') {
    needs.audit.record({ event: 'login.refused', method }, origin);
    return { progress, vouched: null, error: verdict.error };
  }
  needs.audit.record({ event: 'login.passed', method, identityId: identity.id }, origin);
  return {
    progress: { ...progress, passed: [...progress.passed, `ejs:${signerId}`] },
    vouched: vouchedFor(identity, verdict.jwt.signer),
    error: 'missing',
  };
}
