import {
  acceptableEmail,
  acceptableExternalId,
  acceptableRoleAttributes,
  trimmedName,
} from '../admin/acceptable-values.ts';
import { AuthError } from '../errors/auth-error.ts';
import { selectClaim } from '../login/external-jwt/claims-selector.ts';
import type { ValidExternalJwt } from '../login/external-jwt/external-jwt-verdict.ts';
import { voucherOf } from '../login/primary-verdict.ts';
import type { LoginServices, Newcomers, PlannedIdentity } from '../login/services.ts';
import { signerObjection } from '../login/standing.ts';
import { allowsMethod } from '../model/account.ts';
import { type AssignedPolicy, assignedPolicy } from '../model/assigned-policy.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import { asSent, type Identity } from '../model/entities/identity.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { Voucher } from '../model/login.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import { typedName } from '../model/names.ts';
import { HOUR } from '../platform/clock.ts';
import { quoted } from '../platform/formats/quoted.ts';
import type { AttemptLimit } from '../store/contracts/attempts.ts';
import type { NewCertificateAuthenticator } from '../store/contracts/authenticators.ts';
import type { NewIdentity } from '../store/contracts/identities.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { byRule, type EnrollmentServices, refusal } from './enroll-attempt.ts';

/**
 * An external id from a client. It must follow the same rules as one that an administrator sets.
 * @throws AuthError could_not_validate
 */
export function requireExternalId(externalId: string, attempt: AttemptRecorder): string {
  const why = { check: 'external id', reason: 'enrollment-external-id-refused' } as const;
  byRule(attempt, why, () => acceptableExternalId(externalId));
  return externalId;
}

/**
 * Creates the identity of a person who enrolls without a token.
 * @throws AuthError already_enrolled         the certificate or external id belongs to an identity
 * @throws AuthError enrollment_not_allowed   the name is taken, or passes for one that is
 * @throws AuthError invalid_auth             the signer or authority was changed meanwhile
 * @throws AuthError rate_limited             the limit was reached before
 */
export async function enrollNewIdentity(
  needs: EnrollmentServices,
  {
    identity,
    ...more
  }: {
    identity: NewIdentity;
    voucher: Voucher;
    certificate: NewCertificateAuthenticator | null;
    limit?: AttemptLimit;
  },
  attempt: AttemptRecorder,
): Promise<void> {
  try {
    const outcome = await needs.store.enrollments.enroll(identity, more, needs.clock.now());
    if (outcome === 'changed')
      throw refusal(attempt, { check: 'unchanged', reason: 'changed-meanwhile', code: 'invalid_auth' });
    if (outcome === 'full')
      throw refusal(attempt, { check: 'new identity', reason: 'too-many-newcomers', code: 'rate_limited' });
  } catch (error) {
    if (!(error instanceof AlreadyTaken)) throw error;
    if (error.field === 'name') {
      const saw = `${identity.name} ${error.passesFor === null ? 'is taken' : `passes for ${error.passesFor}`}`;
      const why = { check: 'name', reason: 'enrollment-name-refused', saw } as const;
      const description = `The name ${JSON.stringify(identity.name)} is already taken; ask the operator`;
      throw refusal(attempt, { ...why, code: 'enrollment_not_allowed', description });
    }
    const why = { check: 'not enrolled yet', reason: 'already-enrolled', saw: error.message } as const;
    throw refusal(attempt, { ...why, code: 'already_enrolled' });
  }
  attempt.about({ subject: identity.name });
  attempt.passed('identity created', identity.name);
}

/**
 * The role attributes of a person, from the value of a claim: of its texts those that the signer lets people have.
 * @throws AuthError could_not_validate
 */
export function roleAttributesSaidBy(
  { createIdentities }: ValidExternalJwt['signer'],
  value: unknown,
): Identity['roleAttributes'] {
  const allowed = createIdentities?.allowedRoleAttributes;
  const texts = [value].flat().filter((each) => typeof each === 'string');
  const kept = texts.filter((each) => allowed?.includes(typedName(each)) ?? true);
  return acceptableRoleAttributes(kept, 'roleAttributes');
}

/**
 * The email address of a person, from a claim of their token. A value that is no address, or that the provider does not
 * vouch for, is left out: a login does not need one.
 * @param selector null: there is no such claim
 */
export function emailSaidBy(
  { signer, claims }: Pick<ValidExternalJwt, 'signer' | 'claims'>,
  selector: string | null,
): Pick<Identity, 'email' | 'emailVerified'> {
  const none = { email: null, emailVerified: false };
  const { value, isVouchedFor, emailVerified } = selectClaim(claims, selector ?? '', signer);
  if (typeof value !== 'string' || !isVouchedFor) return none;
  try {
    const email = acceptableEmail(value);
    return { email, emailVerified: email !== null && String(emailVerified) === 'true' };
  } catch (error) {
    if (error instanceof AuthError) return none;
    throw error;
  }
}

// People whom a signer names for the first time, at a login. If the signer says so, an identity is made for them, once:
// it is never an administrator, even if the token says so.

type Needs = Pick<LoginServices, 'store' | 'clock' | 'random' | 'audit' | 'signers'> & {
  /** Of one signer, without an hour's pause: a provider at which anybody can sign up must not fill the database. */
  readonly mostOfSigner: () => number;
};

export function newcomers(needs: Needs): Newcomers {
  return {
    limitOf: (signer) => limitOf(needs, signer),
    plan: async (jwt, attempt) => (await planned(needs, jwt, attempt))?.identity ?? null,
    async admit(jwt, attempt, origin) {
      const { signer, claim } = jwt;
      const plan = await planned(needs, jwt, attempt);
      if (plan === null) return null;
      const id = asId<IdentityId>(needs.random.id());
      const { name } = plan.identity;
      try {
        const none = { type: 'User', isAdmin: false, permissions: [] } as const;
        const identity = { ...asSent(plan.identity), ...none, id };
        const limit = limitOf(needs, signer);
        const more = { voucher: voucherOf('signer', signer), limit };
        const outcome = await needs.store.enrollments.enroll(identity, more, needs.clock.now());
        if (outcome === 'changed')
          return attempt.failed(
            'unchanged',
            'changed-meanwhile',
            `signer ${signer.name} was changed during the login`,
          );
        if (outcome === 'full')
          return attempt.failed(
            'new identity',
            'too-many-newcomers',
            `${limit.max} of signer ${signer.name}`,
          );
        const change = { action: 'create', entity: 'identity', entityId: id } as const;
        const fields = Object.keys(asSent(plan.identity));
        const by = { byIdentityId: null, bySigner: signer.name };
        needs.audit.record({ event: 'admin.changed', ...change, ...by, fields }, origin);
        attempt.passed('new identity', `${name} was created, as signer ${signer.name} says`);
      } catch (error) {
        if (!(error instanceof AlreadyTaken)) throw error;
        // Of two first logins at once, the other one was faster.
        const account = await needs.store.identities.findAccountByExternalId(claim);
        if (account !== null) return account;
        const holder = error.passesFor === null ? 'is taken' : `passes for ${error.passesFor}`;
        refuse(attempt, `the name ${quoted(name)} ${holder}`);
        return null;
      }
      return needs.store.identities.findAccountByExternalId(claim);
    },
  };
}

function refuse(attempt: AttemptRecorder, saw: string): void {
  attempt.failed('new identity', 'newcomer-refused', saw);
}

/** Null, which is recorded: the claims make none, or its policy would not let it log in so. */
async function planned(
  needs: Needs,
  jwt: ValidExternalJwt,
  attempt: AttemptRecorder,
): Promise<{ readonly identity: PlannedIdentity } | null> {
  const { createIdentities } = jwt.signer;
  if (createIdentities === null) return null;
  try {
    const said = { ...saidBy(jwt), externalId: acceptableExternalId(jwt.claim) };
    const { authPolicies } = needs.store;
    const assigned = assignedPolicy(
      await authPolicies.listAssigning(),
      said.roleAttributes,
      createIdentities.authPolicyId,
    );
    const policy = await authPolicies.find(assigned.authPolicyId);
    if (policy === null) {
      refuse(attempt, 'the auth policy of createIdentities is gone');
      return null;
    }
    const allows = allowsMethod(policy, 'ext-jwt') && signerObjection(needs, policy, jwt.signer.id) === null;
    if (!allows) {
      refuse(
        attempt,
        `policy ${policy.name} would not let them log in with a token of signer ${jwt.signer.name}`,
      );
      return null;
    }
    return { identity: { ...said, ...assigned } };
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    refuse(attempt, error.description);
    return null;
  }
}

/** @throws AuthError could_not_validate   the name, or the role attributes */
function saidBy({
  signer,
  claims,
}: ValidExternalJwt): Omit<PlannedIdentity, 'externalId' | keyof AssignedPolicy> {
  const { name, email, roleAttributes } = signer.createIdentities ?? { name: '' };
  const found = (selector: string | null | undefined) =>
    selector
      ? selectClaim(claims, selector, signer)
      : { value: undefined, isVouchedFor: false, emailVerified: undefined };
  const named = found(name);
  if (typeof named.value !== 'string' || !named.isVouchedFor) {
    const unverified =
      named.value === undefined ? '' : `, and email_verified is ${quoted(named.emailVerified)}`;
    throw refusedClaim(`its claim ${name} is ${quoted(named.value)}${unverified}`);
  }
  return {
    name: trimmedName('name', named.value),
    ...emailSaidBy({ signer, claims }, email ?? null),
    roleAttributes: roleAttributesSaidBy(signer, found(roleAttributes).value),
  };
}

function refusedClaim(description: string): AuthError {
  return new AuthError('could_not_validate', { description });
}

/** People who cannot be admitted do not count: one of them could keep all others out. */
function limitOf({ mostOfSigner }: Needs, signer: ExternalJwtSigner): AttemptLimit {
  const max = mostOfSigner();
  return {
    // With the limit, so that a raised one applies at once.
    key: `newcomers:${signer.id}:${max}`,
    max,
    lockFor: HOUR,
    longestLock: HOUR,
    forgetAfter: HOUR,
  };
}
