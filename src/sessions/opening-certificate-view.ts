// What the certificates that opened legacy sessions prove, in memory by session. Such a session continues as long as it
// is used, over any connection, so each call checks whether its certificate would open it today.

import { type JudgedChain, judgeChain, stillOpens } from '../login/certificate/opening-chain.ts';
import type { CertificateServices } from '../login/services.ts';
import type { Account } from '../model/account.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { ApiSessionId } from '../model/ids.ts';
import { recentMap } from '../platform/recent-map.ts';
import type { ApiSessionStore } from '../store/contracts/api-sessions.ts';

export interface OpeningCertificateView {
  /** Whether the certificate that opened a session still counts. Answers at once if it is in memory. */
  stillOpens(session: ApiSession, account: Account): boolean | Promise<boolean>;
}

/** @param threads number of request threads: together they keep 50,000 chains */
export function openingCertificateView(
  needs: CertificateServices & { readonly store: { readonly apiSessions: ApiSessionStore } },
  threads = 1,
): OpeningCertificateView {
  const known = recentMap<ApiSessionId, JudgedChain>(Math.ceil(50_000 / threads));

  async function read(id: ApiSessionId): Promise<JudgedChain | null> {
    // A session from a release that stored no chains cannot be judged: its client logs in again.
    const chain = (await needs.store.apiSessions.findCertChain(id)) ?? [];
    const judged = judgeChain(
      needs,
      chain.map((der) => Buffer.from(der, 'base64')),
    );
    if (judged !== null) known.set(id, judged);
    return judged;
  }

  function isFresh({ anchors, soundUntil }: JudgedChain): boolean {
    return anchors === needs.authorities.anchors() && needs.clock.now() < soundUntil;
  }

  return {
    stillOpens(session, account) {
      const judged = known.get(session.id);
      const decide = (found: JudgedChain | null) =>
        found !== null && stillOpens(found, { session, account }, needs.clock.now());
      return judged !== undefined && isFresh(judged) ? decide(judged) : read(session.id).then(decide);
    },
  };
}
