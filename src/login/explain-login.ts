// Explains a login without performing it: the factors that it would ask for, and the reason why it would be refused.
// It calls the rules of the login itself with the identity's data, and assumes that a fresh proof is valid.

import { type Account, mayPasskeyOpen } from '../model/account.ts';
import type { Ca, ExternalIdClaim } from '../model/entities/ca.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../model/ids.ts';
import type { Factor, PassedMethod, PrimaryMethod } from '../model/login.ts';
import type { AttemptCheck, AttemptRecorder } from '../model/login-attempt.ts';
import { type NotedRecord, notedRecord } from '../model/noted-record.ts';
import type { Passkey } from '../model/passkey.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import type { Millis } from '../platform/clock.ts';
import { quoted } from '../platform/formats/quoted.ts';
import { shellWord } from '../platform/formats/shell-word.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import { lockEnd } from '../store/contracts/attempts.ts';
import { mayYield } from './certificate/ca-claim.ts';
import { isWithinValidity } from './certificate/certificate.ts';
import { foreseePath, isUsableAnchor } from './certificate/trusted-path.ts';
import { maySignerLogIn } from './external-jwt/external-jwt.ts';
import { type RefusedExternalJwt, recordRefusal } from './external-jwt/external-jwt-verdict.ts';
import { enabledSigner } from './external-jwt/signer-directory.ts';
import { certificateProblem } from './external-jwt/signer-keys.ts';
import { askedOfLogin, outstandingFactors } from './outstanding-factors.ts';
import { isOfAllowedModel } from './passkey/passkey.ts';
import { passkeySiteOf } from './passkey/question.ts';
import { mayLogIn } from './primary-verdict.ts';
import type { LoginServices } from './services.ts';
import { provenFactors } from './standing.ts';
import { passwordLimit } from './throttle.ts';

/** The credentials that an identity has here, without tokens and certificates of other parties. */
export interface LoginMeans {
  readonly password: { readonly username: string; readonly lockedUntil: Millis | null } | null;
  /** PEM of each certificate. */
  readonly certificates: readonly string[];
  readonly passkeys: readonly Pick<Passkey, 'name' | 'rpId' | 'aaguid' | 'isModelProven'>[];
  readonly totpLockedUntil: Millis | null;
  /** Of signers: why their keys verify no token now. Those that are not here have keys. */
  readonly keyProblems?: ReadonlyMap<SignerId, RefusedExternalJwt>;
}

/**
 * State of a login method for an identity. `ready`: the identity has everything it needs, with every factor. `vouched`:
 * it has too little here, but a certificate or token of another party that names it would be accepted.
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

/** The standing that a reason for refusal implies. For every other reason: the credential exists and does not work. */
const standingBy: Readonly<Partial<Record<RefusalReason, LoginStanding>>> = {
  'unknown-user': 'not-set-up',
  'unknown-thumbprint': 'not-set-up',
  'passkey-unknown': 'not-set-up',
  'passkey-not-independent': 'not-allowed',
  'no-signer-for-issuer': 'not-set-up',
  'no-identity-for-claim': 'not-set-up',
  'method-not-allowed': 'not-allowed',
  'signer-not-allowed': 'not-allowed',
  'signer-not-independent': 'not-allowed',
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
  /** The parties that may vouch for the identity, with its name there. Whether they would is not known here. */
  readonly acceptedFrom: readonly Voucher[];
  readonly checks: readonly AttemptCheck[];
  /** The factors that are asked for after the method, even if the identity cannot provide them. */
  readonly asks: readonly Factor['type'][];
}

/** The services of a login, and the issuers that this service has. */
export type ExplainingServices = LoginServices & { readonly issuers: ReadonlySet<string> };

/** @param account with the policy to judge by, which need not be the stored one */
export function explainLogin(
  needs: ExplainingServices,
  account: Account,
  { means, method }: { means: LoginMeans; method: PrimaryMethod },
): LoginExplanation {
  const noted = notedRecord();
  const who: Judged = { ...needs, account, means, now: needs.clock.now(), vouchers: [], ends: [] };
  if (mayLogIn(account, { method, now: who.now }, noted)) judgeMethod[method](who, noted);
  const { policy } = account;
  if (policy.requireDpop)
    noted.seen(
      'key',
      `policy ${policy.name} demands tokens that are bound to a key: the application has to use DPoP`,
    );
  const hasPrimary = noted.reason === null;
  const isTwofold = method === 'passkey' && policy.primary.passkey.satisfiesSecondary;
  const passed: readonly PassedMethod[] = isTwofold ? [method, 'uv'] : [method];
  const proven = provenFactors(needs, { passed, signerId: null });
  const factors = outstandingFactors(policy, askedOfLogin(account, who.now), proven);
  for (const factor of factors) judgeFactor(who, factor, noted);
  const { reason, checks } = noted;
  const outcome = reason === null ? 'allowed' : 'refused';
  const isHeldHere = method === 'password' || method === 'passkey';
  const asks = factors.map(({ type }) => type);
  const isOwn = (isHeldHere || checks.some(isOfOwnCertificate)) && !asks.includes('ext-jwt');
  const standing =
    reason === 'identity-disabled'
      ? ofDisabled(needs, account, { means, method })
      : standingOf(reason, { isOwn, hasPrimary });
  const isOver = standing === 'locked' || standing === 'expired';
  const until = isOver && who.ends.length > 0 ? Math.max(...who.ends) : null;
  const acceptedFrom = standing === 'vouched' ? who.vouchers : [];
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

/** Disabling takes away only methods that were set up and allowed. */
function ofDisabled(
  needs: ExplainingServices,
  account: Account,
  asked: { means: LoginMeans; method: PrimaryMethod },
): LoginStanding {
  const enabled = { ...account, identity: { ...account.identity, disabledAt: null } };
  const { standing } = explainLogin(needs, enabled, asked);
  return standing === 'not-set-up' || standing === 'not-allowed' ? standing : 'refused';
}

interface Judged extends ExplainingServices {
  readonly account: Account;
  readonly means: LoginMeans;
  readonly now: Millis;
  readonly vouchers: Voucher[];
  /** Of locks and certificates. */
  readonly ends: Millis[];
}

/** A certificate of its own with a known path; otherwise another party has to prove what is recorded. */
function isOfOwnCertificate({ check, verdict }: AttemptCheck): boolean {
  return check === 'path' && verdict === 'passed';
}

const judgeMethod: Readonly<Record<PrimaryMethod, (who: Judged, attempt: AttemptRecorder) => void>> = {
  password(who, attempt) {
    const { account, means } = who;
    const { password } = means;
    if (password === null) {
      const add = `overlay-auth create authenticator updb ${shellWord(account.identity.name)} USERNAME`;
      attempt.failed('user name known', 'unknown-user', `it has no password: ${add}`);
      return;
    }
    attempt.passed('user name known', password.username);
    const limit = passwordLimit('', account.policy.primary.updb);
    const lockedUntil = limit && lockEnd(limit, password.lockedUntil, who.now);
    judgeLock(who, 'authenticator unlocked', { lockedUntil, attempt });
  },

  cert(who, attempt) {
    const { account, means, authorities } = who;
    const rules = authorities.anchors().flatMap((anchor) => {
      const ca = authorities.caOf(anchor);
      return ca?.externalIdClaim ? [{ ca, rule: ca.externalIdClaim, anchor }] : [];
    });
    anyOf(
      [
        ...means.certificates.map((pem) => (record: AttemptRecorder) => judgeCertificate(who, pem, record)),
        ...rules.map((rule) => (record: AttemptRecorder) => judgeClaimRule(who, rule, record)),
      ],
      attempt,
      () => {
        const add = `overlay-auth create enrollment ott ${shellWord(account.identity.name)} -o FILE`;
        attempt.failed('certificate known', 'unknown-thumbprint', `it has none: ${add}`);
      },
    );
  },

  passkey: judgePasskeys,

  'ext-jwt'(who, attempt) {
    const { account, signers } = who;
    anyOf(
      signers.all().map((signer) => (record: AttemptRecorder) => {
        const voucher = judgeClaim(who, signer, record);
        if (voucher === null || !maySignerLogIn({ signers }, { account, signer }, record)) return false;
        who.vouchers.push(voucher);
        noteAudiences(who, signer, record);
        return true;
      }),
      attempt,
      () => attempt.failed('issuer', 'no-signer-for-issuer', 'there is no external JWT signer'),
    );
  },
};

function judgePasskeys(who: Judged, attempt: AttemptRecorder): void {
  const {
    account: { identity, policy },
    means,
  } = who;
  if (!mayPasskeyOpen(policy)) {
    const saw = `policy ${policy.name} asks for a passkey as the second proof`;
    attempt.failed('passkey independent', 'passkey-not-independent', saw);
    return;
  }
  if (means.passkeys.length === 0)
    attempt.failed('passkey known', 'passkey-unknown', `none: ${identity.name} adds one on the account page`);
  else judgeThose(who, attempt);
}

/** Whether one of its passkeys works somewhere. */
function judgeThose(who: Judged, attempt: AttemptRecorder): void {
  const { account, means, issuers } = who;
  attempt.passed('passkey known', means.passkeys.map(({ name }) => name).join(', '));
  const domains = new Set([...issuers].map((issuer) => passkeySiteOf(who, issuer)?.rpId));
  const judge = (passkey: LoginMeans['passkeys'][number]) => (record: AttemptRecorder) => {
    if (domains.has(passkey.rpId)) return isOfAllowedModel({ passkey, account }, record);
    record.failed('answer', 'passkey-site', `it is for ${passkey.rpId}`);
    return false;
  };
  anyOf(means.passkeys.map(judge), attempt, () => undefined);
}

function judgeCertificate(who: Judged, pem: string, attempt: AttemptRecorder): boolean {
  const certificate = parseCertificate(pem);
  const end = Date.parse(certificate.validTo);
  const isExpired = end < who.now;
  if (isExpired) who.ends.push(end);
  const path = foreseePath(who, certificate.raw, { attempt, allowExpired: true });
  const held = path === 'below' ? { leaf: { isExpired }, certificates: [{ x509: certificate }] } : path;
  return held !== null && isWithinValidity(who.account.policy, held, attempt);
}

/** Whether the rule of an authority can find the external id of an identity in a certificate. */
function judgeClaimRule(
  who: Judged,
  { ca, rule, anchor }: { ca: Ca; rule: ExternalIdClaim; anchor: PathCertificate },
  attempt: AttemptRecorder,
): boolean {
  const { name, externalId } = who.account.identity;
  if (externalId === null) {
    const add = `overlay-auth update identity ${shellWord(name)} --external-id ID`;
    attempt.failed('external id', 'no-identity-for-claim', `rule of ${ca.name}: it has none: ${add}`);
    return false;
  }
  if (!mayYield(rule, externalId)) {
    const saw = `rule of ${ca.name}: no certificate gives "${externalId}"`;
    attempt.failed('external id', 'no-identity-for-claim', saw);
    return false;
  }
  attempt.passed('external id', `rule of ${ca.name}: "${externalId}"`);
  if (!isUsableAnchor(who, anchor, attempt)) return false;
  who.vouchers.push({ type: 'ca', name: ca.name, naming: externalId });
  return true;
}

/** By which name a token of the signer can name an identity now; null, and recorded, if it cannot. */
function judgeClaim(who: Judged, signer: ExternalJwtSigner, attempt: AttemptRecorder): Voucher | null {
  const { id, name, externalId } = who.account.identity;
  const claim = signer.useExternalId ? externalId : id;
  if (claim === null) {
    const add = `overlay-auth update identity ${shellWord(name)} --external-id ID`;
    const saw = `signer ${signer.name} names external ids, and it has none: ${add}`;
    return attempt.failed('identity', 'no-identity-for-claim', saw);
  }
  attempt.passed('identity', `signer ${signer.name} with ${signer.claimsProperty} = ${claim}`);
  const problem = who.means.keyProblems?.get(signer.id) ?? certificateProblem(who, signer);
  if (problem === null) return { type: 'ext-jwt-signer', name: signer.name, naming: claim };
  recordRefusal(who.signers, attempt, problem);
  return null;
}

/** A token that several signers accept is refused: of those with one issuer, its audience says which one it is for. */
function noteAudiences({ signers }: Judged, signer: ExternalJwtSigner, attempt: AttemptRecorder): void {
  for (const other of signers.all()) {
    if (other.id === signer.id || other.issuer !== signer.issuer || !other.enabled) continue;
    const audiences = `for ${quoted(signer.audience)}, and one for ${quoted(other.audience)} (signer ${other.name}) too`;
    attempt.seen('audience', `signer ${signer.name} takes tokens ${audiences} is refused`);
  }
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
    if (factor.isEnrolled) judgeThose(who, attempt);
    else attempt.passed('passkey', 'none yet: the login adds it');
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
    return;
  }
  const voucher = judgeClaim(who, signer, attempt);
  if (voucher !== null) who.vouchers.push(voucher);
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

/**
 * One valid proof is enough: the problems of the others are reported only if there is none, of that which got furthest
 * first.
 */
function anyOf(
  proofs: readonly ((record: AttemptRecorder) => boolean)[],
  attempt: AttemptRecorder,
  whenNone: () => void,
): void {
  if (proofs.length === 0) whenNone();
  const passesOf = ({ checks }: NotedRecord) => checks.filter(({ verdict }) => verdict === 'passed').length;
  const judged = proofs.map((judge) => {
    const record = notedRecord();
    return { isGood: judge(record), record };
  });
  const good = judged.filter(({ isGood }) => isGood);
  const refused = judged.toSorted((one, other) => passesOf(other.record) - passesOf(one.record));
  for (const { record } of good.length > 0 ? good : refused) record.handTo(attempt);
}
