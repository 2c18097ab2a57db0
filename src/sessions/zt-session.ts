// Turns the opaque token of the legacy mechanism, from the `zt-session` header, into a Principal (spec 3.4, 5.6).

import { AuthError } from '../errors/auth-error.ts';
import { ztSessionChallenge } from '../errors/challenge.ts';
import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import type { SignerDirectory } from '../login/external-jwt/signer-directory.ts';
import { askedOfSessions, outstandingFactors } from '../login/outstanding-factors.ts';
import { openingObjection, provenFactors } from '../login/standing.ts';
import type { Account } from '../model/account.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { PassedMethod } from '../model/login.ts';
import type { Principal } from '../model/principal.ts';
import { after } from '../platform/after.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import { readOpaqueToken } from '../tokens/opaque-token.ts';
import type { AccountView } from './account-view.ts';
import type { LegacySessionView } from './legacy-session-view.ts';
import type { OpeningCertificateView } from './opening-certificate-view.ts';
import type { SecondaryTokens } from './secondary-tokens.ts';

export type ZtSessions = ReturnType<typeof ztSessions>;

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

export function ztSessions(needs: ZtSessionNeeds) {
  return {
    /**
     * Identifies the caller of a session token, and says what the policy still requires. The call counts as a use of the
     * session. In steady state this reads memory only, and then answers without a promise.
     * @param bearers none of them identifies the caller; one may be the external JWT that the policy requires
     * @param at      when that JWT counts
     * @throws AuthError unauthorized   unknown, ended or timed out; from outside they look the same
     */
    authenticate(
      token: string,
      bearers: readonly string[],
      at = needs.clock.now(),
    ): Principal | Promise<Principal> {
      // Before the store is asked: garbage costs no query.
      const read = readOpaqueToken(needs.tagKey, 'zt-session', token);
      if (read === undefined) throw refused('not made by this service');
      return after(needs.legacy.find(read.hash), (session) => {
        if (session === null) throw refused('unknown, ended or timed out');
        return after(needs.accounts.find(session.identityId, needs.clock.now()), (account) => {
          if (account === null) throw refused(`identity ${session.identityId} is disabled or deleted`);
          const call = { session, tokenHash: read.hash, account, bearers, at };
          return after(requireOpening(needs, call), () =>
            after(withNewestProof(needs, call), (current) => withSecondary(needs, current)),
          );
        });
      });
    },
  };
}

/** A call with a live session of an identity that may log in. */
interface Call {
  readonly session: ApiSession;
  readonly tokenHash: string;
  readonly account: Account;
  readonly bearers: readonly string[];
  readonly at: Millis;
}

/** The session may continue while it is used, as long as what opened it is still valid. */
function requireOpening(needs: ZtSessionNeeds, { session, account }: Call): void | Promise<void> {
  const objection = openingObjection(needs, account.policy, session);
  if (objection !== null) throw refused(objection);
  // Sessions of OIDC end at their next refresh. This one has none, and anybody could use its token without end.
  if (account.policy.requireDpop) throw refused('the auth policy demands tokens that are bound to a key');
  if (session.passed[0] !== 'cert') return;
  return after(needs.openingCertificates.stillOpens(session, account), (isGood) => {
    if (!isGood) throw refused(`the certificate that opened session ${session.id} would no longer open it`);
  });
}

/** The code may have been entered on another node; the feed does not report that. */
function withNewestProof(needs: ZtSessionNeeds, call: Call): Call | Promise<Call> {
  if (!lacksTotp(needs, call)) return call;
  return needs.legacy.read(call.tokenHash).then((session) => {
    if (session === null) throw refused('ended meanwhile');
    return { ...call, session };
  });
}

function withSecondary(needs: ZtSessionNeeds, call: Call): Principal | Promise<Principal> {
  const { session, account, bearers, at: now } = call;
  const signerId = account.policy.secondary.requireExtJwt;
  const { passed } = session;
  if (signerId === null) return admit(needs, call, { passed });
  const { identity } = account;
  return after(needs.secondary.proven(signerId, { passed, identity, tokens: bearers, now }), (proven) =>
    admit(needs, call, proven),
  );
}

function admit(
  needs: ZtSessionNeeds,
  { session, account }: Call,
  { passed, ...lacking }: { passed: readonly PassedMethod[] } & Pick<Principal, 'lackingJwt'>,
): Principal {
  const { identity, policy, isTotpEnrolled } = account;
  const { lastActivityAt, expiresAt } = needs.legacy.touch(session);
  const proven = provenFactors(needs, { ...session, passed });
  return {
    identityId: identity.id,
    account,
    isAdmin: identity.isAdmin,
    permissions: identity.permissions,
    apiSessionId: session.id,
    mechanism: 'legacy',
    issuer: session.issuer,
    clientId: session.clientId,
    scopes: session.scopes,
    configTypes: session.configTypes,
    passed: proven,
    ...lacking,
    authTime: session.authTime,
    issuedAt: lastActivityAt,
    expiresAt,
    outstanding: outstandingFactors(policy, { ...askedOfSessions, isEnrolled: isTotpEnrolled }, proven),
  };
}

function lacksTotp(needs: ZtSessionNeeds, { session, account: { policy, isTotpEnrolled } }: Call): boolean {
  const asked = { ...askedOfSessions, isEnrolled: isTotpEnrolled };
  return outstandingFactors(policy, asked, provenFactors(needs, session)).some(({ type }) => type === 'totp');
}

function refused(detail: string): AuthError {
  return new AuthError('unauthorized', {
    challenges: [ztSessionChallenge('invalid')],
    detail: `zt-session: ${detail}`,
  });
}
