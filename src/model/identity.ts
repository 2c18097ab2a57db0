import type { Millis } from '../platform/clock.ts';
import type { AuthPolicyId, IdentityId } from './ids.ts';
import type { Permission } from './permission.ts';

/** `Router` may report the sessions of its connections; the other types differ only in how they are shown. */
export const identityTypes = ['Default', 'User', 'Device', 'Service', 'Router'] as const;
export type IdentityType = (typeof identityTypes)[number];

/** Free key and value pairs that administrators attach to an entity; never interpreted. */
export type Tags = Readonly<Record<string, string | number | boolean | null>>;

/** Who can authenticate: a person, a device, a service. */
export interface Identity {
  readonly id: IdentityId;
  /** Unique. */
  readonly name: string;
  readonly type: IdentityType;
  /** Matched by external JWT signers and third-party CAs that map to `externalId`. Unique when set. */
  readonly externalId: string | null;
  readonly authPolicyId: AuthPolicyId;
  readonly isAdmin: boolean;
  /** For somebody who is not an administrator; administrators need none. */
  readonly permissions: readonly Permission[];
  readonly disabledAt: Millis | null;
  /** With `disabledAt`: disabled until then; null: until an administrator enables it. */
  readonly disabledUntil: Millis | null;
  /** Whether the next login with a password asks for a new one. */
  readonly passwordMustChange: boolean;
  readonly roleAttributes: readonly string[];
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** What tokens say about an identity. */
export type IdentityInTokens = Pick<Identity, 'id' | 'name' | 'isAdmin'>;
