import type { LoginStep } from '../../oidc/flow/login-flow.ts';
import { type Answer, json, redirect } from '../request/answer.ts';
import { challengeLines } from '../request/challenges.ts';

/** The answer to a login step: 302 to the client with its code, or 200 with what remains (spec 3.1). */
export function loginStepAnswer(step: LoginStep): Answer {
  if (step.kind === 'redirect') return redirect(step.location);
  const challenges = challengeLines(step.challenges);
  const headers = {
    ...(step.isTotpRequired ? { 'totp-required': 'true' } : {}),
    ...(challenges.length > 0 ? { 'www-authenticate': challenges } : {}),
  };
  return json({ authQueries: step.authQueries }, { headers });
}
