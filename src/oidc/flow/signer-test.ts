// The test of an external JWT signer: an administrator really signs in at its provider, and sees what a login with the
// token would decide. The test opens no session. The way is
//   begin    a caller who may see the signer gets a link, good for ten minutes
//   leave    the browser that opens the link is bound by its cookie and goes to the provider
//   return   the answer that comes back to that browser is sealed, and handed to the page that began, unredeemed
//   finish   the session that began, and no other, has the answer redeemed and judged, once
// So a token is never shown to another person than the one who fetched it: a victim who is lured to a link ends in
// their own browser. Only the luring session could redeem the answer, and it never leaves the victim's browser.

import { AuthError } from '../../errors/auth-error.ts';
import { shownParts } from '../../login/external-jwt/foreign-jwt.ts';
import { type TriedToken, tryExternalJwt } from '../../login/external-jwt/try-external-jwt.ts';
import type { LoginServices } from '../../login/services.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { SignerId } from '../../model/ids.ts';
import { notedRecord } from '../../model/noted-record.ts';
import type { Actor } from '../../model/principal.ts';
import { dailySealer } from '../../platform/secrets/sealed-box.ts';
import type { ProviderServices, SignerTestSealers } from '../services.ts';
import { authRequestLifetime } from './open-auth-request.ts';
import {
  fetchVisitedToken,
  hasSignIn,
  leaveForProvider,
  type NoToken,
  type ProviderAnswer,
  type SignerForPeople,
  type SignerTest,
  type TestVisit,
} from './provider-visit.ts';

/** Where a link of a test leads. */
export const signerTestPath = '/oidc/login/ext-jwt/test';

/** @param root the server secret that all nodes share */
export function signerTestSealers(root: Buffer): SignerTestSealers {
  return { links: dailySealer(root, 'signer-test-link'), answers: dailySealer(root, 'signer-test-answer') };
}

/** The provider's answer, for the page that began the test. */
export interface SignerTestAnswer {
  readonly testId: string;
  readonly signerId: SignerId;
  /** Sealed; base64url. */
  readonly answer: string;
}

type Answered = { readonly test: SignerTest } & (
  | { readonly visit: TestVisit; readonly answer: ProviderAnswer }
  | { readonly failed: NoToken }
);

/**
 * Begins a test in the name of a session.
 * @param issuer ours, at the address that the browser will use
 * @returns link what `leaveForSignerTest` takes
 * @throws AuthError not_found            there is no such signer
 * @throws AuthError could_not_validate   it does not say where people sign in, or as which client
 */
export function beginSignerTest(
  needs: ProviderServices,
  { signerId, issuer }: { readonly signerId: SignerId; readonly issuer: string },
  { identityId, sessionId }: Pick<Actor, 'identityId' | 'sessionId'>,
): { readonly id: string; readonly link: string } {
  requireSignIn(needs, signerId);
  const begunAt = needs.clock.now();
  const id = needs.random.bytes(16).toString('base64url');
  const test: SignerTest = { id, signerId, issuer, identityId, sessionId, begunAt };
  return { id, link: needs.signerTests.links.seal(JSON.stringify(test), begunAt) };
}

/**
 * The address at the provider to which the link of a test leads; when there is none, the answer that says why.
 * @param browserBinding SHA-256 of the binding cookie of the browser that goes
 * @throws AuthError auth_request_unknown   the link is not ours, too old, or of another bind point
 * @throws AuthError not_found, could_not_validate   the signer is gone, or has no sign-in any more
 */
export async function leaveForSignerTest(
  needs: ProviderServices,
  { link, browserBinding }: { readonly link: string; readonly browserBinding: string },
  origin: RequestOrigin,
): Promise<{ readonly kind: 'redirect'; readonly location: string } | SignerTestAnswer> {
  const now = needs.clock.now();
  const plain = needs.signerTests.links.open(link, now);
  const test = plain === undefined ? undefined : (JSON.parse(plain) as SignerTest);
  if (test === undefined || isOver(test, now) || test.issuer !== origin.issuer)
    throw unknown('the link is not ours, too old, or of another bind point');
  const signer = requireSignIn(needs, test.signerId);
  const left = await leaveForProvider(needs, signer, { step: 'test', test, browserBinding });
  return left.kind === 'redirect' ? left : sealed(needs, { test, failed: left });
}

/** The provider's answer to a visit that was a test. Its code is not redeemed here: the session is not known. */
export function answerOfSignerTest(
  needs: ProviderServices,
  visit: TestVisit,
  answer: ProviderAnswer,
): SignerTestAnswer {
  return sealed(needs, { test: visit.test, visit, answer });
}

export interface SignerTestVerdict extends TriedToken {
  /** The claims without the signature: they are of no use for a login. Null when there is no token, or it is no JWT. */
  readonly token: ReturnType<typeof shownParts>;
}

/**
 * Redeems what came back, and judges the token as a login would. Once, and for the session that began the test.
 * @throws AuthError auth_request_unknown   not ours, over, of another signer or session, or seen before
 * @throws AuthError not_found, could_not_validate   as `beginSignerTest`
 */
export async function finishSignerTest(
  needs: ProviderServices & LoginServices,
  { signerId, sealedAnswer }: { readonly signerId: string; readonly sealedAnswer: string },
  by: Pick<Actor, 'identityId' | 'sessionId'>,
): Promise<SignerTestVerdict> {
  const now = needs.clock.now();
  const plain = needs.signerTests.answers.open(sealedAnswer, now);
  const answered = plain === undefined ? undefined : (JSON.parse(plain) as Answered);
  if (answered === undefined || isOver(answered.test, now))
    throw unknown('the answer is not ours, or too old');
  const { test } = answered;
  if (test.signerId !== signerId || test.identityId !== by.identityId || test.sessionId !== by.sessionId)
    throw unknown('the test is of another signer or session');
  const signer = requireSignIn(needs, test.signerId);
  const fetched =
    'failed' in answered
      ? answered.failed
      : await fetchVisitedToken(needs, { signer, ...answered, source: by.identityId });
  const record = notedRecord();
  if (fetched.kind === 'no-token') {
    record.failed('provider', fetched.reason, fetched.saw);
    const { reason, checks } = record;
    return { use: null, reason, identity: null, claim: null, checks, token: null };
  }
  record.passed('provider', `${signer.issuer} answered this request with a token`);
  const tried = await tryExternalJwt(needs, signer, fetched.token);
  return { ...tried, checks: [...record.checks, ...tried.checks], token: shownParts(fetched.token) };
}

/** A disabled signer too: it is tried before its tokens may log in. */
function requireSignIn({ signers }: ProviderServices, id: SignerId): SignerForPeople {
  const signer = signers.find(id);
  if (signer === undefined) throw new AuthError('not_found');
  if (hasSignIn(signer)) return signer;
  const field = signer.externalAuthUrl === null ? 'externalAuthUrl' : 'clientId';
  throw new AuthError('could_not_validate', { fields: [{ field, reason: 'is needed for a sign-in' }] });
}

function isOver({ begunAt }: SignerTest, now: number): boolean {
  return now >= begunAt + authRequestLifetime;
}

function sealed({ signerTests, clock }: ProviderServices, answered: Answered): SignerTestAnswer {
  const { id: testId, signerId } = answered.test;
  return { testId, signerId, answer: signerTests.answers.seal(JSON.stringify(answered), clock.now()) };
}

function unknown(detail: string): AuthError {
  return new AuthError('auth_request_unknown', { detail });
}
