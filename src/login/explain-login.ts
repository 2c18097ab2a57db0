// What a login would ask for and what would refuse it, without anybody logging in. It calls the rules of the login
// itself with what the identity has, and assumes that a fresh proof is valid.

import { type Account, mayPasskeyOpen } from '../model/account.ts';
import type { Ca } from '../model/entities/ca.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { Factor, PassedMethod, PrimaryMethod } from '../model/login.ts';
import type { AttemptCheck, AttemptRecorder } from '../model/login-attempt.ts';
import type { Passkey } from '../model/passkey.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import type { Millis } from '../platform/clock.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import { mayYield } from './certificate/ca-claim.ts';
import { isWithinValidity } from './certificate/certificate.ts';
import { findTrustedPath } from './certificate/trusted-path.ts';
import { maySignerLogIn } from './external-jwt/external-jwt.ts';
import { enabledSigner } from './external-jwt/signer-directory.ts';
import { heldRecord, notedRecord } from './noted-record.ts';
import { askedOfLogin, outstandingFactors } from './outstanding-factors.ts';
import { mayLogIn } from './primary-verdict.ts';
import type { LoginServices } from './services.ts';
import { provenFactors } from './standing.ts';

/** What somebody could log in with, apart from what others vouch for. */
export interface LoginMeans {
  readonly password: { readonly username: string; readonly lockedUntil: Millis | null } | null;
  /** PEM of each certificate. */
  readonly certificates: readonly string[];
  readonly passkeys: readonly Pick<Passkey, 'name' | 'isDiscoverable'>[];
  readonly totpLockedUntil: Millis | null;
}

export interface LoginExplanation {
  readonly method: PrimaryMethod;
  readonly outcome: 'allowed' | 'refused';
  /** From the first check that failed; null when allowed. */
  readonly reason: RefusalReason | null;
  readonly checks: readonly AttemptCheck[];
  /** What is asked for after the method, whether or not the identity can provide it. */
  readonly asks: readonly Factor['type'][];
}

/** @param account with the policy to judge by, which need not be the stored one */
export function explainLogin(
  needs: LoginServices,
  account: Account,
  { means, method }: { readonly means: LoginMeans; readonly method: PrimaryMethod },
): LoginExplanation {
  const noted = notedRecord();
  const who: Judged = { ...needs, account, means, now: needs.clock.now() };
  if (mayLogIn(account, { method, now: who.now }, noted)) judgeMethod[method](who, noted);
  const isTwofold = method === 'passkey' && account.policy.primary.passkey.satisfiesSecondary;
  const passed: readonly PassedMethod[] = isTwofold ? [method, 'uv'] : [method];
  const proven = provenFactors(needs, { passed, signerId: null });
  const factors = outstandingFactors(account.policy, askedOfLogin(account, who.now), proven);
  for (const factor of factors) judgeFactor(who, factor, noted);
  const { reason, checks } = noted;
  const outcome = reason === null ? 'allowed' : 'refused';
  return { method, outcome, reason, checks, asks: factors.map(({ type }) => type) };
}

interface Judged extends LoginServices {
  readonly account: Account;
  readonly means: LoginMeans;
  readonly now: Millis;
}

const judgeMethod: Readonly<Record<PrimaryMethod, (who: Judged, attempt: AttemptRecorder) => void>> = {
  password({ account, means: { password }, now }, attempt) {
    if (password === null) {
      const add = `overlay-auth create authenticator updb ${account.identity.id} USERNAME`;
      attempt.failed('user name known', 'unknown-user', `it has no password: ${add}`);
      return;
    }
    attempt.passed('user name known', password.username);
    judgeLock('authenticator unlocked', { lockedUntil: password.lockedUntil, now }, attempt);
  },

  cert(who, attempt) {
    const { account, means, authorities } = who;
    const rules = authorities.anchors().map((anchor) => authorities.caOf(anchor));
    anyOf(
      [
        ...means.certificates.map((pem) => (record: AttemptRecorder) => judgeCertificate(who, pem, record)),
        ...rules
          .filter((ca) => ca !== undefined && ca.externalIdClaim !== null)
          .map((ca) => (record: AttemptRecorder) => judgeClaimRule(account.identity, ca as Ca, record)),
      ],
      attempt,
      () => {
        const add = `overlay-auth create enrollment ott ${account.identity.id} -o FILE`;
        attempt.failed('certificate known', 'unknown-thumbprint', `it has none: ${add}`);
      },
    );
  },

  passkey: judgePasskeys,

  'ext-jwt'(who, attempt) {
    const { account, signers } = who;
    anyOf(
      signers
        .all()
        .map(
          (signer) => (record: AttemptRecorder) =>
            maySignerLogIn({ signers }, { account, signer }, record) &&
            judgeClaim(account.identity, signer, record),
        ),
      attempt,
      () => attempt.failed('issuer', 'no-signer-for-issuer', 'there is no external JWT signer'),
    );
  },
};

function judgePasskeys({ account: { identity, policy }, means }: Judged, attempt: AttemptRecorder): void {
  if (!mayPasskeyOpen(policy)) {
    const saw = `policy ${policy.name} asks for a passkey as the second proof`;
    attempt.failed('passkey independent', 'passkey-not-independent', saw);
    return;
  }
  const own = means.passkeys.filter(({ isDiscoverable }) => isDiscoverable);
  if (own.length === 0) {
    const saw = `it has none that says whose it is: ${identity.name} adds one on the account page`;
    attempt.failed('passkey known', 'passkey-unknown', saw);
    return;
  }
  attempt.passed('passkey known', own.map(({ name }) => name).join(', '));
}

function judgeCertificate(who: Judged, pem: string, attempt: AttemptRecorder): boolean {
  const path = findTrustedPath(who, [parseCertificate(pem).raw], { attempt, allowExpired: true });
  return path !== null && isWithinValidity(who.account.policy, path.leaf, attempt);
}

/** Whether the rule of an authority can find the external id of an identity in a certificate. */
function judgeClaimRule({ id, externalId }: Identity, ca: Ca, attempt: AttemptRecorder): boolean {
  if (ca.externalIdClaim === null) return false;
  if (externalId === null) {
    const add = `overlay-auth update identity ${id} --external-id ID`;
    attempt.failed('external id', 'no-identity-for-claim', `rule of ${ca.name}: it has none: ${add}`);
    return false;
  }
  if (!mayYield(ca.externalIdClaim, externalId)) {
    const saw = `rule of ${ca.name}: no certificate gives "${externalId}"`;
    attempt.failed('external id', 'no-identity-for-claim', saw);
    return false;
  }
  attempt.passed('external id', `rule of ${ca.name}: "${externalId}"`);
  return true;
}

/** Whether a token of the signer can name an identity. */
function judgeClaim(
  { id, externalId }: Identity,
  signer: ExternalJwtSigner,
  attempt: AttemptRecorder,
): boolean {
  const claim = signer.useExternalId ? externalId : id;
  if (claim === null) {
    const add = `overlay-auth update identity ${id} --external-id ID`;
    const saw = `signer ${signer.name} names external ids, and it has none: ${add}`;
    attempt.failed('identity', 'no-identity-for-claim', saw);
    return false;
  }
  attempt.passed('identity', `signer ${signer.name} with ${signer.claimsProperty} = ${claim}`);
  return true;
}

function judgeFactor(who: Judged, factor: Factor, attempt: AttemptRecorder): void {
  const { account, means, signers, now } = who;
  if (factor.type === 'totp') {
    attempt.passed('authenticator app', factor.isEnrolled ? 'is set up' : 'none yet: the login sets it up');
    if (factor.isEnrolled)
      judgeLock('authenticator app unlocked', { lockedUntil: means.totpLockedUntil, now }, attempt);
    return;
  }
  if (factor.type === 'passkey') {
    attempt.passed('passkey', factor.isEnrolled ? 'it has one' : 'none yet: the login adds it');
    return;
  }
  if (factor.type === 'password-change') {
    attempt.passed('password', 'has to be replaced by a new one during the login');
    return;
  }
  const signer = enabledSigner(signers, factor.signerId);
  if (signer === undefined) {
    const name = signers.find(factor.signerId)?.name ?? factor.signerId;
    attempt.failed(
      'second proof',
      'signer-disabled',
      `signer ${name}, which the policy requires, is not enabled`,
    );
  } else judgeClaim(account.identity, signer, attempt);
}

function judgeLock(
  check: string,
  { lockedUntil, now }: { readonly lockedUntil: Millis | null; readonly now: Millis },
  attempt: AttemptRecorder,
): void {
  if (lockedUntil === null || lockedUntil <= now) attempt.passed(check);
  else attempt.failed(check, 'locked', `until ${new Date(lockedUntil).toISOString()}`);
}

/** One valid proof is enough: the problems of the others are reported only if there is none. */
function anyOf(
  proofs: readonly ((record: AttemptRecorder) => boolean)[],
  attempt: AttemptRecorder,
  whenNone: () => void,
): void {
  if (proofs.length === 0) whenNone();
  const judged = proofs.map((judge) => {
    const record = heldRecord();
    return { isGood: judge(record), record };
  });
  const good = judged.filter(({ isGood }) => isGood);
  for (const { record } of good.length > 0 ? good : judged) record.handTo(attempt);
}
