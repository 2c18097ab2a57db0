// What a login would ask for and what would refuse it, without anybody logging in. It calls the rules of the login
// itself with what the identity has, and assumes that a fresh proof is valid.

import { type Account, mayPasskeyOpen } from '../model/account.ts';
import type { Ca } from '../model/entities/ca.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { Factor, PassedMethod, PrimaryMethod } from '../model/login.ts';
import type { AttemptCheck, AttemptRecorder } from '../model/login-attempt.ts';
import type { Passkey } from '../model/passkey.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import type { Millis } from '../platform/clock.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import { mayYield } from './certificate/ca-claim.ts';
import { isWithinValidity } from './certificate/certificate.ts';
import { foreseePath } from './certificate/trusted-path.ts';
import { maySignerLogIn } from './external-jwt/external-jwt.ts';
import { enabledSigner } from './external-jwt/signer-directory.ts';
import { heldRecord, notedRecord } from './noted-record.ts';
import { askedOfLogin, outstandingFactors } from './outstanding-factors.ts';
import { isOfAllowedModel } from './passkey/passkey.ts';
import { mayLogIn } from './primary-verdict.ts';
import type { LoginServices } from './services.ts';
import { provenFactors } from './standing.ts';

/** What somebody could log in with, apart from what others vouch for. */
export interface LoginMeans {
  readonly password: { readonly username: string; readonly lockedUntil: Millis | null } | null;
  /** PEM of each certificate. */
  readonly certificates: readonly string[];
  readonly passkeys: readonly Pick<Passkey, 'name' | 'aaguid' | 'isModelProven'>[];
  readonly totpLockedUntil: Millis | null;
}

/**
 * What a method is worth to an identity now. `ready`: it has what it takes, with every factor. `vouched`: it has nothing
 * here, but a certificate or token of another party that names it would be accepted.
 */
export const loginStandings = [
  'ready',
  'vouched',
  'not-set-up',
  'not-allowed',
  'expired',
  'locked',
  'refused',
] as const;
export type LoginStanding = (typeof loginStandings)[number];

/** A party whose certificates or tokens name an identity. */
export interface Voucher {
  readonly type: 'ca' | 'ext-jwt-signer';
  readonly name: string;
  /** The external id or id that they have to contain. */
  readonly naming: string;
}

/** What a refusal says of what the identity has. All others: it has it, and it does not work. */
const standingBy: Readonly<Partial<Record<RefusalReason, LoginStanding>>> = {
  'unknown-user': 'not-set-up',
  'unknown-thumbprint': 'not-set-up',
  'passkey-unknown': 'not-set-up',
  'passkey-not-independent': 'not-allowed',
  'no-signer-for-issuer': 'not-set-up',
  'no-identity-for-claim': 'not-set-up',
  'method-not-allowed': 'not-allowed',
  'signer-not-allowed': 'not-allowed',
  'certificate-expired': 'expired',
  locked: 'locked',
};

export interface LoginExplanation {
  readonly method: PrimaryMethod;
  readonly outcome: 'allowed' | 'refused';
  /** From the first check that failed; null when allowed. */
  readonly reason: RefusalReason | null;
  readonly standing: LoginStanding;
  /** Since when it has expired, or until when it is locked; null for other standings. */
  readonly until: Millis | null;
  /** Who vouches for the identity, by which name. Whether they would is not known here. */
  readonly acceptedFrom: readonly Voucher[];
  readonly checks: readonly AttemptCheck[];
  /** What is asked for after the method, whether or not the identity can provide it. */
  readonly asks: readonly Factor['type'][];
}

/** @param account with the policy to judge by, which need not be the stored one */
export function explainLogin(
  needs: LoginServices,
  account: Account,
  { means, method }: { means: LoginMeans; method: PrimaryMethod },
): LoginExplanation {
  const noted = notedRecord();
  const who: Judged = { ...needs, account, means, now: needs.clock.now(), vouchers: [], ends: [] };
  if (mayLogIn(account, { method, now: who.now }, noted)) judgeMethod[method](who, noted);
  const hasPrimary = noted.reason === null;
  const isTwofold = method === 'passkey' && account.policy.primary.passkey.satisfiesSecondary;
  const passed: readonly PassedMethod[] = isTwofold ? [method, 'uv'] : [method];
  const proven = provenFactors(needs, { passed, signerId: null });
  const factors = outstandingFactors(account.policy, askedOfLogin(account, who.now), proven);
  for (const factor of factors) judgeFactor(who, factor, noted);
  const { reason, checks } = noted;
  const outcome = reason === null ? 'allowed' : 'refused';
  const isHeldHere = method === 'password' || method === 'passkey';
  const isOwn = isHeldHere || (method === 'cert' && checks.some(isOfOwnCertificate));
  const standing = standingOf(reason, { isOwn, hasPrimary });
  const isOver = standing === 'locked' || standing === 'expired';
  const until = isOver && who.ends.length > 0 ? Math.max(...who.ends) : null;
  const acceptedFrom = standing === 'vouched' ? who.vouchers : [];
  const asks = factors.map(({ type }) => type);
  return { method, outcome, reason, standing, until, acceptedFrom, checks, asks };
}

/** A second factor that the policy requires and the identity cannot give is no matter of taste: it refuses. */
function standingOf(
  reason: RefusalReason | null,
  { isOwn, hasPrimary }: { isOwn: boolean; hasPrimary: boolean },
): LoginStanding {
  if (reason === null) return isOwn ? 'ready' : 'vouched';
  if (hasPrimary && reason !== 'locked') return 'refused';
  return standingBy[reason] ?? 'refused';
}

interface Judged extends LoginServices {
  readonly account: Account;
  readonly means: LoginMeans;
  readonly now: Millis;
  readonly vouchers: Voucher[];
  /** Of locks and certificates. */
  readonly ends: Millis[];
}

/** A valid certificate of its own; otherwise what the rule of an authority finds is recorded. */
function isOfOwnCertificate({ check, verdict }: AttemptCheck): boolean {
  return check === 'validity' && verdict === 'passed';
}

const judgeMethod: Readonly<Record<PrimaryMethod, (who: Judged, attempt: AttemptRecorder) => void>> = {
  password(who, attempt) {
    const { account, means } = who;
    const { password } = means;
    if (password === null) {
      const add = `overlay-auth create authenticator updb ${account.identity.id} USERNAME`;
      attempt.failed('user name known', 'unknown-user', `it has no password: ${add}`);
      return;
    }
    attempt.passed('user name known', password.username);
    judgeLock(who, 'authenticator unlocked', { lockedUntil: password.lockedUntil, attempt });
  },

  cert(who, attempt) {
    const { account, means, authorities } = who;
    const rules = authorities.anchors().map((anchor) => authorities.caOf(anchor));
    anyOf(
      [
        ...means.certificates.map((pem) => (record: AttemptRecorder) => judgeCertificate(who, pem, record)),
        ...rules
          .filter((ca) => ca !== undefined && ca.externalIdClaim !== null)
          .map((ca) => (record: AttemptRecorder) => judgeClaimRule(who, ca as Ca, record)),
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
            maySignerLogIn({ signers }, { account, signer }, record) && judgeClaim(who, signer, record),
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
  if (means.passkeys.length === 0) {
    attempt.failed('passkey known', 'passkey-unknown', `none: ${identity.name} adds one on the account page`);
    return;
  }
  attempt.passed('passkey known', means.passkeys.map(({ name }) => name).join(', '));
  const judge = (passkey: LoginMeans['passkeys'][number]) => (record: AttemptRecorder) =>
    isOfAllowedModel({ passkey, account: { policy } }, record);
  anyOf(means.passkeys.map(judge), attempt, () => undefined);
}

function judgeCertificate(who: Judged, pem: string, attempt: AttemptRecorder): boolean {
  const certificate = parseCertificate(pem);
  const end = Date.parse(certificate.validTo);
  if (end <= who.now) who.ends.push(end);
  const path = foreseePath(who, [certificate.raw], { attempt, allowExpired: true });
  return path !== null && isWithinValidity(who.account.policy, path, attempt);
}

/** Whether the rule of an authority can find the external id of an identity in a certificate. */
function judgeClaimRule({ account, vouchers }: Judged, ca: Ca, attempt: AttemptRecorder): boolean {
  const { id, externalId } = account.identity;
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
  vouchers.push({ type: 'ca', name: ca.name, naming: externalId });
  return true;
}

/** Whether a token of the signer can name an identity. */
function judgeClaim(
  { account, vouchers }: Judged,
  signer: ExternalJwtSigner,
  attempt: AttemptRecorder,
): boolean {
  const { id, externalId } = account.identity;
  const claim = signer.useExternalId ? externalId : id;
  if (claim === null) {
    const add = `overlay-auth update identity ${id} --external-id ID`;
    const saw = `signer ${signer.name} names external ids, and it has none: ${add}`;
    attempt.failed('identity', 'no-identity-for-claim', saw);
    return false;
  }
  vouchers.push({ type: 'ext-jwt-signer', name: signer.name, naming: claim });
  attempt.passed('identity', `signer ${signer.name} with ${signer.claimsProperty} = ${claim}`);
  return true;
}

function judgeFactor(who: Judged, factor: Factor, attempt: AttemptRecorder): void {
  const { means, signers } = who;
  if (factor.type === 'totp') {
    attempt.passed('authenticator app', factor.isEnrolled ? 'is set up' : 'none yet: the login sets it up');
    if (factor.isEnrolled)
      judgeLock(who, 'authenticator app unlocked', { lockedUntil: means.totpLockedUntil, attempt });
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
  } else judgeClaim({ ...who, vouchers: [] }, signer, attempt);
}

function judgeLock(
  { now, ends }: Judged,
  check: string,
  { lockedUntil, attempt }: { lockedUntil: Millis | null; attempt: AttemptRecorder },
): void {
  if (lockedUntil === null || lockedUntil <= now) {
    attempt.passed(check);
    return;
  }
  ends.push(lockedUntil);
  attempt.failed(check, 'locked', `until ${new Date(lockedUntil).toISOString()}`);
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
