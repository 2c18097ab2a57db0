import type { Seconds } from '../../platform/time-units.ts';
import type { AuthPolicyId, SignerId } from '../ids.ts';
import * as field from './entity.ts';
import { defaultsOf, entity, type Stored } from './entity.ts';
import { clientAuthMethods } from './oidc-client.ts';

export const targetTokens = ['ACCESS', 'ID'] as const;

export const externalJwtSignerEntity = entity<SignerId>()({
  kind: 'ext-jwt-signer',
  table: 'external_jwt_signers',
  collection: 'external-jwt-signers',
  document: 'ExternalJwtSigner',
  noun: 'an external JWT signer',
  fields: {
    /** Unique. */
    name: field.name({ isListed: true }),
    /** A new signer is enabled unless the body says otherwise; replacing one must not enable it by omission. */
    enabled: field.flag({ default: true, whenLeftOut: 'refused', isListed: true }),
    /** Must equal `iss` exactly. */
    issuer: field.text({ isListed: true }),
    /** Must be among the audiences of a token. */
    audience: field.text({ isListed: true }),

    /** Where the keys come from: a certificate, which has the only key and limits its time; an address; discovery. */
    certPem: field.pem({ isNullable: true }),
    /** An https URL. With `discovery`, for when the discovery document cannot be had. */
    jwksEndpoint: field.text({ isNullable: true }),
    /** Whether `jwks_uri` of the issuer's discovery document is followed; by default where no other source is given. */
    discovery: field.flag({ isOptional: true }),
    /** With `certPem`: the only `kid` that a token may name; null: any. With `jwksEndpoint`: null. */
    kid: field.text({ isNullable: true, isListed: true }),
    /** Of the certificate, for display; null without one. SHA-256 of the DER form, base64url. */
    fingerprint: field.text({ isNullable: true, isDerived: true, isFingerprint: true }),
    commonName: field.text({ isNullable: true, isDerived: true }),
    notBefore: field.time({ isNullable: true, isDerived: true }),
    notAfter: field.time({ isNullable: true, isDerived: true }),

    /** Where the claim is that names the identity: a claim's name, or a JSON pointer, which begins with `/`. */
    claimsProperty: field.text(field.usually('sub')),
    /** Whether that claim contains the identity's `externalId`; otherwise its `id`. */
    useExternalId: field.flag(field.usually(false)),
    /** The allowed error of the provider's clock; 0 to 60. */
    leewaySeconds: field.number({ ...field.usually<Seconds>(30), whenLeftOut: 'kept' }),
    /** Tokens with a longer lifetime are refused; null: no limit. */
    maxLifetimeSeconds: field.number({ isNullable: true, whenLeftOut: 'kept' }),

    /** Where people sign in, and as which client: for clients that get tokens themselves, and for our login page. */
    externalAuthUrl: field.text({ isNullable: true }),
    clientId: field.text({ isNullable: true, isListed: true }),
    /** How this service proves there that it is this client. The default depends on whether there is a secret. */
    clientAuthMethod: field.choice(clientAuthMethods, { isOptional: true, whenLeftOut: 'kept' }),
    /** Taken and never shown. Null removes it. */
    clientSecret: field.text({ isNullable: true, isSecret: true, whenLeftOut: 'kept', column: null }),
    /** The same, sealed for this provider (login/external-jwt/client-secret.ts). */
    sealedClientSecret: field.text({
      isNullable: true,
      isDerived: true,
      isSecret: true,
      shownAs: 'clientSecret',
    }),
    hasClientSecret: field.flag({ isDerived: true, saysWhether: 'sealedClientSecret', column: null }),
    scopes: field.texts({ ...field.usually([]), isSet: true }),
    /** Which of the provider's tokens clients should send. An ID token must contain the time of its issue. */
    targetToken: field.choice(targetTokens, field.usually('ACCESS')),

    enrollToCertEnabled: field.flag(field.usually(false)),
    enrollToTokenEnabled: field.flag(field.usually(false)),
    /** The policy of identities that enroll with a token; null: the default one. */
    enrollAuthPolicyId: field.reference<AuthPolicyId>('auth-policy')({ isNullable: true }),
    /** As `claimsProperty`. */
    enrollNameClaimsSelector: field.text(field.usually('sub')),
    enrollAttributeClaimsSelector: field.text({ isNullable: true }),

    /**
     * How identities are made for people whom it names for the first time at a login; null: they are refused. They
     * administer nothing, have no permissions, and `claimsProperty` is their external id.
     */
    createIdentities: field.object(
      {
        /** As `claimsProperty`. */
        name: field.text({ default: 'name' }),
        email: field.text({ isNullable: true, default: 'email' }),
        roleAttributes: field.text({ isNullable: true }),
        /** Of what the claim contains, at an enrollment too, only these; missing: all. */
        allowedRoleAttributes: field.attributes({ isOptional: true, isShownIfSet: true, maxItems: 100 }),
        /** Null: the default one. */
        authPolicyId: field.reference<AuthPolicyId>('auth-policy')({ isNullable: true }),
      },
      { isNullable: true, whenLeftOut: 'kept' },
    ),

    /**
     * Whether an `email` counts only with `email_verified: true` beside it. Otherwise an `email` without that claim
     * counts too; one that the provider calls unverified never counts.
     */
    requireVerifiedEmail: field.flag(field.usually(true)),
    tags: field.tags(),
  },
  arguments: { issuer: 'exactly as in its tokens', audience: 'that the tokens must be for' },
  options: {
    issuer: 'another issuer',
    audience: 'another audience',
    enabled: 'accept its tokens',
    jwksEndpoint: ['<url>', 'https address of its keys'],
    certPem: 'certificate with its key, instead',
    discovery: 'follow jwks_uri of its discovery document (default without an address or certificate)',
    kid: 'with --cert: the only key id that tokens may name',
    claimsProperty: ['<claim>', 'claim that names the identity, or a JSON pointer (default: sub)'],
    useExternalId: 'take the claim as the external id of the identity; otherwise it is the id',
    requireVerifiedEmail:
      'require email_verified: true for an email claim (default); --no- for providers that never send it',
    leewaySeconds: '0 to 60 (default: 30)',
    maxLifetimeSeconds: 'refuse tokens with a longer lifetime',
    externalAuthUrl: 'where clients get a token',
    clientId: 'that clients use there',
    clientAuthMethod: ['--client-auth <method>', 'how this service proves there that it is this client'],
    clientSecret: ['--client-secret-file <file>', 'file with the secret of the client, which is never shown'],
    scopes: 'that clients ask for, separated by commas',
    targetToken: ['--send <token>', 'which token clients send'],
    enrollToCertEnabled: ['--enroll-to-cert', 'let its tokens enroll a client certificate'],
    enrollToTokenEnabled: ['--enroll-to-token', 'let a first token create the identity; later tokens log in'],
    enrollAuthPolicyId: 'auth policy of identities that enroll so',
    enrollNameClaimsSelector: [
      '--enroll-name-claim <claim>',
      'claim that becomes their name, or a JSON pointer (default: sub)',
    ],
    enrollAttributeClaimsSelector: [
      '--enroll-attribute-claim <claim>',
      'claim that contains their role attributes, or a JSON pointer',
    ],
    'createIdentities.name': [
      '--create-name-claim <claim>',
      'create identities of people who come for the first time; this claim becomes their name (default: name)',
    ],
    'createIdentities.email': [
      '--create-email-claim <claim>',
      'claim with their email address (default: email)',
    ],
    'createIdentities.roleAttributes': [
      '--create-attribute-claim <claim>',
      'claim with their role attributes',
    ],
    'createIdentities.allowedRoleAttributes': [
      '--create-allowed-attributes <list>',
      'which of those they may get (default: all)',
    ],
    'createIdentities.authPolicyId': ['--create-auth-policy <policy>', 'their auth policy'],
  },
});

/** An identity provider whose JWTs are accepted as a primary method or as a secondary factor (spec 2.9). */
export type ExternalJwtSigner = Stored<typeof externalJwtSignerEntity>;

export const externalJwtSignerDefaults = {
  ...defaultsOf(externalJwtSignerEntity),
  discovery: false,
  clientAuthMethod: 'none',
  sealedClientSecret: null,
} as const;
