// The documents of the management API as far as the console reads them.

import type { Texts } from './texts/en.ts';

export type Method = 'password' | 'cert' | 'ext-jwt';
export type Permission = 'read' | 'helpdesk';
export type Reason = keyof Texts['reasons'];

interface Entity {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tags: Readonly<Record<string, string | number | boolean | null>>;
}

interface Ref {
  readonly id: string;
  readonly name: string;
}

export interface Identity extends Entity {
  readonly name: string;
  readonly typeId: string;
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
  readonly externalId: string | null;
  readonly authPolicyId: string;
  readonly authPolicy: Ref;
  readonly roleAttributes: readonly string[];
  readonly disabled: boolean;
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
  readonly isMfaEnabled: boolean;
}

export interface IdentityDetail extends Identity {
  readonly lockedUntil: { readonly password: string | null; readonly totp: string | null };
}

export interface AuthPolicy extends Entity {
  readonly name: string;
  readonly primary: {
    readonly cert: { readonly allowed: boolean; readonly allowExpiredCerts: boolean };
    readonly extJwt: { readonly allowed: boolean; readonly allowedSigners: readonly string[] };
    readonly updb: {
      readonly allowed: boolean;
      readonly minPasswordLength: number;
      readonly requireSpecialChar: boolean;
      readonly requireNumberChar: boolean;
      readonly requireMixedCase: boolean;
      readonly maxAttempts: number;
      readonly lockoutDurationMinutes: number;
    };
  };
  readonly secondary: { readonly requireTotp: boolean; readonly requireExtJwt: string | null };
}

export type Authenticator = Entity & {
  readonly identityId: string;
  readonly identity: Ref;
} & (
    | { readonly method: 'updb'; readonly username: string; readonly lockedUntil: string | null }
    | { readonly method: 'cert'; readonly certPem: string; readonly fingerprint: string }
  );

export interface ApiSession extends Entity {
  readonly mechanism: 'oidc' | 'legacy';
  readonly identityId: string;
  readonly identity: Ref;
  readonly clientId: string;
  readonly amr: readonly string[];
  readonly ipAddress: string;
  readonly lastActivityAt: string;
  readonly expiresAt: string;
}

export interface LoginAttempt {
  readonly reference: string;
  readonly at: string;
  readonly step: string;
  readonly mechanism: string;
  readonly outcome: 'passed' | 'refused';
  readonly reason: string | null;
  readonly subject: string | null;
  readonly ipAddress: string;
  readonly issuer: string;
  readonly checks: readonly {
    readonly check: string;
    readonly verdict: 'passed' | 'failed';
    readonly saw: string | null;
  }[];
  readonly identityId: string | null;
  readonly identity: Ref | null;
  readonly explanation: { readonly happened: string; readonly remedy: string } | null;
}

export interface LoginExplanation {
  readonly method: Method;
  readonly outcome: 'allowed' | 'refused';
  readonly reason: string | null;
  readonly checks: readonly {
    readonly name: string;
    readonly verdict: 'passed' | 'failed';
    readonly saw: string | null;
  }[];
  readonly asks: readonly ('totp' | 'ext-jwt')[];
}

export interface PolicyPreview {
  readonly touched: { readonly count: number };
  readonly asksMore: { readonly count: number };
  readonly lockedOut: { readonly count: number; readonly first: readonly Ref[] };
}

export interface Signer extends Entity {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly enabled: boolean;
}

export interface HourlyAttempts {
  /** One for each of the last 24 hours, the oldest first. */
  readonly hours: readonly { readonly from: string; readonly passed: number; readonly refused: number }[];
}

export interface Controller extends Entity {
  readonly name: string;
  readonly ctrlAddress: string;
  readonly version: string;
  readonly isOnline: boolean;
  readonly lastJoinedAt: string;
  readonly apiAddresses: Readonly<
    Record<string, readonly { readonly url: string; readonly version: string }[]>
  >;
}

export interface Enrollment extends Entity {
  readonly method: string;
  readonly identityId: string;
  readonly identity: Ref;
  readonly username: string | null;
  readonly expiresAt: string;
}

export interface Authority extends Entity {
  readonly name: string;
  readonly fingerprint: string;
  readonly certPem: string;
  readonly isVerified: boolean;
  readonly isAuthEnabled: boolean;
}
