import type { CaId } from '../ids.ts';
import * as field from './entity.ts';
import { entity, type Stored } from './entity.ts';

export const claimLocations = ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const;
export type ClaimLocation = (typeof claimLocations)[number];

/** `soft`: a certificate whose status cannot be had logs in, which its record says. `hard`: it does not. */
export const revocationModes = ['off', 'soft', 'hard'] as const;

/** `SCHEME` compares the scheme of a URI, so it requires `SAN_URI`. */
export const claimMatchers = ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const;

export const claimParsers = ['NONE', 'SPLIT'] as const;

export const caEntity = entity<CaId>()({
  kind: 'ca',
  table: 'cas',
  collection: 'cas',
  document: 'Ca',
  noun: 'an authority',
  fields: {
    /** Unique. */
    name: field.name({ isListed: true }),
    /** It does not change: the proof of possession was for its key. */
    certPem: field.pem({ whenLeftOut: 'kept' }),
    /** SHA-256 of the DER form, base64url. Unique. */
    thumbprint: field.text({ isDerived: true, shownAs: 'fingerprint', isListed: true, isFingerprint: true }),
    isAuthEnabled: field.flag({ ...field.usually(false), isListed: true }),
    isAutoCaEnrollmentEnabled: field.flag({ ...field.usually(false), isListed: true }),
    isOttCaEnrollmentEnabled: field.flag({ ...field.usually(false), isListed: true }),
    /** Role attributes of identities that enroll through it. */
    identityRoles: field.attributes(field.usually([])),
    /** Template for the names of such identities. */
    identityNameFormat: field.text(field.usually('')),
    /**
     * Which name in a certificate is the external id of an identity; login/certificate/ca-claim.ts evaluates it. Null:
     * certificates are matched to authenticators only.
     */
    externalIdClaim: field.object(
      {
        location: field.choice(claimLocations),
        matcher: field.choice(claimMatchers, field.usually('ALL')),
        /** For the matcher; not used by `ALL`. */
        matcherCriteria: field.text(field.usually('')),
        parser: field.choice(claimParsers, field.usually('NONE')),
        /** The separator; not used by `NONE`. */
        parserCriteria: field.text(field.usually('')),
        /** Which of the parts, from 0; `NONE` leaves one part. */
        index: field.integer({ least: 0, most: 100 }, field.usually(0)),
        /** `PREFIX` and `SUFFIX` remove what they match, as in the controller that the rule was imported from. */
        removeMatched: field.flag({ isOptional: true, isShownIfSet: true }),
      },
      { isNullable: true },
    ),
    /** How it is found out whether its certificates were revoked; see docs/decisions/foreign-revocation.md. */
    revocation: field.group(
      {
        mode: field.choice(revocationModes, field.usually('off')),
        /** Addresses of its CRLs, those of authorities below it, and lists that add to them. */
        crlUrls: field.texts({ ...field.usually([]), isSet: true, maxItems: 20 }),
        /** CRLs by their content, PEM. */
        crlPem: field.pem({ isNullable: true }),
        /** A responder that is asked where no list decides; null: the one that each certificate names. */
        ocsp: field.text({ isNullable: true }),
      },
      { whenLeftOut: 'kept' },
    ),
    /** When possession of its key was proven. Until then its certificates are not accepted. */
    verifiedAt: field.time({ isNullable: true, isDerived: true, isListed: true }),
    /** The common name of the certificate that proves possession. */
    verificationToken: field.text({ isDerived: true, isSecret: true }),
    tags: field.tags(),
  },
  arguments: { certPem: 'file with its certificate' },
  options: {
    isAuthEnabled: ['--auth', 'let its certificates log in'],
    'externalIdClaim.location': [
      '--claim-location <where>',
      'which part of its certificates contains the external id of the identity',
    ],
    'externalIdClaim.matcher': [
      '--claim-matcher <matcher>',
      'which of the names there to use (default: ALL)',
    ],
    'externalIdClaim.matcherCriteria': ['--claim-matches <text>', 'prefix, suffix or scheme of that name'],
    'externalIdClaim.parser': [
      '--claim-parser <parser>',
      'whether the value is the external id or has to be split (default: NONE)',
    ],
    'externalIdClaim.parserCriteria': ['--claim-split-at <text>', 'with SPLIT: where to cut'],
    'externalIdClaim.index': ['--claim-index <n>', 'with SPLIT: which part, from 0'],
    'revocation.mode': [
      '--revocation <mode>',
      'whether revoked certificates are refused: off, soft (a status that cannot be had counts as good) or hard',
    ],
    'revocation.crlUrls': 'addresses of its CRLs, separated by commas',
    'revocation.crlPem': ['--crl <file>', 'file with its CRLs, PEM'],
    'revocation.ocsp': ['--ocsp <url>', 'OCSP responder; empty: the one that each certificate names'],
  },
});

/** A third-party authority whose certificates may authenticate and enroll identities (spec 2.9). */
export type Ca = Stored<typeof caEntity>;
export type ExternalIdClaim = NonNullable<Ca['externalIdClaim']>;

/** Of an authority whose certificates are not checked for revocation. */
export const noRevocation: Ca['revocation'] = { mode: 'off', crlUrls: [], crlPem: null, ocsp: null };

/** Whether certificates it issued may log in now. */
export function isTrustedForLogin(ca: Pick<Ca, 'isAuthEnabled' | 'verifiedAt'>): boolean {
  return ca.isAuthEnabled && ca.verifiedAt !== null;
}

/** Whether no path may lead through it. One without proof of its key may have been registered by a stranger to it. */
export function isBarred(ca: Pick<Ca, 'isAuthEnabled' | 'verifiedAt'>): boolean {
  return !ca.isAuthEnabled && ca.verifiedAt !== null;
}
