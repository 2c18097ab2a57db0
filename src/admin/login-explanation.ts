// Explains logins to administrators: what one identity must prove and what would refuse it, and what a policy would
// change for everybody who has it. login/explain-login.ts judges as a login does.

import { setImmediate } from 'node:timers/promises';
import { AuthError, existing } from '../errors/auth-error.ts';
import { findTrustedPath } from '../login/certificate/trusted-path.ts';
import { explainLogin, type LoginExplanation, type LoginMeans } from '../login/explain-login.ts';
import type { RefusedExternalJwt } from '../login/external-jwt/external-jwt-verdict.ts';
import { keysProblem } from '../login/external-jwt/signer-keys.ts';
import { askedOfLogin, outstandingFactors } from '../login/outstanding-factors.ts';
import type { LoginServices } from '../login/services.ts';
import { provenFactors } from '../login/standing.ts';
import { lockedUntil, totpLimit } from '../login/throttle.ts';
import type { Account } from '../model/account.ts';
import { isLockedForGood } from '../model/administrator.ts';
import { assignedPolicy } from '../model/assigned-policy.ts';
import type { AuthPolicy, AuthPolicyRules, authPolicyEntity } from '../model/entities/auth-policy.ts';
import type { New } from '../model/entities/entity.ts';
import { asSent, type Identity } from '../model/entities/identity.ts';
import { type AuthPolicyId, asId, type IdentityId, type SignerId } from '../model/ids.ts';
import type { ListReader } from '../model/list-query.ts';
import { type Factor, type PrimaryMethod, primaryMethods } from '../model/login.ts';
import { notedRecord } from '../model/noted-record.ts';
import type { Millis } from '../platform/clock.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import type { LockableAuthenticator } from '../store/contracts/authenticators.ts';
import { NotAsSeen } from '../store/contracts/gathered.ts';
import type { IdentityPatch } from '../store/contracts/identities.ts';
import { refusedField, takenRefused } from './acceptable-values.ts';
import { type AdminCall, objectionTo, withoutAdministrator } from './admin-call.ts';
import { authPolicies, rulesSent } from './auth-policies.ts';
import { largestLimit } from './list-parameters.ts';
import type { AdminServices } from './services.ts';

/** A policy as it would be saved; `id` when there is one already. */
export type SentPolicyOfId = New<typeof authPolicyEntity> & { readonly id?: string | undefined };

/**
 * The factors that a login of an identity would need, and the reason for a refusal, for each method.
 * @param asked with a policy: by its rules, as if the identity had it
 * @throws AuthError not_found            no such identity, or no policy with the id
 * @throws AuthError could_not_validate   as when saving the policy
 */
export async function explainLoginsOf(
  needs: AdminServices,
  id: string,
  { methods, policy }: { methods: readonly PrimaryMethod[]; policy?: SentPolicyOfId | undefined },
): Promise<readonly LoginExplanation[]> {
  const found = existing(await needs.store.identities.findAccount(asId(id)));
  const rules = policy === undefined ? {} : (await sentRules(needs, policy)).rules;
  const account = { ...found, policy: { ...found.policy, ...rules } };
  const identityId = account.identity.id;
  const authenticators = await needs.store.authenticators.listOf([identityId]);
  const totpLockedUntil = await lockedUntil(needs, totpLimit(identityId));
  const passkeys = await needs.store.passkeys.listOf([identityId]);
  const { password, certificates } = meansOf(authenticators);
  const means = { password, certificates, passkeys, totpLockedUntil };
  if (methods.includes('cert')) await learnStatuses(needs, certificates);
  const explain = (means: LoginMeans) =>
    methods.map((method) => explainLogin(needs, account, { means, method }));
  const explanations = explain(means);
  const keyProblems = await keyProblemsOf(needs, explanations);
  return keyProblems.size === 0 ? explanations : explain({ ...means, keyProblems });
}

/** Fetches the keys of the signers that would be asked, as a login does, so that the explanation need not guess. */
async function keyProblemsOf(
  needs: AdminServices,
  explanations: readonly LoginExplanation[],
): Promise<ReadonlyMap<SignerId, RefusedExternalJwt>> {
  const vouchers = explanations.flatMap(({ acceptedFrom }) => acceptedFrom);
  const named = new Set(vouchers.flatMap(({ type, name }) => (type === 'ext-jwt-signer' ? [name] : [])));
  const signers = needs.signers.all().filter(({ name }) => named.has(name));
  const problems = await Promise.all(
    signers.map(async (signer) => [signer.id, await keysProblem(needs, signer)] as const),
  );
  return new Map(problems.flatMap(([id, problem]) => (problem === null ? [] : [[id, problem]])));
}

/** Asks whether certificates were revoked, so that the explanation need not guess. */
async function learnStatuses(needs: AdminServices, certificates: readonly string[]): Promise<void> {
  const search = { attempt: notedRecord(), allowExpired: true };
  await Promise.all(certificates.map((pem) => findTrustedPath(needs, [parseCertificate(pem).raw], search)));
}

export type PolicyPreview = Readonly<Awaited<ReturnType<typeof impactOf>>>;

/** Names at most this many of those who would be locked out. */
const mostNamed = 10;
/** After this many identities, others get their turn. */
const pageSize = 100;

/**
 * The effect of saving this policy on the identities that have it, or that it would be assigned to, and why saving it
 * would be refused; null: it would not. Nothing is stored.
 * @param sent with the `id` of the policy if it exists
 * @throws AuthError not_found            no policy with the id
 * @throws AuthError could_not_validate   as when saving it; a reader who does not administer asks about more identities
 *                                       than lists have
 */
export async function previewAuthPolicy(
  needs: AdminServices,
  by: AdminCall,
  policy: SentPolicyOfId,
): Promise<PolicyPreview & { readonly objection: string | null }> {
  const { rules, current } = await sentRules(needs, policy);
  const id = current?.id ?? newPolicyId;
  const before = await needs.store.authPolicies.listAssigning();
  const others = before.filter((other) => other.id !== id);
  const after = rules.assignTo.length === 0 ? others : [...others, { ...rules, id }];
  const isAssigned = after.length > others.length || before.length > others.length;
  const pages = isAssigned ? everybody(needs, null) : current === null ? [] : everybody(needs, id);
  const find = policiesOf(needs);
  const impact = await impactOf(needs, pages, {
    id,
    reader: { identityId: by.actor.identityId, isAdmin: by.isAdmin },
    find: async (wanted, isAfter) => (isAfter && wanted === id ? rules : find(wanted)),
    after: ({ roleAttributes, ...identity }) =>
      assignedPolicy(after, roleAttributes, asSent(identity).authPolicyId).authPolicyId,
  });
  return { ...impact, objection: await objectionTo(rehearsal(needs, by, policy)) };
}

/**
 * Saves a policy in the store, which takes it back. Not for those who may only read: another name or assignment asks of
 * every identity which policy it gets, and no other change is made meanwhile.
 * @throws AuthError as when saving
 */
async function rehearsal(
  given: AdminServices,
  by: AdminCall,
  { id, ...fields }: SentPolicyOfId,
): Promise<void> {
  if (!by.isAdmin) throw new AuthError('forbidden');
  const now = given.clock.now();
  const { store, commit } = given.store.gather(by.actor, now);
  const needs = { ...given, store, audit: { record() {} } };
  await (id === undefined
    ? authPolicies.create(needs, by, fields)
    : authPolicies.replace(needs, by, { id, fields }));
  const step = commit({ now, seen: [], force: by.isForced, dryRun: true }).catch(withoutAdministrator);
  await takenRefused({ ...fields }, step).catch((error) => {
    if (!(error instanceof NotAsSeen)) throw error;
  });
}

/** Of a policy that is not there yet. */
const newPolicyId = asId<AuthPolicyId>('new');

/**
 * The effect of giving these identities other policies: one that is named, or one that is assigned to
 * their role attributes. Null: all keep theirs.
 * @param changed the change of an identity; its policy is null if none is named for it any more
 * @throws AuthError not_found   no such policy
 */
export async function previewPolicies(
  needs: AdminServices,
  identities: readonly Identity[],
  changed: (identity: Identity) => Pick<IdentityPatch, 'roleAttributes' | 'authPolicyId'>,
): Promise<PolicyPreview | null> {
  const assigning = await needs.store.authPolicies.listAssigning();
  const after = (identity: Identity) => {
    const { roleAttributes = identity.roleAttributes, authPolicyId = asSent(identity).authPolicyId } =
      changed(identity);
    return assignedPolicy(assigning, roleAttributes, authPolicyId).authPolicyId;
  };
  const moved = identities.filter((identity) => after(identity) !== identity.authPolicyId);
  if (moved.length === 0) return null;
  const find = policiesOf(needs);
  return impactOf(needs, [moved], { id: null, reader: null, find, after });
}

/** Each policy is read once. */
function policiesOf(needs: AdminServices) {
  const known = new Map<AuthPolicyId, AuthPolicy>();
  return async (id: AuthPolicyId): Promise<AuthPolicy> => {
    const policy = known.get(id) ?? existing(await needs.store.authPolicies.find(id));
    known.set(id, policy);
    return policy;
  };
}

interface Comparison {
  /** The policy that it is about; null: any that changes. */
  readonly id: AuthPolicyId | null;
  readonly reader: ListReader | null;
  /** The rules of a policy, before or after the change. */
  readonly find: (id: AuthPolicyId, isAfter: boolean) => Promise<AuthPolicyRules>;
  /** Which policy an identity has after the change. */
  readonly after: (identity: Identity) => AuthPolicyId;
}

async function impactOf(
  needs: AdminServices,
  pages: AsyncIterable<readonly Identity[]> | readonly (readonly Identity[])[],
  { id, reader, find, after }: Comparison,
) {
  let seen = 0;
  let [touched, joins, leaves, asksMore, count] = [0, 0, 0, 0, 0];
  const first: Pick<Identity, 'id' | 'name'>[] = [];
  for await (const page of pages) {
    seen += page.length;
    if (seen > largestLimit && reader?.isAdmin === false)
      throw refusedField(
        'id',
        `concerns more than ${largestLimit} identities: only administrators see what it changes`,
      );
    const theirs = page.filter((one) => id === null || one.authPolicyId === id || after(one) === id);
    touched += theirs.length;
    for (let at = 0; at < theirs.length; at += pageSize) {
      for (const { account, means } of await peopleOf(needs, theirs.slice(at, at + pageSize), find)) {
        const { identity } = account;
        const policyId = after(identity);
        if (policyId !== identity.authPolicyId) {
          if (identity.authPolicyId !== id) joins += 1;
          else leaves += 1;
        }
        const rules = await find(policyId, true);
        if (wouldAskMore(needs, account, rules)) asksMore += 1;
        const next = { ...account, policy: { ...account.policy, ...rules } };
        if (canLogIn(needs, next, means) || !canLogIn(needs, account, means)) continue;
        count += 1;
        if (first.length < mostNamed) first.push({ id: identity.id, name: identity.name });
      }
      await setImmediate();
    }
  }
  return {
    /** The number of identities that have the policy before or after. */
    touched,
    /** How many of them get it by the change, and how many lose it. */
    joins,
    leaves,
    /** How many of those touched would have to prove more than now. */
    asksMore,
    /** How many could log in with some method, and no longer can. */
    lockedOut: { count, first: first as readonly (typeof first)[number][] },
  };
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

/** @param policyId of those who have it; null: all */
async function* everybody(
  needs: AdminServices,
  policyId: AuthPolicyId | null,
): AsyncIterable<readonly Identity[]> {
  for (let after = ''; ; ) {
    const page = await needs.store.identities.listOfPolicy(policyId, after, largestLimit);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.id;
  }
}

async function peopleOf(
  needs: AdminServices,
  page: readonly Identity[],
  find: Comparison['find'],
): Promise<readonly Person[]> {
  const { authenticators, totp, passkeys } = needs.store;
  const now = needs.clock.now();
  const ids = page.map(({ id }) => id);
  const enrolled = await totp.enrolledAmong(ids);
  const theirs = Map.groupBy(await authenticators.listOf(ids), ({ identityId }) => identityId);
  const keys = Map.groupBy(await passkeys.listOf(ids), ({ identityId }) => identityId);
  const policies = new Map<AuthPolicyId, AuthPolicyRules>();
  for (const { authPolicyId: id } of page) policies.set(id, policies.get(id) ?? (await find(id, false)));
  return page.map((identity) => {
    const own = keys.get(identity.id) ?? [];
    const { password, certificates, setAt } = meansOf(theirs.get(identity.id) ?? []);
    // A lock that ends by itself says nothing about the policy.
    const lasting =
      password !== null && !isLockedForGood(password.lockedUntil, now)
        ? { ...password, lockedUntil: null }
        : password;
    return {
      account: {
        identity,
        // Sound because it was read above.
        policy: policies.get(identity.authPolicyId) as AuthPolicy,
        isTotpEnrolled: enrolled.has(identity.id as IdentityId),
        hasPasskey: own.length > 0,
        password: password && { username: password.username, setAt },
      },
      means: { password: lasting, certificates, passkeys: own, totpLockedUntil: null },
    };
  });
}

/** @returns `setAt`: when the password was set; 0: there is none */
function meansOf(
  authenticators: readonly LockableAuthenticator[],
): Pick<LoginMeans, 'password' | 'certificates'> & { readonly setAt: Millis } {
  const found = authenticators.find((one) => one.method === 'updb');
  return {
    password: found === undefined ? null : { username: found.username, lockedUntil: found.lockedUntil },
    setAt: found?.passwordSetAt ?? 0,
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
