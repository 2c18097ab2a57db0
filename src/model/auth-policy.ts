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
  /** A login with an older password asks for a new one; null, or missing in older policies: never. */
  readonly mustChangeAfter?: Millis | null;
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

/** What an administrator decides about a policy. */
export type AuthPolicyRules = Pick<AuthPolicy, 'name' | 'primary' | 'secondary' | 'tags'>;

/** A change of single members, at any depth; lists and tags are replaced as a whole. */
export interface AuthPolicyPatch {
  readonly name?: string | undefined;
  readonly primary?:
    | {
        readonly [Method in keyof AuthPolicy['primary']]?: Members<AuthPolicy['primary'][Method]> | undefined;
      }
    | undefined;
  readonly secondary?: Members<AuthPolicy['secondary']> | undefined;
  readonly tags?: Tags | undefined;
}

type Members<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** The rules, with the members of the patch replacing theirs. */
export function patchedRules(rules: AuthPolicyRules, patch: AuthPolicyPatch): AuthPolicyRules {
  const { cert, extJwt, updb } = patch.primary ?? {};
  return {
    name: patch.name ?? rules.name,
    primary: {
      cert: withMembers(rules.primary.cert, cert),
      extJwt: withMembers(rules.primary.extJwt, extJwt),
      updb: withMembers(rules.primary.updb, updb),
    },
    secondary: withMembers(rules.secondary, patch.secondary),
    tags: patch.tags ?? rules.tags,
  };
}

function withMembers<Fields extends object>(fields: Fields, members: Members<Fields> = {}): Fields {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return { ...fields, ...Object.fromEntries(given) };
}
