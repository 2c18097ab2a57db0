// A login in progress as a row of `auth_requests`: flat, structured values as the JSON text of their columns.

import type { AuthRequest } from '../../model/auth-request.ts';
import type { LoginProgress, Vouched, Voucher } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { StoredCode } from '../contracts/auth-requests.ts';
import { excluded } from './codec.ts';
import { first, type Intent, raw, type Sql, type SqlRow, sql } from './intent.ts';

export interface LoginRow
  extends Pick<
      AuthRequest,
      'key' | 'clientId' | 'redirectUri' | 'codeChallenge' | 'issuer' | 'browserBinding'
    >,
    Pick<LoginProgress, 'identityId' | 'authenticatorId' | 'certThumbprint'> {
  /** Of the key that the code needs. */
  readonly keyThumbprint: string | null;
  readonly request: string;
  readonly progress: string;
}

/** @param openedSession id of the browser session that the login opens or uses */
export function loginRow(
  authRequest: AuthRequest,
  progress: LoginProgress,
  openedSession: string | undefined,
): LoginRow {
  const { key, clientId, redirectUri, codeChallenge, issuer, browserBinding } = authRequest;
  const { identityId, authenticatorId, certThumbprint } = progress;
  return {
    ...{ key, clientId, redirectUri, codeChallenge, issuer, browserBinding },
    ...{ identityId, authenticatorId, certThumbprint, keyThumbprint: authRequest.keyThumbprint ?? null },
    request: JSON.stringify(authRequest),
    progress: provenText(progress, openedSession),
  };
}

/** The proofs of a login, as JSON for their column, including the browser session. */
export function provenText(progress: LoginProgress, openedSession: string | undefined): string {
  return JSON.stringify(
    openedSession === undefined ? progress : { ...progress, browserSessionId: openedSession },
  );
}

const replaced = excluded(
  'request client_id redirect_uri code_challenge issuer browser_binding identity_id progress cert_thumbprint key_thumbprint code_hash code_expires_at',
);

/**
 * Records a login, or replaces the whole record of its request that has no code yet. It never ends earlier than before.
 * @param where.proven  the proofs of the login
 * @param where.sameBrowser a condition of the record that is replaced
 * @returns the row with its generation; undefined when one of the conditions does not hold
 */
export function putLogin(
  login: LoginRow,
  { code, expiresAt }: { readonly code: StoredCode | null; readonly expiresAt: Millis },
  where: { readonly proven: Sql; readonly sameBrowser: string },
): Intent<SqlRow | undefined> {
  return first`INSERT INTO auth_requests (id, request, client_id, redirect_uri, code_challenge, issuer,
       browser_binding, identity_id, progress, cert_thumbprint, key_thumbprint, generation, code_hash, code_expires_at, expires_at)
     SELECT ${login.key}, ${login.request}, ${login.clientId}, ${login.redirectUri}, ${login.codeChallenge},
       ${login.issuer}, ${login.browserBinding}, ${login.identityId}, ${login.progress}, ${login.certThumbprint},
       ${login.keyThumbprint}, 1, ${code?.hash ?? null}, ${code?.expiresAt ?? null},
       ${Math.max(expiresAt, code?.expiresAt ?? 0)} WHERE ${where.proven}
     ON CONFLICT (id) DO UPDATE SET ${raw(replaced)}, generation = auth_requests.generation + 1,
       expires_at = CASE WHEN excluded.expires_at > auth_requests.expires_at THEN excluded.expires_at
         ELSE auth_requests.expires_at END
     WHERE auth_requests.code_hash IS NULL AND (${raw(where.sameBrowser)})
     RETURNING generation`;
}

const tableOf = { signer: raw('external_jwt_signers'), ca: raw('cas') } as const;

/**
 * Whether a signer or an authority is as it was when it vouched. Another node may have changed it since, and this one not
 * heard of it yet; whatever it vouched for earlier ended with the change.
 */
export function isUnchanged({ kind, id, updatedAt }: Voucher): Sql {
  return sql`EXISTS (SELECT 1 FROM ${tableOf[kind]} WHERE id = ${id} AND updated_at = ${updatedAt})`;
}

/** Whether an identity is there and not disabled. @param id its value, or the column that has it */
export function mayLogIn(id: string | Sql, now: Millis): Sql {
  return sql`EXISTS (SELECT 1 FROM identities WHERE identities.id = ${id}
    AND (disabled_at IS NULL OR disabled_until <= ${now}))`;
}

/** Whether a claim still names the identity, and may. */
export function stillVouches(identityId: string, { voucher, externalId }: Vouched): Sql {
  if (externalId === null) return isUnchanged(voucher);
  return sql`(${isUnchanged(voucher)}
    AND EXISTS (SELECT 1 FROM identities WHERE id = ${identityId} AND external_id = ${externalId}))`;
}
