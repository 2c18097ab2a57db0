import type { RequestedKey } from '../../certificates/client-certificate-issuer.ts';
import { certifySession } from '../../certificates/session-certificates.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import { type Clock, type Millis, SECOND } from '../../platform/clock.ts';
import type { Within } from '../../store/contracts/store.ts';
import type { Client } from '../clients.ts';
import { optional } from '../parameters.ts';
import type { GrantNeeds } from './issue-tokens.ts';
import type { GrantRequest } from './token-endpoint.ts';

/**
 * The key that a token request asks to have certified (`csr_pem`), or null. Read before anything is used up.
 * @throws AuthError csr_not_acceptable
 */
export function requestedKey(
  { certificateIssuer }: Pick<GrantNeeds, 'certificateIssuer'>,
  { parameters, client }: Pick<GrantRequest, 'parameters' | 'client'>,
): RequestedKey | null {
  const csrPem = optional(parameters, 'csr_pem');
  if (csrPem === null) return null;
  if (mayBeCertified(client)) return certificateIssuer.readRequest(csrPem);
  throw new AuthError('csr_not_acceptable', {
    description: 'sessions of an application without apiAccess get no certificate',
  });
}

/** Whether sessions of a client can get a certificate: it is good for the Edge APIs. */
export function mayBeCertified({ registered }: Client): boolean {
  return registered === null || registered.apiAccess;
}

/**
 * The certificate that goes out with the tokens of a session; PEM, the certificate first. It is good for as long as
 * the session can be refreshed, and ends with it.
 * @param key null when none was asked for; so is the answer then
 * @throws AuthError invalid_grant   the session ended meanwhile
 */
export async function sessionCertificate(
  needs: GrantNeeds,
  session: ApiSession,
  key: RequestedKey | null,
  origin: RequestOrigin,
  now: Millis,
): Promise<string | null> {
  if (key === null) return null;
  const end = session.scopes.includes('offline_access')
    ? session.createdAt + needs.lifetimes.refreshFamily
    : session.expiresAt;
  try {
    return (await certifySession(needs, session, key, end - now, origin)).chainPem;
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'unauthorized') throw error;
    throw new AuthError('invalid_grant', { cause: error });
  }
}

/** A client that has waited for so long may have turned to another node. */
const patience: Millis = 3 * SECOND;

/**
 * How long what this request wants may still wait for the database, before it is used up.
 * @param arrivedAt on the monotonic clock
 * @throws AuthError unavailable   no longer: the request itself has waited for too long
 */
export function patienceLeft(clock: Clock, arrivedAt: Millis): Within {
  const left = arrivedAt + patience - clock.monotonic();
  if (left <= 0) throw new AuthError('unavailable', { detail: 'the request has waited for too long' });
  return left;
}
