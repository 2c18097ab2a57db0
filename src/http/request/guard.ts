import type { FastifyReply } from 'fastify';
import { AuthError } from '../../errors/auth-error.ts';
import {
  type Challenge,
  oidcChallenge,
  secondaryExtJwtChallenge,
  ztSessionChallenge,
} from '../../errors/challenge.ts';
import type { Permission } from '../../model/permission.ts';
import { hasRight, type Principal, type Right, rightOf } from '../../model/principal.ts';
import { isoTime, type Millis, SECOND } from '../../platform/clock.ts';
import type { Authenticate } from '../../sessions/authenticate-request.ts';
import type { CallerRefused } from '../../store/contracts/store.ts';
import { presentedTokens, type RequestContext } from './request-context.ts';
import type { Api, Guard, Route } from './route.ts';

/**
 * Identifies the caller of a request, and lets in those that an endpoint is for. The reader of a long answer may take
 * hours: a session or right that was lost meanwhile ends it, and a token that has only expired does not.
 */
export function callerJudge({ authenticate }: { authenticate: Authenticate }, route: Route) {
  const admit = admitter(route);
  return function judge(
    context: RequestContext,
    reply: FastifyReply,
    at?: Millis,
  ): Promise<void> | undefined {
    context.admitAgain ??= async () => {
      const { right } = context;
      await judge(context, reply, context.receivedAt);
      // A lesser right may open the endpoint too, but not all that the answer has been made with.
      if (right !== null && context.principal !== null && !hasRight(context.principal, right))
        throw new AuthError('forbidden');
    };
    return admit(authenticate(presentedTokens(context, at)), context, reply);
  };
}

/**
 * Lets in the callers that an endpoint is for, and tells them when their session ends.
 *
 * Synchronous where possible: most callers are known from memory, and a promise costs as much as the rest.
 */
function admitter({ api, guard, permission }: Route) {
  return function admit(
    caller: Principal | Promise<Principal>,
    context: RequestContext,
    reply: FastifyReply,
  ): Promise<void> | undefined {
    if (caller instanceof Promise) return caller.then((principal) => admit(principal, context, reply));
    // From here on, a refusal is about a known caller.
    context.principal = caller;
    // A caller who is authenticated and lacks only the right still learns when the session ends (spec 5.5).
    const isComplete = caller.outstanding.length === 0;
    if (isComplete) reply.headers(sessionHeaders(caller, context.receivedAt));
    requireAudience(api, caller);
    context.right = enforceGuard(guard, caller, permission);
    if (!isComplete) reply.headers(sessionHeaders(caller, context.receivedAt));
    return undefined;
  };
}

/**
 * Whether this caller may use an endpoint.
 * @returns the right that lets the caller in; null if any session may call
 * @throws AuthError unauthorized   factors are outstanding: only authentication is missing (spec section 7.1)
 * @param permission also opens an endpoint for administrators to those who have it
 * @throws AuthError forbidden      fully authenticated, but without the right
 */
export function enforceGuard(guard: Guard, principal: Principal, permission?: Permission): Right | null {
  if (guard === 'anonymous' || guard === 'partial') return null;
  if (principal.outstanding.length > 0)
    throw new AuthError('unauthorized', {
      description: 'The authentication is not complete: answer the outstanding authentication queries first',
      challenges: challengesOf(principal),
      detail:
        principal.lackingJwt?.detail ??
        `outstanding: ${principal.outstanding.map((factor) => JSON.stringify(factor)).join(', ')}`,
    });
  if (guard !== 'admin') return null;
  const right = rightOf(principal, permission);
  if (right === null) throw new AuthError('forbidden');
  return right;
}

/**
 * Refuses a token of an application where applications may not call.
 * @throws AuthError unauthorized
 */
export function requireAudience(api: Api, { isOfApplication, provesKey }: Principal): void {
  if (isOfApplication !== true || api === 'oidc') return;
  throw new AuthError('unauthorized', {
    challenges: [oidcChallenge('invalid', provesKey)],
    detail: 'the token is for an application without apiAccess',
  });
}

/** The refusal of a caller who lost the session or the right during the call. */
export function callerRefusal(refused: CallerRefused, principal: Principal | null): AuthError {
  if (refused.lacks === 'right') return new AuthError('forbidden', { cause: refused });
  const isLegacy = principal?.mechanism === 'legacy';
  const challenge = isLegacy ? ztSessionChallenge('invalid') : oidcChallenge('invalid', principal?.provesKey);
  return new AuthError('unauthorized', { challenges: [challenge], cause: refused });
}

function challengesOf({ mechanism, lackingJwt, provesKey }: Principal): readonly Challenge[] {
  if (lackingJwt !== undefined) {
    const { signerId: id, issuer, error } = lackingJwt;
    return [secondaryExtJwtChallenge(error, issuer === null ? [] : [{ id, issuer }])];
  }
  // An access token cannot be upgraded: only a new login, with every factor, yields a sufficient one.
  if (mechanism === 'oidc') return [oidcChallenge('invalid', provesKey)];
  // RFC 9110 15.5.2 requires a challenge. The token is not sufficient for this call.
  return [ztSessionChallenge('invalid')];
}

/**
 * `expires-at` (RFC 3339) and `expiration-seconds` of a session: never negative and, even if the clock is changed,
 * never longer than granted.
 */
export function sessionHeaders(
  session: Pick<Principal, 'issuedAt' | 'expiresAt'>,
  now: Millis,
): { readonly 'expires-at': string; readonly 'expiration-seconds': string } {
  const granted = session.expiresAt - session.issuedAt;
  const left = Math.max(0, Math.min(session.expiresAt - now, granted));
  return {
    'expires-at': isoTime(session.expiresAt),
    'expiration-seconds': String(Math.floor(left / SECOND)),
  };
}
