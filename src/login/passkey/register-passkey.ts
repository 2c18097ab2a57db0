// Registering a passkey: the question, and taking the answer. Who may be asked is decided by the callers.

import { AuthError } from '../../errors/auth-error.ts';
import { type Account, takesPasskeys, userVerificationOf } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import { type AuthenticatorId, asId } from '../../model/ids.ts';
import type { AskedIn } from '../../model/login.ts';
import type { AttemptRecorder, StepOrigin } from '../../model/login-attempt.ts';
import { mostPasskeys } from '../../model/passkey.ts';
import { type Attestation, checkAttestation, clientDataOf, keyAlgorithms } from '../../platform/webauthn.ts';
import type { NewPasskey } from '../../store/contracts/passkeys.ts';
import type { Store } from '../../store/contracts/store.ts';
import { clientProgramOf } from '../client-program.ts';
import { recordedAttempt } from '../recorded-attempt.ts';
import type { LoginServices } from '../services.ts';
import { isMadeUp } from './keys-of-name.ts';
import {
  type AskedAt,
  answerRefused,
  descriptorOf,
  isOfAllowedModel,
  isVerifiedEnough,
  passkeysAt,
  userHandle,
} from './passkey.ts';
import { challengeFor, isAnswerTo, type QuestionPurpose, questionLifetime, useAnswer } from './question.ts';

/** For `navigator.credentials.create`, as JSON (WebAuthn level 3, section 5.4). */
export type CreationOptions = Readonly<Awaited<ReturnType<typeof askForNewPasskey>>>;

/** For whom, where and for what a passkey is registered. */
export interface Registration {
  readonly account: Pick<Account, 'identity' | 'policy' | 'password'>;
  readonly asked: AskedIn;
  readonly purpose: Exclude<QuestionPurpose, 'primary' | 'secondary'>;
}

/**
 * Asks for a new passkey.
 * @throws AuthError conflict   the policy takes none, none works at this address, or the identity has as many as it may have
 */
export async function askForNewPasskey(needs: LoginServices, { account, asked, purpose }: Registration) {
  const { identity, policy, password } = account;
  requireUse(policy);
  const { rpId } = requireSite(asked).site;
  const theirs = await needs.store.passkeys.listOf([identity.id]);
  if (theirs.length >= mostPasskeys) throw tooMany();
  return {
    rp: { id: rpId, name: needs.totpIssuer },
    user: {
      id: userHandle(identity.id),
      name: password?.username ?? identity.name,
      displayName: identity.name,
    },
    challenge: challengeFor(needs, { ...asked, purpose, identityId: identity.id }),
    pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: questionLifetime,
    excludeCredentials: (await passkeysAt(needs, identity.id, asked)).map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'preferred',
      requireResidentKey: false,
      userVerification: userVerificationOf(policy, proofOf(policy)),
    },
    attestation: asksForModel(policy) ? 'direct' : 'none',
    extensions: { credProps: true },
  };
}

/** The factor that the new passkey will be used as. */
const proofOf = ({ primary }: Registration['account']['policy']) =>
  primary.passkey.allowed ? 'first' : 'second';

const asksForModel = ({ primary }: Registration['account']['policy']) =>
  primary.passkey.allowedAuthenticators.length > 0;

/** @throws AuthError conflict   no passkey works at this address */
export function requireSite(asked: AskedIn): AskedAt {
  const { site } = asked;
  if (site !== null) return { ...asked, site };
  throw new AuthError('conflict', {
    description: 'Passkeys need a host name, below edge.passkeys.rpId if that is set; this address has none',
  });
}

/** @throws AuthError conflict   a passkey that no login takes would only seem to protect the account */
function requireUse(policy: Account['policy']): void {
  if (takesPasskeys(policy)) return;
  throw new AuthError('conflict', {
    description: 'The auth policy of this account takes no passkeys; an administrator can change that',
  });
}

function tooMany(): AuthError {
  return new AuthError('conflict', {
    description: `An identity has at most ${mostPasskeys} passkeys; remove one first`,
  });
}

export interface AnsweredRegistration extends Registration {
  readonly answer: Attestation;
  /** As its owner calls it; undefined: after the browser and its system. */
  readonly name: string | undefined;
  readonly origin: RequestOrigin;
}

/** A registration that is possible here, with the name that the passkey gets. */
export interface PossibleRegistration extends AnsweredRegistration {
  readonly name: string;
  readonly asked: AskedAt;
}

/**
 * Asked before the answer is judged: a step of a login has neither passed nor failed yet, and leaves no record.
 * @throws AuthError conflict             the policy takes no passkeys, or none works at this address
 * @throws AuthError could_not_validate   the name
 */
export function possibleRegistration(answered: AnsweredRegistration): PossibleRegistration {
  const { account, asked, name, origin } = answered;
  requireUse(account.policy);
  return { ...answered, asked: requireSite(asked), name: passkeyName(name ?? programName(origin)) };
}

/**
 * The passkey of an answer, to be stored, and whether it proved its owner. The answer is used up. Records what refuses.
 * @throws AuthError invalid_passkey
 */
export async function newPasskey(
  needs: LoginServices,
  { account, asked, purpose, answer, name }: PossibleRegistration,
  attempt: AttemptRecorder,
): Promise<{ passkey: NewPasskey; isUserVerified: boolean }> {
  const { identity, policy } = account;
  const { site } = asked;
  attempt.about({ identityId: identity.id });
  const clientData = clientDataOf(answer);
  const question = { ...asked, purpose, identityId: identity.id };
  if (clientData === undefined || !isAnswerTo(needs, question, clientData)) {
    attempt.failed('question', 'passkey-question', 'the challenge is too old, or of another login or step');
    throw new AuthError('invalid_passkey');
  }
  attempt.passed('question');
  const makers = { roots: needs.authenticatorRoots, now: needs.clock.now() };
  const made = await checkAttestation(answer, site, asksForModel(policy) ? makers : null);
  if (typeof made === 'string') {
    answerRefused(attempt, made, `origin ${clientData.origin.slice(0, 200)}`);
    throw new AuthError('invalid_passkey');
  }
  const { isUserVerified, ...checked } = made;
  if (!isVerifiedEnough({ account, isUserVerified }, proofOf(policy), attempt))
    throw new AuthError('invalid_passkey', {
      description: 'The policy asks for a passkey with PIN, finger or face',
    });
  if (!isOfAllowedModel({ passkey: checked, account }, attempt))
    throw new AuthError('invalid_passkey', {
      description: 'The policy allows certain models of authenticators, and this one did not prove to be any',
    });
  if (!(await useAnswer(needs, clientData))) {
    attempt.failed('first use', 'passkey-used-before', 'this answer was accepted before');
    throw new AuthError('invalid_passkey');
  }
  if (isMadeUp(needs, checked.credentialId)) throw notAdded('taken', attempt);
  attempt.passed('answer', `a new passkey for ${site.rpId}`);
  const passkey = {
    ...checked,
    id: asId<AuthenticatorId>(needs.random.id()),
    identityId: identity.id,
    name,
    rpId: site.rpId,
    transports: answer.response.transports ?? [],
    isDiscoverable: isDiscoverable(answer),
  };
  return { passkey, isUserVerified };
}

/** As the browser says. If it does not: passkeys of devices and phones are discoverable, security keys may not be. */
function isDiscoverable({ clientExtensionResults, response: { transports = [] } }: Attestation): boolean {
  const said = clientExtensionResults?.credProps?.rk;
  return said ?? transports.some((transport) => transport === 'internal' || transport === 'hybrid');
}

/**
 * Takes the answer of a new passkey and stores it, with a decision record. Returns it as `newPasskey`.
 * @param store of `onBehalfOf` outside of a login
 * @throws AuthError as possibleRegistration
 * @throws AuthError invalid_passkey   the answer does not count, or it is registered already
 * @throws AuthError conflict          as many as there may be, or in a login not the first one
 */
export async function addPasskey(
  needs: LoginServices & { readonly store: LoginServices['store'] & Pick<Store, 'passkeys'> },
  answered: AnsweredRegistration,
  mechanism: StepOrigin['mechanism'],
): ReturnType<typeof newPasskey> {
  const registration = possibleRegistration(answered);
  const { origin, purpose } = registration;
  const added = await recordedAttempt(
    needs,
    { step: 'secondary-passkey', mechanism, origin },
    async (attempt) => {
      const made = await newPasskey(needs, registration, attempt);
      // A person who knows only the password must not be faster than a passkey that was added meanwhile.
      const when = { now: needs.clock.now(), mustBeFirst: purpose === 'register' };
      const outcome = await needs.store.passkeys.add(made.passkey, when);
      if (outcome !== 'added') throw notAdded(outcome, attempt);
      return made;
    },
  );
  const { id, identityId } = added.passkey;
  needs.audit.record({ event: 'passkey.added', identityId, passkeyId: id }, origin);
  return added;
}

/** The refusal of a passkey that was not stored; recorded. */
export function notAdded(outcome: 'too-many' | 'taken' | 'not-first', attempt: AttemptRecorder): AuthError {
  const saw = {
    taken: 'it is registered already',
    'too-many': `the identity has ${mostPasskeys} already`,
    'not-first': 'the identity has another one meanwhile',
  };
  attempt.failed('passkey added', 'passkey-not-added', saw[outcome]);
  if (outcome === 'too-many') return tooMany();
  return outcome === 'taken'
    ? new AuthError('invalid_passkey')
    : new AuthError('conflict', { description: 'Nothing asks for a new passkey in this login' });
}

function programName({ userAgent }: RequestOrigin): string {
  const { program, operatingSystem } = clientProgramOf(userAgent, undefined);
  return [program, operatingSystem].filter((part) => part !== null).join(', ') || 'Passkey';
}

const longestName = 100;

/** @throws AuthError could_not_validate */
export function passkeyName(name: string): string {
  const trimmed = name.trim();
  const isReadable =
    trimmed.length > 0 && trimmed.length <= longestName && !/[\p{C}\p{Zl}\p{Zp}]/u.test(trimmed);
  if (isReadable) return trimmed;
  const reason = `has 1 to ${longestName} characters, no invisible ones`;
  throw new AuthError('could_not_validate', { fields: [{ field: 'name', reason }] });
}
