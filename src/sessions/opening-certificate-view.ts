// The verdict on the certificates that opened legacy sessions, in memory by session. Such a session continues as long
// as it is used, over any connection, so each call checks whether its certificate would open it today.

import { externalIdFrom } from '../login/certificate/ca-claim.ts';
import {
  type CheckedCertificate,
  checkedCertificates,
  isAdmitted,
  isChecked,
} from '../login/certificate/revocation.ts';
import type { ValidPath } from '../login/certificate/trusted-path.ts';
import type { CertificateServices } from '../login/services.ts';
import type { Account } from '../model/account.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { Ca } from '../model/entities/ca.ts';
import type { ApiSessionId } from '../model/ids.ts';
import { recentView } from '../platform/caches.ts';
import type { Millis } from '../platform/clock.ts';
import { validateClientPath } from '../platform/x509/path-validation.ts';
import type { ApiSessionStore } from '../store/contracts/api-sessions.ts';

export type OpeningCertificateView = ReturnType<typeof openingCertificateView>;

/** @param threads number of request threads: together they keep 50,000 chains */
export function openingCertificateView(
  needs: CertificateServices & { readonly store: { readonly apiSessions: ApiSessionStore } },
  threads = 1,
) {
  const { authorities, revocations, clock, store } = needs;
  // The chain of a session never changes. The verdict does when the trusted authorities do, and after `soundUntil`.
  const known = recentView<ApiSessionId, JudgedChain>(Math.ceil(50_000 / threads), {
    dependsOn: authorities.anchors,
  });

  /** A session from a release that stored no chain cannot be judged: its client logs in again. */
  async function pathOf(id: ApiSessionId): Promise<ValidPath | null> {
    const chain = (await store.apiSessions.findCertChain(id)) ?? [];
    return pathOfChain(
      needs,
      chain.map((der) => Buffer.from(der, 'base64')),
    );
  }
  const read = (id: ApiSessionId) =>
    known.read(id, async () => {
      const path = await pathOf(id);
      return path && judgeChain(needs, path);
    });

  /** Undefined: it has to be read again. */
  function judged(id: ApiSessionId): JudgedChain | undefined {
    const chain = known.get(id);
    return chain !== undefined && clock.now() < chain.soundUntil ? chain : undefined;
  }

  function isUnrevoked({ id, caId }: Pick<ApiSession, 'id' | 'caId'>): boolean | Promise<boolean> {
    const ca = caId === null ? undefined : authorities.find(caId);
    if (ca === undefined || !isChecked(ca)) return true;
    const decide = (chain: JudgedChain | null) => {
      const status = chain === null ? undefined : revocations.peek(ca.id, chain.checked);
      return status === undefined ? ask(ca, id) : isAdmitted(ca, status);
    };
    const chain = judged(id);
    return chain === undefined ? read(id).then(decide) : decide(chain);
  }

  async function ask(ca: Ca, id: ApiSessionId): Promise<boolean> {
    const path = await pathOf(id);
    const nothing = { status: 'unknown', saw: 'its certificates are not known' } as const;
    return isAdmitted(ca, path === null ? nothing : await revocations.ask(ca, path.certificates));
  }

  return {
    /**
     * Whether the revocation status of the certificate that opened a session lets it continue. The same, of a
     * session whose calls prove the certificate.
     */
    isUnrevoked,
    /**
     * Whether the certificate that opened a session would still open it, and was not revoked. Answers at once if it is in
     * memory.
     */
    stillOpens(session: ApiSession, account: Account): boolean | Promise<boolean> {
      const decide = (found: JudgedChain | null) =>
        found !== null && stillOpens(found, { session, account }, clock.now()) && isUnrevoked(session);
      const chain = judged(session.id);
      return chain === undefined ? read(session.id).then(decide) : decide(chain);
    },
  };
}

// How a certificate is checked again without a connection that presents it. login/standing.ts checks everything else
// that a session depends on.

/** The verdict on a chain. Valid before `soundUntil`. */
interface JudgedChain {
  readonly soundUntil: Millis;
  readonly leafNotAfter: Millis;
  /** The external id that the authority's rule finds; null without a rule, or if it finds none. */
  readonly externalId: string | null;
  /** The certificates whose revocation by their third-party authority is checked; empty: it is not checked. */
  readonly checked: readonly CheckedCertificate[];
}

/** The path of a chain to an authority that is trusted now; null: there is none. */
export function pathOfChain(
  { authorities, clock }: Pick<CertificateServices, 'authorities' | 'clock'>,
  [leaf, ...intermediates]: readonly Buffer[],
): ValidPath | null {
  if (leaf === undefined) return null;
  // Whether an expired leaf is accepted depends on the policy.
  const of = { leaf, intermediates, now: clock.now(), allowExpired: true };
  const verdict = validateClientPath({ ...of, anchors: authorities.anchors(), barred: authorities.barred() });
  return verdict.verdict === 'trusted' ? verdict : null;
}

function judgeChain({ authorities }: Pick<CertificateServices, 'authorities'>, path: ValidPath): JudgedChain {
  const ca = authorities.caOf(path.anchor);
  const rule = ca?.externalIdClaim ?? null;
  const claim = rule === null ? null : externalIdFrom(path.leaf.names, rule);
  return {
    soundUntil: path.soundUntil,
    leafNotAfter: path.leaf.notAfter,
    externalId: claim?.verdict === 'found' ? claim.externalId : null,
    checked: isChecked(ca) ? checkedCertificates(path.certificates) : [],
  };
}

/** Whether a chain would open the session today. Its authenticator exists: deleting one ends its sessions. */
function stillOpens(
  { leafNotAfter, externalId }: JudgedChain,
  {
    session: { authenticatorId },
    account: { identity, policy },
  }: { session: Pick<ApiSession, 'authenticatorId'>; account: Pick<Account, 'identity' | 'policy'> },
  now: Millis,
): boolean {
  if (now > leafNotAfter && !policy.primary.cert.allowExpiredCerts) return false;
  return authenticatorId !== null || (externalId !== null && externalId === identity.externalId);
}
