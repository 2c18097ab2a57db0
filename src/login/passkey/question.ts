// Questions for a passkey. The challenge is sealed and holds what it was asked for, so that a question costs no stored row,
// and any node can take the answer.

import type { IdentityId } from '../../model/ids.ts';
import type { AskedIn } from '../../model/login.ts';
import { MINUTE, type Millis } from '../../platform/clock.ts';
import { constantTimeEqual, sha256 } from '../../platform/digest.ts';
import { type ClientData, type PasskeySite, rpIdOf } from '../../platform/webauthn.ts';
import type { LoginServices } from '../services.ts';
import { useOnce } from '../throttle.ts';

/** How long an answer is taken: as long as a login may wait for its first step. */
export const questionLifetime: Millis = 10 * MINUTE;

/** What the answer is for; it counts for nothing else. `add` and `invite` register a passkey outside of a login. */
export type QuestionPurpose = 'primary' | 'secondary' | 'register' | 'add' | 'invite';

export interface Question extends AskedIn {
  readonly purpose: QuestionPurpose;
  /** Whose passkey is asked for, or is to be registered; null: it says itself. */
  readonly identityId: IdentityId | null;
}

interface Sealed {
  readonly at: Millis;
  readonly of: string;
}

/** The challenge of a question, base64url. */
export function challengeFor({ passkeyQuestions, clock }: LoginServices, question: Question): string {
  const at = clock.now();
  return passkeyQuestions.seal(JSON.stringify({ at, of: contentOf(question) } satisfies Sealed), at);
}

/** Whether the challenge of an answer is of this question, and not too old. */
export function isAnswerTo(
  { passkeyQuestions, clock }: LoginServices,
  question: Question,
  { challenge }: ClientData,
): boolean {
  const now = clock.now();
  const plain = passkeyQuestions.open(challenge, now);
  if (plain === undefined) return false;
  const { at, of } = JSON.parse(plain) as Sealed;
  return now < at + questionLifetime && constantTimeEqual(of, contentOf(question));
}

/** Uses an answer up. @returns false when it was used before, on whatever node */
export function useAnswer(needs: LoginServices, { challenge }: ClientData): Promise<boolean> {
  return useOnce(needs, `passkey:${sha256(challenge)}`, questionLifetime);
}

/** Where passkeys work at a bind point; null: its host is an address, or not below the domain of the configuration. */
export function passkeySiteOf(
  { passkeyRpId }: Pick<LoginServices, 'passkeyRpId'>,
  issuer: string,
): PasskeySite | null {
  const { hostname, origin } = new URL(issuer);
  const rpId = rpIdOf(hostname, passkeyRpId);
  return rpId === null ? null : { rpId, origin };
}

function contentOf({ purpose, identityId, flow, browser, site }: Question): string {
  return sha256(JSON.stringify([purpose, identityId, flow, browser, site?.rpId, site?.origin]));
}
