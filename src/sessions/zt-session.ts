// The opaque token of the legacy mechanism, from the `zt-session` header to a Principal (spec 3.4, 5.6).

import { AuthError } from '../errors/auth-error.ts';
import { ztSessionChallenge } from '../errors/challenge.ts';
import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import type { SignerDirectory } from '../login/external-jwt/signer-directory.ts';
import { outstandingFactors } from '../login/outstanding-factors.ts';
import { openingObjection } from '../login/standing.ts';
import type { Account } from '../model/account.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { SignerId } from '../model/ids.ts';
import type { PassedMethod } from '../model/login.ts';
import type { LackingJwt, Principal } from '../model/principal.ts';
import type { Clock } from '../platform/clock.ts';
import { readOpaqueToken } from '../tokens/opaque-token.ts';
import type { AccountView } from './account-view.ts';
import type { LegacySessionView } from './legacy-session-view.ts';
import type { OpeningCertificateView } from './opening-certificate-view.ts';
import type { SecondaryTokens } from './secondary-tokens.ts';

export interface ZtSessions {
  /**
   * Who calls with a session token, and what is still outstanding by the policy of this moment. The call counts as
   * use of the session. In steady state this reads memory only, and then answers without a promise.
   * @param bearers none of them says who is calling; one may be the external JWT that the policy asks for
   * @throws AuthError unauthorized   unknown, ended or timed out; outside these are one
   */
  authenticate(token: string, bearers: readonly string[]): Principal | Promise<Principal>;
}

export interface ZtSessionNeeds {
  readonly legacy: LegacySessionView;
  readonly accounts: AccountView;
  readonly openingCertificates: OpeningCertificateView;
  readonly secondary: SecondaryTokens;
  readonly signers: SignerDirectory;
  readonly authorities: TrustedAuthorities;
  readonly clock: Clock;
  readonly tagKey: Buffer;
}

export function ztSessions(needs: ZtSessionNeeds): ZtSessions {
  const { legacy, accounts, openingCertificates, clock } = needs;

  function withSession(
    session: ApiSession | null,
    tokenHash: string,
    bearers: readonly string[],
  ): Principal | Promise<Principal> {
    if (session === null) throw refused('unknown, ended or timed out');
    const account = accounts.find(session.identityId, clock.now());
    return account instanceof Promise
      ? account.then((read) => withAccount(session, tokenHash, read, bearers))
      : withAccount(session, tokenHash, account, bearers);
  }

  function withAccount(
    session: ApiSession,
    tokenHash: string,
    account: Account | null,
    bearers: readonly string[],
  ): Principal | Promise<Principal> {
    if (account === null) throw refused(`identity ${session.identityId} is disabled or deleted`);
    // The session may go on for as long as it is used: what opened it has to be good still.
    const objection = openingObjection(needs, account.policy, session);
    if (objection !== null) throw refused(objection);
    if (session.passed[0] !== 'cert') return withProof(session, tokenHash, account, bearers);
    const stands = openingCertificates.stillOpens(session, account);
    if (stands === true) return withProof(session, tokenHash, account, bearers);
    if (stands === false) throw certificateRefused(session);
    return stands.then((isGood) => {
      if (!isGood) throw certificateRefused(session);
      return withProof(session, tokenHash, account, bearers);
    });
  }

  function withProof(
    session: ApiSession,
    tokenHash: string,
    account: Account,
    bearers: readonly string[],
  ): Principal | Promise<Principal> {
    if (!lacksTotp(account, session)) return withFactors(session, account, bearers);
    // The code may have been given on another node; the feed does not tell.
    return legacy.read(tokenHash).then((current) => {
      if (current === null) throw refused('ended meanwhile');
      return withFactors(current, account, bearers);
    });
  }

  function withFactors(
    session: ApiSession,
    account: Account,
    bearers: readonly string[],
  ): Principal | Promise<Principal> {
    const signerId = account.policy.secondary.requireExtJwt;
    if (signerId === null) return admit(session, account, session.passed);
    const proof = `ejs:${signerId}` as const;
    // What came with the login does not count any more.
    const own = session.passed.filter((method) => method !== proof);
    const passed = [...own, proof];
    let verified: Promise<void> | undefined;
    try {
      verified = needs.secondary.require(signerId, account.identity, bearers, session.primaryProof);
    } catch (error) {
      return admit(session, account, own, lackingJwt(signerId, error));
    }
    if (verified === undefined) return admit(session, account, passed);
    return verified.then(
      () => admit(session, account, passed),
      (error) => admit(session, account, own, lackingJwt(signerId, error)),
    );
  }

  function admit(
    session: ApiSession,
    { identity, policy, isTotpEnrolled }: Account,
    passed: readonly PassedMethod[],
    lacking?: LackingJwt,
  ): Principal {
    const { lastActivityAt, expiresAt } = legacy.touch(session);
    return {
      identityId: identity.id,
      identityName: identity.name,
      isAdmin: identity.isAdmin,
      permissions: identity.permissions,
      apiSessionId: session.id,
      mechanism: 'legacy',
      issuer: session.issuer,
      clientId: session.clientId,
      scopes: session.scopes,
      configTypes: session.configTypes,
      passed,
      authTime: session.authTime,
      issuedAt: lastActivityAt,
      expiresAt,
      outstanding: outstandingFactors(policy, { isEnrolled: isTotpEnrolled }, passed),
      ...(lacking === undefined ? {} : { lackingJwt: lacking }),
    };
  }

  /** The session may be read and completed without the token, so its lack is for the guard to judge. */
  function lackingJwt(signerId: SignerId, error: unknown): LackingJwt {
    const [challenge] = error instanceof AuthError ? error.challenges : [];
    if (challenge === undefined) throw error;
    const issuer = needs.signers.find(signerId)?.issuer ?? null;
    // A secondary token is never asked for anew.
    return { signerId, issuer, error: challenge.error as LackingJwt['error'] };
  }

  return {
    authenticate(token, bearers) {
      // Before the store is asked: garbage costs no query.
      const read = readOpaqueToken(needs.tagKey, 'zt-session', token);
      if (read === undefined) throw refused('not made by this service');
      const session = legacy.find(read.hash);
      return session instanceof Promise
        ? session.then((found) => withSession(found, read.hash, bearers))
        : withSession(session, read.hash, bearers);
    },
  };
}

function lacksTotp({ policy, isTotpEnrolled }: Account, { passed }: ApiSession): boolean {
  const outstanding = outstandingFactors(policy, { isEnrolled: isTotpEnrolled }, passed);
  return outstanding.some(({ type }) => type === 'totp');
}

function certificateRefused({ id }: ApiSession): AuthError {
  return refused(`the certificate that opened session ${id} would no longer open it`);
}

function refused(detail: string): AuthError {
  return new AuthError('unauthorized', {
    challenges: [ztSessionChallenge('invalid')],
    detail: `zt-session: ${detail}`,
  });
}
