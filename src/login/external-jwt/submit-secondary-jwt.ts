import type { ChallengeError } from '../../errors/challenge.ts';
import type { LoginProgress } from '../../model/login.ts';
import type { StepOrigin } from '../../model/login-attempt.ts';
import type { PrimaryNeeds, PrimaryResult } from '../authenticate-primary.ts';
import type { UsedToken } from '../primary-verdict.ts';
import { verifySecondaryJwt } from './secondary-jwt.ts';

/**
 * Takes the external JWT that the policy requires in addition, if it came with the primary credentials (spec 4.4, 5.4).
 * A refusal ends nothing: the factor stays outstanding, and `error` says what was wrong.
 */
export async function submitSecondaryJwt(
  needs: PrimaryNeeds,
  {
    primary: { account, progress },
    bearers,
  }: { readonly primary: Pick<PrimaryResult, 'account' | 'progress'>; readonly bearers: readonly string[] },
  { mechanism, origin }: StepOrigin,
): Promise<{ readonly progress: LoginProgress; readonly error: ChallengeError }> {
  const signerId = account.policy.secondary.requireExtJwt;
  if (signerId === null) return { progress, error: 'missing' };
  const { identity } = account;
  const method = 'secondary-ext-jwt';
  const attempt = needs.attempts.begin(method, mechanism, origin);
  attempt.about({ identityId: identity.id });
  const verdict = await verifySecondaryJwt(
    needs,
    { signerId, identity, tokens: bearers, usedToken: usedTokenOf(progress) },
    attempt,
  );
  attempt.conclude();
  if (verdict.verdict === 'refused') {
    needs.audit.record({ event: 'login.refused', method }, origin);
    return { progress, error: verdict.error };
  }
  needs.audit.record({ event: 'login.passed', method, identityId: identity.id }, origin);
  return { progress: { ...progress, passed: [...progress.passed, `ejs:${signerId}`] }, error: 'missing' };
}

/** The token that was the primary proof; null after another primary method. */
function usedTokenOf({ primaryProof, signerId }: LoginProgress): UsedToken | null {
  return primaryProof === undefined || signerId === null ? null : { proof: primaryProof, signerId };
}
