import type { Authority } from '../../types.ts';

export type ClaimRule = NonNullable<Authority['externalIdClaim']>;

/** What the form of a CA can change. Its certificate cannot change. */
export type CaDraft = Pick<
  Authority,
  | 'name'
  | 'isAuthEnabled'
  | 'isAutoCaEnrollmentEnabled'
  | 'isOttCaEnrollmentEnabled'
  | 'identityRoles'
  | 'identityNameFormat'
  | 'externalIdClaim'
  | 'tags'
>;

export type NewCaDraft = CaDraft & { readonly certPem: string };

export function draftOf(ca: Authority): CaDraft {
  const { name, isAuthEnabled, isAutoCaEnrollmentEnabled, isOttCaEnrollmentEnabled } = ca;
  const { identityRoles, identityNameFormat, externalIdClaim, tags } = ca;
  return {
    name,
    isAuthEnabled,
    isAutoCaEnrollmentEnabled,
    isOttCaEnrollmentEnabled,
    identityRoles,
    identityNameFormat,
    externalIdClaim,
    tags,
  };
}

export const newCa: NewCaDraft = {
  name: '',
  certPem: '',
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: false,
  isOttCaEnrollmentEnabled: false,
  identityRoles: [],
  identityNameFormat: '',
  externalIdClaim: null,
  tags: {},
};

export const newRule: ClaimRule = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

/** As `overlay-auth create|update ca --help` lists them. Fields without one need a document with `--file`. */
export const caFlags = {
  name: '--name',
  isAuthEnabled: '--auth',
  externalIdClaim: {
    location: '--claim-location',
    matcher: '--claim-matcher',
    matcherCriteria: '--claim-matches',
    parser: '--claim-parser',
    parserCriteria: '--claim-split-at',
    index: '--claim-index',
  },
  tags: '--tag',
} as const;
