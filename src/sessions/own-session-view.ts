// Sessions as their owner sees them, for owners who asked recently. The change feed does not name every change of a
// row, so each use asks the store for the version of the session.

import { AuthError } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { ApiSessionId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { after } from '../platform/after.ts';
import { recentView, sharedValues } from '../platform/caches.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { OwnSession } from '../store/contracts/api-sessions.ts';
import type { Store } from '../store/contracts/store.ts';

export type OwnSessionView = ReturnType<typeof ownSessionView>;

/** @param threads number of request threads: together they keep 20,000 sessions */
export function ownSessionView(
  store: Pick<Store, 'sessionVersion'> & { readonly apiSessions: Pick<Store['apiSessions'], 'findOwn'> },
  threads = 1,
) {
  const shared = sharedValues();
  const known = recentView<ApiSessionId, OwnSession>(Math.ceil(20_000 / threads), {
    dependsOn: (id) => store.sessionVersion(id),
    keep: (found) => ({ ...found, passed: shared.list(found.passed) }),
  });
  return {
    /** Null when the session has ended or expired. Answers at once if it is in memory. */
    find(id: ApiSessionId, now: Millis): OwnSession | null | Promise<OwnSession | null> {
      const session = known.get(id);
      if (session === undefined) return known.read(id, () => store.apiSessions.findOwn(id, now));
      return session.expiresAt > now ? session : null;
    },
  };
}

/** The fields of a session that the API shows. */
export type ShownApiSession = Pick<
  ApiSession,
  'id' | 'mechanism' | 'identityId' | 'clientId' | 'configTypes' | keyof OwnSession
> & { readonly identityName: string };

/**
 * The caller's own session, at once if it is in memory. Fields that the guard already knows are not read again. It
 * expires together with the credential that the caller presented.
 * @throws AuthError not_found   it has ended or expired
 */
export function getOwnApiSession(
  needs: { ownSessions: OwnSessionView; clock: Clock },
  caller: Principal,
): ShownApiSession | Promise<ShownApiSession> {
  const found = needs.ownSessions.find(caller.apiSessionId, needs.clock.now());
  return after(found, (session) => shownTo(caller, session));
}

function shownTo(caller: Principal, session: OwnSession | null): ShownApiSession {
  if (session === null) throw new AuthError('not_found');
  const { apiSessionId: id, mechanism, identityId, account, clientId, configTypes, expiresAt } = caller;
  const { name: identityName } = account.identity;
  return { ...session, id, mechanism, identityId, identityName, clientId, configTypes, expiresAt };
}
