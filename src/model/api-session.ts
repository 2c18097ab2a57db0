import type { Millis } from '../platform/clock.ts';
import type { ClientProgram } from './client-info.ts';
import type { ApiSessionId } from './ids.ts';
import type { ProvenFactors, ProvenLogin } from './login.ts';

/** Why a session ended; kept for the audit trail. */
export type SessionEndReason =
  | 'logout'
  | 'administrator'
  | 'code-reuse'
  | 'refresh-reuse'
  | 'revoked'
  | 'identity-disabled'
  | 'identity-deleted'
  | 'credential-changed'
  | 'timeout'
  | 'too-many';

/** The session that a successful login opens, by OIDC or by the legacy mechanism. */
export interface ApiSession extends ClientProgram, ProvenLogin {
  readonly id: ApiSessionId;
  readonly mechanism: 'oidc' | 'legacy';
  /** The key to which its tokens are bound (RFC 7638, SHA-256, base64url); null for none. */
  readonly keyThumbprint: string | null;
  readonly clientId: string;
  /**
   * Whether no browser had a part in its login or in redeeming its code. Only then may rules for existing programs, which
   * a client id asks for, be weaker. False if it is not known, and for legacy sessions, which have no client id.
   */
  readonly openedByProgram: boolean;
  readonly scopes: readonly string[];
  readonly issuer: string;
  readonly configTypes: readonly string[];
  /** The resources that limit its tokens, from the authorization request (RFC 8707); empty: all of the client. */
  readonly resources: readonly string[];
  /** Where tokens were last issued to; for a legacy session, where its login came from. */
  readonly ipAddress: string;
  /** Where the person logged in; null when the previous release opened the session. */
  readonly loginIpAddress: string | null;
  readonly createdAt: Millis;
  /** When tokens were last issued (OIDC) or the session was last used (legacy). */
  readonly lastActivityAt: Millis;
  /** No token of this session is valid from this point on; afterwards the row is deleted. */
  readonly expiresAt: Millis;
  readonly endedAt: Millis | null;
  readonly endReason: SessionEndReason | null;
}

/** A session of which tokens say how it was proven. */
export type ProvenSession = ApiSession & { readonly passed: ProvenFactors };
