// External JWTs as a primary method (spec 5.3). Of the tokens in a request, the first one counts that is valid, names
// an identity, and comes from a signer that this identity's policy allows.

import type { ChallengeError } from '../../errors/challenge.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { Identity } from '../../model/entities/identity.ts';
import { asId, type SignerId } from '../../model/ids.ts';
import type { Credentials, Vouched } from '../../model/login.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import { type NotedRecord, notedRecord } from '../../model/noted-record.ts';
import { newcomerChecks } from '../../model/refusal-reason.ts';
import { SECOND } from '../../platform/clock.ts';
import {
  type ExternalJwtProof,
  type LoginAccount,
  mayLogIn,
  type PrimaryVerdict,
  voucherOf,
} from '../primary-verdict.ts';
import type { LoginServices } from '../services.ts';
import { signerObjection } from '../standing.ts';
import { selectClaim } from './claims-selector.ts';
import { primaryChallenge } from './external-jwt-challenge.ts';
import {
  challengeErrorOf,
  furtherThan,
  type RefusedExternalJwt,
  recordRefusal,
  type ValidExternalJwt,
} from './external-jwt-verdict.ts';
import { isNumericDate } from './foreign-jwt.ts';
import type { SignerDirectory } from './signer-directory.ts';
import { verifyExternalJwt, verifyJwtFrom } from './verify-external-jwt.ts';

/** The outcome of one token. `refusal` is null when the token was valid and the identity or the signer was refused. */
type TokenVerdict =
  | ({ readonly verdict: 'passed'; readonly account: LoginAccount } & Pick<
      ValidExternalJwt,
      'signer' | 'claims'
    >)
  | RefusedToken;

interface RefusedToken {
  readonly verdict: 'refused';
  readonly refusal: RefusedExternalJwt | null;
  /** Whether it is for the second proof. */
  readonly isSecond: boolean;
  /** A valid token without an identity, of a signer that has identities created. */
  readonly newcomer?: ValidExternalJwt;
}

/**
 * Decides a login by external JWT. An identity is created for a person whom a token names for the first time only if no
 * token of the request names one that exists.
 */
export async function verifyPrimaryJwt(
  needs: LoginServices,
  {
    credentials: { tokens, signerId },
    origin,
  }: { credentials: Extract<Credentials, { method: 'ext-jwt' }>; origin: RequestOrigin },
  attempt: AttemptRecorder,
): Promise<PrimaryVerdict<ExternalJwtProof>> {
  const failures: (RefusedToken & { readonly record: NotedRecord })[] = [];
  for (const token of tokens) {
    const record = notedRecord();
    const verdict = await verifyToken(needs, { token, signerId }, record);
    if (verdict.verdict === 'refused') {
      failures.push({ record, ...verdict });
      continue;
    }
    record.handTo(attempt);
    return passed(verdict);
  }
  const newcomer = failures.find((failure) => failure.newcomer !== undefined);
  if (newcomer?.newcomer !== undefined) {
    const record = notedRecord();
    const verdict = await admitNewcomer(needs, { jwt: newcomer.newcomer, origin }, record);
    if (verdict.verdict === 'passed') {
      record.handTo(attempt);
      return passed(verdict);
    }
    failures.splice(failures.indexOf(newcomer), 1, { record, ...verdict });
  }
  if (failures.length === 0) attempt.failed('token', 'no-token');
  // The token that got furthest gives the record its reason, or the other one if that is for the second proof.
  failures.sort(
    (one, other) => Number(one.isSecond) - Number(other.isSecond) || furtherThan(one.refusal, other.refusal),
  );
  for (const { record } of failures) record.handTo(attempt);
  const error = errorOf(failures.map(({ refusal }) => refusal));
  return { verdict: 'refused', challenges: [primaryChallenge(needs.signers, error)] };
}

function passed({
  account,
  signer,
  claims: { auth_time: authTime },
}: Extract<TokenVerdict, { verdict: 'passed' }>): PrimaryVerdict<ExternalJwtProof> {
  const proof = {
    method: 'ext-jwt',
    signerId: signer.id,
    vouched: vouchedFor(account.identity, signer),
    authTime: isNumericDate(authTime) ? Math.floor(authTime * SECOND) : null,
  } as const;
  return { verdict: 'passed', account, proof };
}

async function admitNewcomer(
  needs: LoginServices,
  { jwt, origin }: { jwt: ValidExternalJwt; origin: RequestOrigin },
  record: AttemptRecorder,
): Promise<TokenVerdict> {
  const { signer, claim } = jwt;
  record.passed('token', `valid for signer ${signer.name}`);
  record.about({ subject: claim });
  const account = await needs.newcomers.admit(jwt, record, origin);
  return account === null
    ? { verdict: 'refused', refusal: null, isSecond: false }
    : judgeAccount(needs, { account, ...jwt }, record);
}

async function verifyToken(
  needs: LoginServices,
  { token, signerId }: { token: string; signerId: SignerId | undefined },
  record: AttemptRecorder,
): Promise<TokenVerdict> {
  const refused = { verdict: 'refused', refusal: null, isSecond: false } as const;
  const verdict = await (signerId === undefined
    ? verifyExternalJwt(needs, needs.signers.all(), token)
    : verifyJwtFrom(needs, signerId, token));
  if (verdict.verdict === 'refused') {
    recordRefusal(needs.signers, record, verdict);
    return { ...refused, refusal: verdict };
  }
  const { signer, claim } = verdict;
  record.passed('token', `valid for signer ${signer.name}`);
  record.about({ subject: claim });
  const account = await accountNamedBy(needs, verdict);
  if (account !== null) return judgeAccount(needs, { account, ...verdict }, record);
  recordUnknown(verdict, record);
  return signer.createIdentities === null ? refused : { ...refused, newcomer: verdict };
}

function judgeAccount(
  needs: LoginServices,
  { account, signer, claims }: { account: LoginAccount } & Pick<ValidExternalJwt, 'signer' | 'claims'>,
  record: AttemptRecorder,
): TokenVerdict {
  const refused = { verdict: 'refused', refusal: null, isSecond: false } as const;
  if (!mayLogIn(account, { method: 'ext-jwt', now: needs.clock.now() }, record)) return refused;
  if (maySignerLogIn(needs, { account, signer }, record))
    return { verdict: 'passed', account, signer, claims };
  const objection = signerObjection(needs, account.policy, signer.id);
  return { ...refused, isSecond: objection === 'signer-not-independent' };
}

/** Records that a valid token names no identity, with the claims that an administrator needs to add the person. */
export function recordUnknown({ signer, claim, claims }: ValidExternalJwt, record: AttemptRecorder): void {
  const said = { name: claims.name, email: selectClaim(claims, 'email', signer) };
  if (typeof said.name === 'string') record.passed(newcomerChecks.name, said.name);
  if (typeof said.email.value === 'string' && said.email.isVouchedFor)
    record.passed(newcomerChecks.email, said.email.value);
  const property = signer.useExternalId ? 'external id' : 'id';
  record.failed('identity', 'no-identity-for-claim', `no identity has the ${property} "${claim}"`);
}

/** The account that the claim of a valid token names, or null. */
export async function accountNamedBy(
  needs: LoginServices,
  { signer, claim }: ValidExternalJwt,
): Promise<LoginAccount | null> {
  const { identities } = needs.store;
  if (signer.useExternalId) return identities.findAccountByExternalId(claim);
  return isId(claim) ? identities.findAccount(asId(claim)) : null;
}

/** Our ids are short. Other text from a token must not reach the store as an id. */
function isId(claim: string): boolean {
  return /^[\w.-]{1,64}$/.test(claim);
}

/** The claim of a valid token of a signer that names this identity. */
export function vouchedFor({ externalId }: Pick<Identity, 'externalId'>, signer: ExternalJwtSigner): Vouched {
  return { voucher: voucherOf('signer', signer), externalId: signer.useExternalId ? externalId : null };
}

/** Whether the claim of a signer's token names this identity. */
export function namesIdentity(
  signer: Pick<ExternalJwtSigner, 'useExternalId'>,
  claim: string,
  identity: Pick<Identity, 'id' | 'externalId'>,
): boolean {
  return signer.useExternalId ? identity.externalId === claim : identity.id === claim;
}

/**
 * Whether a signer may be the primary one of an account now. Asked with the verified token, since the signer may have
 * changed while the token waited for keys, and again before a code is issued. Records what refuses.
 */
export function maySignerLogIn(
  needs: { signers: SignerDirectory },
  { account: { policy }, signer }: { account: Pick<LoginAccount, 'policy'>; signer: ExternalJwtSigner },
  attempt: AttemptRecorder,
): boolean {
  const objection = signerObjection(needs, policy, signer.id);
  if (objection === 'signer-disabled') {
    attempt.failed('signer enabled', objection, `signer ${signer.name} was disabled or deleted`);
    return false;
  }
  if (needs.signers.find(signer.id) !== signer) {
    attempt.failed('unchanged', 'changed-meanwhile', `signer ${signer.name} was changed during the login`);
    return false;
  }
  if (objection === 'signer-not-allowed') {
    const saw = `policy ${policy.name} does not allow signer ${signer.name}`;
    attempt.failed('signer allowed', objection, saw);
    return false;
  }
  if (objection !== null) {
    const saw = `policy ${policy.name} requires a token of the issuer of signer ${signer.name} as the second proof`;
    attempt.failed('signer independent', objection, saw);
    return false;
  }
  attempt.passed('signer allowed', `policy ${policy.name} allows signer ${signer.name}`);
  return true;
}

/** A valid token of a person who may not log in is `invalid`, so from outside it looks like an invalid token. */
function errorOf(refusals: readonly (RefusedExternalJwt | null)[]): ChallengeError {
  const error = challengeErrorOf(refusals.filter((refusal) => refusal !== null));
  return error === 'missing' && refusals.includes(null) ? 'invalid' : error;
}
