import type { Millis, Seconds } from '../platform/clock.ts';
import type { BrowserSessionRules } from './browser-session.ts';
import type { AuthRequestKey, BrowserSessionId, IdentityId } from './ids.ts';
import type { PrimaryMethod } from './login.ts';

/**
 * A validated authorization request (RFC 6749 4.1.1, RFC 7636 4.3, OIDC Core 3.1.2.1).
 * Until a person logs in, it exists only as sealed text that the client keeps.
 */
export interface AuthRequest {
  readonly key: AuthRequestKey;
  readonly clientId: string;
  /** Exactly as received; compared as raw text at the token endpoint. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | null;
  readonly nonce: string | null;
  /** base64url SHA-256 of the PKCE verifier; empty for a confidential client without PKCE. */
  readonly codeChallenge: string;
  /** Issuer of the bind point at which the request arrived. */
  readonly issuer: string;
  readonly requestedMethod: PrimaryMethod | null;
  /** Ids or names as received; resolved when the session opens. */
  readonly configTypes: readonly string[];
  /** SHA-256, base64url, of the browser's binding cookie; null for clients that are not browsers. */
  readonly browserBinding: string | null;
  readonly createdAt: Millis;
  /** The client's guess at the user name: fills the field of the page, and proves nothing. */
  readonly loginHint?: string;
  /** The resources that limit the tokens (RFC 8707 2.1); all of the client unless given. */
  readonly resources?: readonly string[];
  /** The key that has to be proven with the code (RFC 9449 10, `dpop_jkt`); any or none unless given. */
  readonly keyThumbprint?: string;
  /** Scopes that were asked for and that the client does not have, as received; shortened. */
  readonly droppedScopes?: readonly string[];
  /** How old the login may be: `max_age`, and 0 for `prompt=login`; any age unless given. Other providers are told. */
  readonly maxAge?: Seconds;
  /** From the ID token hint: only this identity may answer; any unless given. */
  readonly meant?: {
    readonly identityId: IdentityId;
    /** As received, for a login that is begun again. Never stored: at the logout endpoint it ends a session. */
    readonly idTokenHint?: string;
  };
  /** How the answer reaches the client; by redirect unless given. */
  readonly responseMode?: 'form_post';
  /** Only if people stay signed in in their browser, and only for such a browser. */
  readonly browserSession?: {
    readonly rules: BrowserSessionRules;
    /** The browser session at the primary step; the login replaces it. */
    readonly replaces?: BrowserSessionId;
    readonly wish: AuthenticationWish;
  };
}

/** A request that only the browser that began it may continue. */
export interface BoundAuthRequest extends AuthRequest {
  readonly browserBinding: string;
}

/** A client's requirements for the authentication itself (OIDC Core 3.1.2.1). */
export interface AuthenticationWish {
  readonly prompts: readonly Prompt[];
  /** The maximum age of the login. */
  readonly maxAge: Seconds | null;
  /** The known ones; empty: any will do. */
  readonly acrValues: readonly string[];
}

export const prompts = ['none', 'login', 'select_account', 'consent'] as const;
export type Prompt = (typeof prompts)[number];
