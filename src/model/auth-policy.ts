import type { Millis } from '../platform/clock.ts';
import type { Tags } from './identity.ts';
import type { AuthPolicyId, SignerId } from './ids.ts';

/** Rules for username and password logins. */
export interface PasswordPolicy {
  readonly allowed: boolean;
  /** Characters, counted as Unicode code points; enforced when a password is set. */
  readonly minPasswordLength: number;
  readonly requireSpecialChar: boolean;
  readonly requireNumberChar: boolean;
  readonly requireMixedCase: boolean;
  /** Failures in a row before the authenticator is locked; 0 means never. */
  readonly maxAttempts: number;
  /** 0 means until an administrator unlocks it. */
  readonly lockoutDurationMinutes: number;
}

/** Which primary methods an identity may use and which secondary factors it must pass (spec 2.9). */
export interface AuthPolicy {
  readonly id: AuthPolicyId;
  readonly name: string;
  readonly primary: {
    readonly cert: { readonly allowed: boolean; readonly allowExpiredCerts: boolean };
    /** An empty list of signers means every enabled signer. */
    readonly extJwt: { readonly allowed: boolean; readonly allowedSigners: readonly SignerId[] };
    readonly updb: PasswordPolicy;
  };
  readonly secondary: { readonly requireTotp: boolean; readonly requireExtJwt: SignerId | null };
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
