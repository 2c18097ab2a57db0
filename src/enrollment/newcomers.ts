// People whom a signer names for the first time, at a login. If the signer says so, an identity is made for them, once:
// it is never an administrator, even if the token says so.

import { acceptableExternalId, trimmedName } from '../admin/acceptable-values.ts';
import { AuthError } from '../errors/auth-error.ts';
import { selectClaim } from '../login/external-jwt/claims-selector.ts';
import type { ValidExternalJwt } from '../login/external-jwt/external-jwt-verdict.ts';
import { voucherOf } from '../login/primary-verdict.ts';
import type { LoginServices, Newcomers, PlannedIdentity } from '../login/services.ts';
import { signerObjection } from '../login/standing.ts';
import { allowsMethod } from '../model/account.ts';
import { type AssignedPolicy, assignedPolicy } from '../model/assigned-policy.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import { asSent } from '../model/entities/identity.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import { HOUR } from '../platform/clock.ts';
import { quoted } from '../platform/formats/quoted.ts';
import type { AttemptLimit } from '../store/contracts/attempts.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { emailSaidBy, roleAttributesSaidBy } from './new-identity.ts';

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
