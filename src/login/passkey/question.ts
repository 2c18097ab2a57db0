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

/** In place of the identity id, where a name has no identity. No id looks like this. */
export const noIdentity = 'nobody';

/** The purpose of the answer; it counts for no other. `add` and `invite` register a passkey outside of a login. */
export type QuestionPurpose = 'primary' | 'secondary' | 'register' | 'add' | 'invite';

export interface Question extends AskedIn {
  readonly purpose: QuestionPurpose;
  /** The owner of the passkey; null: the passkey itself says. `noIdentity`: the typed name has none. */
  readonly identityId: IdentityId | typeof noIdentity | null;
}

/** A credential that a question lists (WebAuthn level 3, section 5.8.3). */
export interface CredentialDescriptor {
  readonly type: 'public-key';
  readonly id: string;
  readonly transports: readonly string[];
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

/**
 * Opens the challenge of an answer.
 * @returns whether it is of a question; undefined: it is ours of no question, or too old
 */
export function openChallenge(
  { passkeyQuestions, clock }: LoginServices,
  { challenge }: ClientData,
): ((question: Question) => boolean) | undefined {
  const now = clock.now();
  const plain = passkeyQuestions.open(challenge, now);
  if (plain === undefined) return undefined;
  const { at, of } = JSON.parse(plain) as Sealed;
  if (now >= at + questionLifetime) return undefined;
  return (question) => constantTimeEqual(of, contentOf(question));
}

/** Whether the challenge of an answer is of this question, and not too old. */
export function isAnswerTo(needs: LoginServices, question: Question, clientData: ClientData): boolean {
  return openChallenge(needs, clientData)?.(question) ?? false;
}

/** Uses an answer up. @returns false when any node has used it before */
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
