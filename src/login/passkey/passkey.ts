// A passkey as the proof of a login: the first one, or the one that the policy asks for in addition.

import { type Account, isAllowedModel, mayPasskeyOpen, userVerificationOf } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthenticatorId, IdentityId } from '../../model/ids.ts';
import type { AskedIn, PassedMethod } from '../../model/login.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import type { Passkey } from '../../model/passkey.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import { sha256 } from '../../platform/digest.ts';
import { type AnswerFault, type Assertion, checkAssertion, clientDataOf } from '../../platform/webauthn.ts';
import { mayLogIn, type PasskeyProof, type PrimaryVerdict } from '../primary-verdict.ts';
import type { LoginServices } from '../services.ts';
import { keysOfName } from './keys-of-name.ts';
import {
  type CredentialDescriptor,
  challengeFor,
  openChallenge,
  type Question,
  questionLifetime,
  useAnswer,
} from './question.ts';

/** For `navigator.credentials.get`, as JSON (WebAuthn level 3, section 5.4). */
export type RequestOptions = Readonly<Awaited<ReturnType<typeof askForPasskey>>>;

/** The user handle by which an authenticator groups passkeys of one owner. It does not reveal the identity. */
export function userHandle(identityId: IdentityId): string {
  return sha256(`passkey owner ${identityId}`);
}

export function descriptorOf({ credentialId, transports }: Passkey): CredentialDescriptor {
  return { type: 'public-key', id: credentialId, transports };
}

/** The passkeys of an identity that a browser offers at this place. */
export async function passkeysAt(
  needs: LoginServices,
  identityId: IdentityId,
  { site }: AskedIn,
): Promise<readonly Passkey[]> {
  const theirs = await needs.store.passkeys.listOf([identityId]);
  return theirs.filter(({ rpId }) => rpId === site?.rpId);
}

/** A place where passkeys work. */
export type AskedAt = AskedIn & { readonly site: NonNullable<AskedIn['site']> };

/** In which login a passkey is asked for, and of whom. */
interface AskedOf {
  readonly asked: AskedAt;
  /** The identity that has proven something else already; null: none. */
  readonly of: Account | null;
  /** The typed name, if no factor is proven yet; undefined: the passkey itself identifies its owner. */
  readonly username: string | undefined;
}

/** Asks for a passkey. Before anything is proven, nothing tells a stranger whether a name has any. */
export async function askForPasskey(needs: LoginServices, { asked, of, username }: AskedOf) {
  const { identityId, allowCredentials } =
    of !== null
      ? { identityId: of.identity.id, allowCredentials: await theirs(needs, of.identity.id, asked) }
      : username === undefined
        ? { identityId: null, allowCredentials: [] }
        : await keysOfName(needs, username, asked);
  const purpose = of === null ? 'primary' : 'secondary';
  return {
    challenge: challengeFor(needs, { ...asked, purpose, identityId }),
    rpId: asked.site.rpId,
    timeout: questionLifetime,
    // The policy that counts is not known before the answer, which is then checked against it.
    userVerification:
      of !== null
        ? userVerificationOf(of.policy, 'second')
        : needs.passkeyRules().mayBeUnverified
          ? 'preferred'
          : 'required',
    allowCredentials,
  };
}

async function theirs(needs: LoginServices, identityId: IdentityId, asked: AskedIn) {
  return (await passkeysAt(needs, identityId, asked)).map(descriptorOf);
}

/** A passkey that a login was proven with, and what its authenticator said. */
export interface ProvenPasskey {
  readonly passkey: Passkey;
  readonly account: Account;
  readonly isUserVerified: boolean;
}

/**
 * Decides a login by passkey.
 * @throws AuthError rate_limited   as requireOpenSource, which the caller asks before
 */
export async function verifyPasskey(
  needs: LoginServices,
  { answer, asked, origin }: PresentedPasskey,
  attempt: AttemptRecorder,
): Promise<PrimaryVerdict<PasskeyProof>> {
  const question: Question = { ...asked, purpose: 'primary', identityId: null };
  const proven = await checkAnswer(needs, { answer, question }, attempt);
  if (proven === null) return { verdict: 'refused' };
  const { account, isUserVerified } = proven;
  if (!mayLogIn(account, { method: 'passkey', now: needs.clock.now() }, attempt))
    return { verdict: 'refused' };
  const { policy } = account;
  if (!mayPasskeyOpen(policy)) {
    const saw = `policy ${policy.name} asks for a passkey as the second proof`;
    attempt.failed('passkey independent', 'passkey-not-independent', saw);
    return { verdict: 'refused' };
  }
  if (!isVerifiedEnough(proven, 'first', attempt) || !isOfAllowedModel(proven, attempt))
    return { verdict: 'refused' };
  if (!(await useUp(needs, { answer, proven, origin }, attempt))) return { verdict: 'refused' };
  const isTwofold = isUserVerified && policy.primary.passkey.satisfiesSecondary;
  const marks = isTwofold ? (['uv'] as const) : markOf(proven);
  return {
    verdict: 'passed',
    account,
    proof: { method: 'passkey', authenticatorId: proven.passkey.id, marks },
  };
}

/** Says of a passkey that it did not prove its owner. */
const markOf = ({ isUserVerified }: Pick<ProvenPasskey, 'isUserVerified'>) =>
  isUserVerified ? [] : ['user' as const];

/** The second proof by a passkey, as `LoginProgress.passed` says it. */
export function secondProof(
  proven: Pick<ProvenPasskey, 'isUserVerified'> & { readonly passkey: { readonly id: AuthenticatorId } },
): readonly PassedMethod[] {
  return [`passkey:${proven.passkey.id}`, ...markOf(proven)];
}

export interface PresentedPasskey {
  readonly answer: Assertion;
  readonly asked: AskedIn;
  readonly origin: RequestOrigin;
}

/** The proof by a passkey of the identity that is logging in; null: refused. Records what refuses. */
export async function verifySecondPasskey(
  needs: LoginServices,
  { answer, asked, origin, identityId }: PresentedPasskey & { identityId: IdentityId },
  attempt: AttemptRecorder,
): Promise<readonly PassedMethod[] | null> {
  const proven = await checkAnswer(
    needs,
    { answer, question: { ...asked, purpose: 'secondary', identityId } },
    attempt,
  );
  if (proven === null) return null;
  if (proven.account.identity.id !== identityId)
    return attempt.failed(
      'same identity',
      'passkey-other-identity',
      'the passkey belongs to another identity',
    );
  if (!isVerifiedEnough(proven, 'second', attempt) || !isOfAllowedModel(proven, attempt)) return null;
  return (await useUp(needs, { answer, proven, origin }, attempt)) ? secondProof(proven) : null;
}

/** Records what refuses. */
export function isVerifiedEnough(
  { account: { policy }, isUserVerified }: { account: Pick<Account, 'policy'>; isUserVerified: boolean },
  proof: 'first' | 'second',
  attempt: AttemptRecorder,
): boolean {
  if (!isUserVerified && userVerificationOf(policy, proof) === 'required') {
    const saw = `policy ${policy.name} requires user verification`;
    attempt.failed('user verified', 'passkey-unverified', saw);
    return false;
  }
  attempt.passed(
    'user verified',
    isUserVerified ? 'by PIN, finger or face' : 'no, and the policy does not require it',
  );
  return true;
}

/** Records what refuses. */
export function isOfAllowedModel(
  {
    passkey,
    account: { policy },
  }: { passkey: Pick<Passkey, 'aaguid' | 'isModelProven'>; account: Pick<Account, 'policy'> },
  attempt: AttemptRecorder,
): boolean {
  if (isAllowedModel(policy, passkey)) return true;
  const saw = `${passkey.aaguid}, ${passkey.isModelProven ? 'proven' : 'which its maker has not confirmed'}; policy ${policy.name} allows certain models`;
  attempt.failed('model', 'passkey-model', saw);
  return false;
}

const reasonOf: Readonly<Record<AnswerFault, RefusalReason>> = {
  malformed: 'passkey-unreadable',
  ceremony: 'passkey-question',
  origin: 'passkey-origin',
  site: 'passkey-site',
  absent: 'passkey-absent',
  key: 'passkey-key',
  signature: 'passkey-signature',
};

/** Records the fault of an answer. */
export function answerRefused(attempt: AttemptRecorder, fault: AnswerFault, saw?: string): null {
  return attempt.failed('answer', reasonOf[fault], saw);
}

/** Everything about an answer that says nothing of the account. Null, and recorded, when it does not count. */
async function checkAnswer(
  needs: LoginServices,
  { answer, question }: { answer: Assertion; question: Question },
  attempt: AttemptRecorder,
): Promise<ProvenPasskey | null> {
  const { site, purpose } = question;
  if (site === null) return answerRefused(attempt, 'site', 'no passkey works at this address');
  const clientData = clientDataOf(answer);
  if (clientData === undefined) return answerRefused(attempt, 'malformed', 'clientDataJSON');
  const isOf = openChallenge(needs, clientData);
  const found = isOf === undefined ? null : await needs.store.passkeys.findLogin(answer.id);
  // A first proof may have been asked of the name of its owner.
  const identityId =
    purpose === 'primary' && found !== null && isOf?.({ ...question, identityId: found.passkey.identityId })
      ? found.passkey.identityId
      : question.identityId;
  if (!isOf?.({ ...question, identityId }))
    return attempt.failed(
      'question',
      'passkey-question',
      'the challenge is too old, or of another login or step',
    );
  attempt.passed('question');
  if (found === null) return attempt.failed('passkey known', 'passkey-unknown');
  const { passkey, account } = found;
  attempt.about({ identityId: passkey.identityId });
  attempt.passed('passkey known', passkey.name);
  if (passkey.rpId !== site.rpId) return answerRefused(attempt, 'site', `it is for ${passkey.rpId}`);
  // A passkey that says itself whose it is has to say so, and the same as we know (WebAuthn level 3, section 7.2, step 6).
  const said = answer.response.userHandle ?? null;
  const isOwner = said === null ? identityId !== null : said === userHandle(passkey.identityId);
  if (!isOwner)
    return attempt.failed(
      'owner',
      'passkey-other-identity',
      said === null ? 'it names no owner' : 'it names another owner',
    );
  const checked = await checkAssertion(answer, passkey, site);
  if (typeof checked === 'string')
    return answerRefused(attempt, checked, `origin ${clientData.origin.slice(0, 200)}`);
  // Cannot change for one credential (WebAuthn level 3, section 6.1.3).
  if (checked.isBackupEligible !== passkey.isBackupEligible)
    return answerRefused(attempt, 'malformed', 'whether it can be backed up has changed');
  attempt.passed('answer', `signed by ${passkey.name}`);
  return { passkey: { ...passkey, ...pick(checked) }, account, isUserVerified: checked.isUserVerified };
}

const pick = ({ counter, isBackedUp }: Pick<Passkey, 'counter' | 'isBackedUp'>) => ({ counter, isBackedUp });

/** Uses up question and counter, last: what fails before may be tried again. */
async function useUp(
  needs: LoginServices,
  {
    answer,
    proven: { passkey },
    origin,
  }: { answer: Assertion; proven: ProvenPasskey; origin: RequestOrigin },
  attempt: AttemptRecorder,
): Promise<boolean> {
  const clientData = clientDataOf(answer);
  if (clientData === undefined || !(await useAnswer(needs, clientData))) {
    attempt.failed('first use', 'passkey-used-before', 'this answer was accepted before');
    return false;
  }
  const { id, identityId, counter, isBackedUp } = passkey;
  const outcome = await needs.store.passkeys.use({ id, counter, isBackedUp, now: needs.clock.now() });
  if (outcome === 'used') {
    attempt.passed('counter', counter === 0 ? 'it does not count' : String(counter));
    return true;
  }
  if (outcome === 'gone') {
    attempt.failed('passkey exists', 'changed-meanwhile', 'it was deleted meanwhile');
    return false;
  }
  needs.audit.record({ event: 'passkey.cloned', identityId, passkeyId: id }, origin);
  attempt.failed(
    'counter',
    'passkey-cloned',
    `it is ${counter}, and was as high before: another device has the key`,
  );
  return false;
}
