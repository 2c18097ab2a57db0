import type { AuthPolicyId, IdentityId } from '../ids.ts';
import { permissions } from '../permission.ts';
import * as field from './entity.ts';
import { defaultsOf, entity, type Stored } from './entity.ts';

/** `Router` may report the sessions of its connections; the other types differ only in how they are shown. */
export const identityTypes = ['Default', 'User', 'Device', 'Service', 'Router'] as const;
export type IdentityType = (typeof identityTypes)[number];

/** Where the auth policy of an identity comes from (model/assigned-policy.ts). */
export const policyOrigins = ['identity', 'roleAttributes', 'default'] as const;

export const identityEntity = entity<IdentityId>()({
  kind: 'identity',
  table: 'identities',
  collection: 'identities',
  document: 'Identity',
  noun: 'an identity',
  fields: {
    /** Unique. */
    name: field.name({ isListed: true, isSearched: true }),
    type: field.choice(identityTypes, {
      default: 'Default',
      whenLeftOut: 'refused',
      shownAs: 'typeId',
      isListed: true,
    }),
    /** Matched by external JWT signers and third-party CAs that map to `externalId`. Unique when set. */
    externalId: field.text({ isNullable: true, isListed: true, isSearched: true }),
    /** Where mail reaches the person. Several may share one, and nothing is decided by it. */
    email: field.name({ isNullable: true, whenLeftOut: 'kept', isListed: true, isSearched: true }),
    /** Whether the address was verified: by an administrator, or by the provider that vouched for the identity. */
    emailVerified: field.flag({
      default: false,
      whenLeftOut: 'kept',
      isListed: true,
      description: 'Becomes false when the address changes, unless the same body says otherwise',
    }),
    /** The policy that applies. Assigned again whenever role attributes change, unless an administrator named it. */
    authPolicyId: field.reference<AuthPolicyId>('auth-policy')({
      isNullable: true,
      isChosenIfNull: true,
      isListed: true,
      description:
        'The policy that applies, which is also the identity’s own once it is sent. Null: the first policy by name that has one of its role attributes in assignTo, otherwise the default policy',
    }),
    authPolicyFrom: field.choice(policyOrigins, {
      isDerived: true,
      isListed: true,
      description:
        'Why this auth policy applies: `identity`: it was named; `roleAttributes`: its assignTo has one of them; `default`: neither',
    }),
    isAdmin: field.flag({ default: false, whenLeftOut: 'refused', isListed: true }),
    /** For people who are not administrators; administrators need none. */
    permissions: field.choices(permissions, { ...field.usually([]), isListed: true, isSet: true }),
    /** Whether the next login with a password asks for a new one. Clients that replace an identity may not know it. */
    passwordMustChange: field.flag({
      default: false,
      whenLeftOut: 'kept',
      isListed: true,
      description: 'The next login with a password asks for a new one',
    }),
    /** Not stored: `disabledAt` says it. */
    disabled: field.flag({
      column: null,
      isForChange: true,
      whenLeftOut: 'kept',
      description:
        'True ends all sessions of the identity. Of a disabled one, false in a whole document (PUT) needs If-Match',
    }),
    disabledAt: field.time({ isNullable: true, isDerived: true, isListed: true }),
    /** With `disabledAt`: disabled until then; null: until an administrator enables it. */
    disabledUntil: field.time({
      isNullable: true,
      isForChange: true,
      whenLeftOut: 'kept',
      description:
        'A time within the next ten years. It also disables the identity. Null: until it is enabled again',
    }),
    roleAttributes: field.attributes({ ...field.usually([]), isListed: true }),
    lastLoginAt: field.time({
      isNullable: true,
      isDerived: true,
      isListed: true,
      description: 'When a login last opened a session, to the hour; null: none since this is kept',
    }),
    /** Second factors, each in a table of its own. */
    isMfaEnabled: field.flag({
      column: null,
      isDerived: true,
      isListed: true,
      description: 'Whether it has TOTP',
    }),
    hasPasskey: field.flag({ column: null, isDerived: true, isListed: true }),
    tags: field.tags(),
  },
  options: {
    type: 'its kind; default of create: User',
    isAdmin: ['--admin', 'let it administer'],
    permissions: ['--permission <list>', 'without administering: read, helpdesk; separated by commas'],
    externalId: 'id in claims of external JWTs',
    email: ['<address>', 'email address, which applications get with the scope email'],
    emailVerified: 'treat the address as known to be theirs',
    authPolicyId: 'name or id of its auth policy; empty: by role attributes',
    passwordMustChange: 'ask for a new password at the next login with a password',
    disabled: 'refuse its logins',
    disabledUntil: 'it cannot log in until a time such as 2030-01-31T12:00:00Z; empty: until it is enabled',
    roleAttributes: 'separated by commas',
  },
});

/** Of the fields that a new identity may leave out. Null as its policy means that none is named for it. */
export const identityDefaults = defaultsOf(identityEntity);

/** A person, a device or a service that can authenticate. */
export type Identity = Stored<typeof identityEntity>;

/** An identity as it was sent: its policy is null if none was named. */
export function asSent<Of extends Pick<Identity, 'authPolicyId' | 'authPolicyFrom'>>(
  identity: Of,
): Omit<Of, 'authPolicyId' | 'authPolicyFrom'> & { readonly authPolicyId: AuthPolicyId | null } {
  const { authPolicyId, authPolicyFrom, ...rest } = identity;
  return { ...rest, authPolicyId: authPolicyFrom === 'identity' ? authPolicyId : null };
}

/** The fields of an identity for its tokens. */
export type IdentityInTokens = Pick<Identity, 'id' | 'name' | 'isAdmin'>;
