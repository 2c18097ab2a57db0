import { DAY } from '../../platform/time-units.ts';
import type { AuthPolicyId, SignerId } from '../ids.ts';
import { usualPolicy } from '../usual-policy.ts';
import * as field from './entity.ts';
import { type Change, entity, type Stored } from './entity.ts';

const { cert, extJwt, updb, passkey } = usualPolicy.primary;
/** Requirements for the authenticator (WebAuthn level 3, section 5.8.6). */
export const userVerifications = ['required', 'preferred', 'discouraged'] as const;
const signer = field.reference<SignerId>('ext-jwt-signer');
const oneYearInMinutes = 366 * 24 * 60;

/** Defaults are the values of the policy `default` when it was new. */
export const authPolicyEntity = entity<AuthPolicyId>()({
  kind: 'auth-policy',
  table: 'auth_policies',
  collection: 'auth-policies',
  document: 'AuthPolicy',
  noun: 'an auth policy',
  fields: {
    /** Unique. */
    name: field.name({ isListed: true }),
    /** The methods with which a login can begin. */
    primary: field.group(
      {
        cert: field.group({
          allowed: field.flag({ default: cert.allowed }),
          allowExpiredCerts: field.flag({ default: cert.allowExpiredCerts }),
        }),
        extJwt: field.group({
          allowed: field.flag({ default: extJwt.allowed }),
          /** An empty list means every enabled signer. */
          allowedSigners: field.references<SignerId>('ext-jwt-signer')({
            default: [],
            nullIsDefault: true,
            isSet: true,
            maxItems: 100,
          }),
        }),
        updb: field.group({
          allowed: field.flag({ default: updb.allowed }),
          /**
           * Characters, counted as Unicode code points; enforced when a password is set. Values below eight are accepted
           * because other clients send them, but no password may be that short.
           */
          minPasswordLength: field.integer({ least: 5, most: 256 }, { default: updb.minPasswordLength }),
          requireSpecialChar: field.flag({ default: updb.requireSpecialChar }),
          requireNumberChar: field.flag({ default: updb.requireNumberChar }),
          requireMixedCase: field.flag({ default: updb.requireMixedCase }),
          /** Failures in a row before the authenticator is locked; 0 means never. */
          maxAttempts: field.integer(
            { least: 0, most: 1000, zeroMeans: 'never locked' },
            { default: updb.maxAttempts },
          ),
          /** 0 means until an administrator unlocks it. */
          lockoutDurationMinutes: field.integer(
            { least: 0, most: oneYearInMinutes, zeroMeans: 'until an administrator unlocks' },
            { default: updb.lockoutDurationMinutes },
          ),
          /** The greatest age. Less than a day would require a new one at most logins. Missing in older policies. */
          mustChangeAfter: field.duration(
            {
              isNullable: true,
              isShownIfSet: true,
              whenLeftOut: 'kept',
              description: 'A login with a password that is so old asks for a new one; null: never',
              examples: ['90d'],
            },
            { least: DAY, most: 100 * 366 * DAY },
          ),
        }),
        passkey: field.group(
          {
            allowed: field.flag({ default: passkey.allowed }),
            /** If required, a first or second proof by passkey counts only if the authenticator knew its owner: by PIN, finger or face. */
            userVerification: field.choice(userVerifications, { default: 'required' }),
            /** Such a login also stands for TOTP and for `requirePasskey`; then user verification is required. */
            satisfiesSecondary: field.flag({ default: passkey.satisfiesSecondary }),
            /** Models (AAGUID) for which their makers have to vouch, of first and second proofs. Empty: all. */
            allowedAuthenticators: field.texts({
              default: [],
              nullIsDefault: true,
              isSet: true,
              isLowerCase: true,
              maxItems: 100,
              description: 'AAGUIDs; empty: every model, and none has to be proven',
              examples: [['2fc0579f-8113-47ea-b116-bb5a8db9202a']],
            }),
          },
          { whenLeftOut: 'kept' },
        ),
      },
      { column: 'primary_rules' },
    ),
    /** Factors in addition to the primary one. */
    secondary: field.group(
      {
        requireTotp: field.flag({ default: false }),
        requireExtJwt: signer({ isNullable: true }),
        requireExtJwtSigner: signer({ isNullable: true, sameAs: 'requireExtJwt' }),
        /** A person without a passkey adds one at the next login. */
        requirePasskey: field.flag({ default: false, whenLeftOut: 'kept' }),
      },
      { column: 'secondary_rules' },
    ),
    /** Identities with one of these role attributes get it, unless they have one of their own. */
    assignTo: field.attributes({
      ...field.usually([]),
      whenLeftOut: 'kept',
      isListed: true,
      description:
        'Role attributes. An identity with one of them has this policy, unless a policy was named for it or another policy before this one by name has one of them too',
    }),
    /** Whether tokens must be bound to a key (RFC 9449). */
    requireDpop: field.flag({ default: false, whenLeftOut: 'kept' }),
    tags: field.tags(),
  },
  options: {
    'primary.updb.allowed': ['--password', 'allow user name and password'],
    'primary.cert.allowed': ['--cert', 'allow client certificates'],
    'primary.cert.allowExpiredCerts': ['--expired-certs', 'accept expired client certificates'],
    'primary.extJwt.allowed': ['--ext-jwt', 'allow external JWTs'],
    'primary.extJwt.allowedSigners': 'names or ids of external JWT signers, separated by commas; empty: all',
    'primary.passkey.allowed': ['--passkey', 'allow passkeys'],
    'primary.passkey.userVerification':
      'whether a passkey asks for PIN, finger or face: required, preferred or discouraged',
    'primary.passkey.satisfiesSecondary': [
      '--passkey-satisfies-secondary',
      'accept a passkey with PIN, finger or face in place of TOTP and another passkey',
    ],
    'primary.passkey.allowedAuthenticators':
      'models of authenticators (AAGUIDs) that passkeys may be in, separated by commas; empty: all',
    'secondary.requireTotp': 'ask for TOTP',
    'secondary.requirePasskey': 'ask for a passkey',
    assignTo: 'role attributes, separated by commas: identities with one of them get this policy',
    requireDpop: 'give only tokens that are bound to a key of the client (DPoP, RFC 9449)',
    'secondary.requireExtJwt': 'also require a token of this external JWT signer; empty: no such token',
    'primary.updb.minPasswordLength': 'characters of a new password',
    'primary.updb.mustChangeAfter':
      'a login with a password that is so old, such as 90d, asks for a new one; empty: never',
    'primary.updb.maxAttempts': 'wrong passwords in a row before a lock; 0: never',
    'primary.updb.lockoutDurationMinutes': [
      '--lockout-minutes <n>',
      'length of the first lock; 0: until an administrator unlocks',
    ],
  },
});

/** Which primary methods an identity may use and which secondary factors it must pass (spec 2.9). */
export type AuthPolicy = Stored<typeof authPolicyEntity>;
/** Rules for username and password logins. */
export type PasswordPolicy = AuthPolicy['primary']['updb'];
/** The rules of a policy, as an administrator sets them. */
export type AuthPolicyRules = Pick<
  AuthPolicy,
  'name' | 'primary' | 'secondary' | 'assignTo' | 'requireDpop' | 'tags'
>;
/** A change of single members, at any depth; lists and tags are replaced as a whole. */
export type AuthPolicyPatch = Change<typeof authPolicyEntity>;
