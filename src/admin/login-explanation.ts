// Explains logins to administrators: what one identity must prove and what would refuse it, and what a policy would
// change for everybody who has it. login/explain-login.ts judges as a login does.

import { setImmediate } from 'node:timers/promises';
import { existing } from '../errors/auth-error.ts';
import { explainLogin, type LoginExplanation, type LoginMeans } from '../login/explain-login.ts';
import { askedOfLogin, outstandingFactors } from '../login/outstanding-factors.ts';
import type { LoginServices } from '../login/services.ts';
import { provenFactors } from '../login/standing.ts';
import { totpKey } from '../login/throttle.ts';
import type { Account } from '../model/account.ts';
import { isLockedForGood } from '../model/administrator.ts';
import type { AuthPolicy, AuthPolicyRules, authPolicyEntity } from '../model/entities/auth-policy.ts';
import type { New } from '../model/entities/entity.ts';
import type { Identity } from '../model/entities/identity.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { ListReader } from '../model/list-query.ts';
import { type Factor, type PrimaryMethod, primaryMethods } from '../model/login.ts';
import type { LockableAuthenticator } from '../store/contracts/authenticators.ts';
import { refusedField } from './acceptable-values.ts';
import { rulesSent } from './auth-policies.ts';
import { largestLimit } from './list-parameters.ts';
import type { AdminServices } from './services.ts';

/** A policy as it would be saved; `id` when there is one already. */
export type SentPolicyOfId = New<typeof authPolicyEntity> & { readonly id?: string | undefined };

/**
 * What a login of an identity would ask for and what would refuse it, for each method.
 * @param asked with a policy: by its rules, as if the identity had it
 * @throws AuthError not_found            no such identity, or no policy with the id
 * @throws AuthError could_not_validate   as when saving the policy
 */
export async function explainLoginsOf(
  needs: AdminServices,
  id: string,
  {
    methods,
    policy,
  }: { readonly methods: readonly PrimaryMethod[]; readonly policy?: SentPolicyOfId | undefined },
): Promise<readonly LoginExplanation[]> {
  const found = existing(await needs.store.identities.findAccount(asId(id)));
  const rules = policy === undefined ? {} : (await sentRules(needs, policy)).rules;
  const account = { ...found, policy: { ...found.policy, ...rules } };
  const identityId = account.identity.id;
  const authenticators = await needs.store.authenticators.listOf([identityId]);
  const totpLockedUntil = await needs.store.attempts.lockedUntil(totpKey(identityId), needs.clock.now());
  const passkeys = await needs.store.passkeys.listOf([identityId]);
  const means = { ...meansOf(authenticators), passkeys, totpLockedUntil };
  return methods.map((method) => explainLogin(needs, account, { means, method }));
}

export interface PolicyPreview {
  /** The number of identities with the policy. */
  readonly touched: number;
  /** How many of them would have to prove more than now. */
  readonly asksMore: number;
  readonly lockedOut: {
    /** How many could log in with some method, and no longer can. */
    readonly count: number;
    readonly first: readonly Pick<Identity, 'id' | 'name'>[];
  };
}

/** Names at most this many of those who would be locked out. */
const mostNamed = 10;
/** After this many identities, others get their turn. */
const pageSize = 100;

/**
 * What saving this policy would change for the identities that have it. Nothing is stored.
 * @param sent with the `id` of the policy if it exists; a new one has no identities yet
 * @throws AuthError not_found            no policy with the id
 * @throws AuthError could_not_validate   as when saving it; a reader who does not administer asks about more identities
 *                                       than lists have
 */
export async function previewAuthPolicy(
  needs: AdminServices,
  policy: SentPolicyOfId,
  reader: ListReader,
): Promise<PolicyPreview> {
  const { rules, current } = await sentRules(needs, policy);
  const pages = current === null ? [] : pagesOf(needs, current);
  return impactOf(needs, pages, { rules, reader });
}

/** What giving these identities another policy would change for them. @throws AuthError not_found   no such policy */
export async function previewPolicies(
  needs: AdminServices,
  identities: readonly Identity[],
  policyId: string,
): Promise<PolicyPreview> {
  const rules = existing(await needs.store.authPolicies.find(asId(policyId)));
  const current = new Map<string, AuthPolicy>();
  for (const { authPolicyId } of identities)
    if (!current.has(authPolicyId))
      current.set(authPolicyId, existing(await needs.store.authPolicies.find(authPolicyId)));
  async function* pages() {
    for (let at = 0; at < identities.length; at += pageSize) {
      const page = identities.slice(at, at + pageSize);
      // Sound because each policy was read above.
      yield peopleOf(needs, page, ({ authPolicyId }) => current.get(authPolicyId) as AuthPolicy);
      await setImmediate();
    }
  }
  return impactOf(needs, pages(), { rules });
}

async function impactOf(
  needs: AdminServices,
  pages: AsyncIterable<readonly Person[]> | readonly never[],
  { rules, reader = null }: { readonly rules: AuthPolicyRules; readonly reader?: ListReader | null },
): Promise<PolicyPreview> {
  let touched = 0;
  let asksMore = 0;
  let count = 0;
  const first: Pick<Identity, 'id' | 'name'>[] = [];
  for await (const page of pages) {
    for (const { account, means } of page) {
      touched += 1;
      if (touched > largestLimit && reader?.isAdmin === false)
        throw refusedField(
          'id',
          `names a policy of more than ${largestLimit} identities: only administrators see what it changes`,
        );
      if (wouldAskMore(needs, account, rules)) asksMore += 1;
      const after = { ...account, policy: { ...account.policy, ...rules } };
      if (canLogIn(needs, after, means) || !canLogIn(needs, account, means)) continue;
      count += 1;
      const { identity } = account;
      if (first.length < mostNamed) first.push({ id: identity.id, name: identity.name });
    }
  }
  return { touched, asksMore, lockedOut: { count, first } };
}

async function sentRules(
  needs: AdminServices,
  { id, ...sent }: SentPolicyOfId,
): Promise<{ readonly rules: AuthPolicyRules; readonly current: AuthPolicy | null }> {
  const current = id === undefined ? null : existing(await needs.store.authPolicies.find(asId(id)));
  return { rules: await rulesSent(needs, sent, current), current };
}

interface Person {
  readonly account: Account;
  readonly means: LoginMeans;
}

async function* pagesOf(needs: AdminServices, policy: AuthPolicy): AsyncIterable<readonly Person[]> {
  for (let after = ''; ; ) {
    const page = await needs.store.identities.listOfPolicy(policy.id, after, pageSize);
    const last = page.at(-1);
    if (last === undefined) return;
    yield peopleOf(needs, page, () => policy);
    after = last.id;
    await setImmediate();
  }
}

async function peopleOf(
  needs: AdminServices,
  page: readonly Identity[],
  policyOf: (identity: Identity) => AuthPolicy,
): Promise<readonly Person[]> {
  const { authenticators, totp, passkeys } = needs.store;
  const now = needs.clock.now();
  const ids = page.map(({ id }) => id);
  const enrolled = await totp.enrolledAmong(ids);
  const theirs = Map.groupBy(await authenticators.listOf(ids), ({ identityId }) => identityId);
  const keys = Map.groupBy(await passkeys.listOf(ids), ({ identityId }) => identityId);
  return page.map((identity) => {
    const own = keys.get(identity.id) ?? [];
    const { password, certificates } = meansOf(theirs.get(identity.id) ?? []);
    // A lock that ends by itself says nothing about the policy.
    const lasting =
      password !== null && isLockedForGood(password.lockedUntil, now) ? password : withoutLock(password);
    return {
      account: {
        identity,
        policy: policyOf(identity),
        isTotpEnrolled: enrolled.has(identity.id as IdentityId),
        hasPasskey: own.length > 0,
        password: passwordIn(theirs.get(identity.id) ?? []),
      },
      means: { password: lasting, certificates, passkeys: own, totpLockedUntil: null },
    };
  });
}

function passwordIn(authenticators: readonly LockableAuthenticator[]): Account['password'] {
  const password = authenticators.find(({ method }) => method === 'updb');
  return password?.method === 'updb' ? { username: password.username, setAt: password.passwordSetAt } : null;
}

function withoutLock(password: LoginMeans['password']): LoginMeans['password'] {
  return password === null ? null : { ...password, lockedUntil: null };
}

function meansOf(
  authenticators: readonly LockableAuthenticator[],
): Pick<LoginMeans, 'password' | 'certificates'> {
  const password = authenticators.find(({ method }) => method === 'updb');
  return {
    password:
      password?.method === 'updb' ? { username: password.username, lockedUntil: password.lockedUntil } : null,
    certificates: authenticators.flatMap((one) => (one.method === 'cert' ? [one.certPem] : [])),
  };
}

/** The cheap methods first: a certificate needs a path search. */
const cheapestFirst = primaryMethods.toSorted(
  (one, other) => Number(one === 'cert') - Number(other === 'cert'),
);

function canLogIn(needs: AdminServices, account: Account, means: LoginMeans): boolean {
  return cheapestFirst.some(
    (method) => explainLogin(needs, account, { means, method }).outcome === 'allowed',
  );
}

function wouldAskMore(needs: LoginServices, account: Account, rules: AuthPolicyRules): boolean {
  const passed = account.password === null ? [] : (['password'] as const);
  const proven = provenFactors(needs, { passed, signerId: null });
  const now = needs.clock.now();
  const asked = (policy: AuthPolicy) =>
    outstandingFactors(policy, askedOfLogin({ ...account, policy }, now), proven).map(nameOf);
  const already = asked(account.policy);
  return asked({ ...account.policy, ...rules }).some((factor) => !already.includes(factor));
}

function nameOf(factor: Factor): string {
  return factor.type === 'ext-jwt' ? factor.signerId : factor.type;
}
