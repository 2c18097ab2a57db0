import type { ClaimLocation, ExternalIdClaim } from '../../model/entities/ca.ts';

/** The names in a validated leaf, by kind. */
export interface ClaimedNames {
  readonly commonNames: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
}

export type ClaimVerdict =
  | { readonly verdict: 'found'; readonly externalId: string }
  | { readonly verdict: 'refused'; readonly reason: ClaimRefusal };

/** Characters of an external id, counted before the name is split. */
const longestClaim = 1024;

/** Why a rule finds no external id in a certificate, for administrators. */
export const claimRefusals = {
  'claim-missing': 'the certificate has no name there',
  'claim-no-match': 'the matcher accepts no name there',
  'claim-ambiguous': 'the matcher accepts several different names there',
  'claim-index-missing': 'the name has no part with this index',
  'claim-empty': 'the name, or its part, is empty',
  'claim-too-long': `the name is longer than ${longestClaim} characters`,
  'claim-not-text': 'the name has control characters or is not Unicode text',
  'claim-rule-invalid': 'a criterion of the rule is empty, or SCHEME is used without SAN_URI',
} as const;

export type ClaimRefusal = keyof typeof claimRefusals;

/**
 * The external id that a CA's rule finds in a certificate it issued. The id has meaning for that CA only: the caller
 * decides whether the CA may vouch for the identity with this external id.
 * Matchers select names, and shorten them where the rule says `removeMatched`; exactly one name must be left; SPLIT
 * cuts that one, and the index counts its parts. Letter case matters, except in a scheme (RFC 3986 section 3.1).
 */
export function externalIdFrom(names: ClaimedNames, rule: ExternalIdClaim): ClaimVerdict {
  if (!isUsable(rule)) return refused('claim-rule-invalid');
  const values = namesAt(names, rule.location);
  if (values.length === 0) return refused('claim-missing');
  const [name, ...others] = new Set(values.filter((value) => matches(value, rule)));
  if (name === undefined) return refused('claim-no-match');
  if (others.length > 0) return refused('claim-ambiguous');
  if (name.length > longestClaim) return refused('claim-too-long');
  const value = remaining(name, rule);
  const parts = rule.parser === 'SPLIT' ? value.split(rule.parserCriteria) : [value];
  const externalId = parts[rule.index];
  if (externalId === undefined) return refused('claim-index-missing');
  if (externalId.trim() === '') return refused('claim-empty');
  if (!externalId.isWellFormed() || notText.test(externalId)) return refused('claim-not-text');
  return { verdict: 'found', externalId };
}

/** Whether the rule could find this external id in some certificate. */
export function mayYield(rule: ExternalIdClaim, externalId: string): boolean {
  if (!isUsable(rule)) return false;
  // Only the certificate can tell what surrounds the part.
  if (rule.parser === 'SPLIT') return !externalId.includes(rule.parserCriteria);
  const before = rule.removeMatched === true && rule.matcher === 'PREFIX' ? rule.matcherCriteria : '';
  const after = rule.removeMatched === true && rule.matcher === 'SUFFIX' ? rule.matcherCriteria : '';
  const name = [`${before}${externalId}${after}`];
  return externalIdFrom({ commonNames: name, uris: name, emails: name }, rule).verdict === 'found';
}

// Includes format characters, which can make two ids look alike.
const notText = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

function refused(reason: ClaimRefusal): ClaimVerdict {
  return { verdict: 'refused', reason };
}

function isUsable(rule: ExternalIdClaim): boolean {
  if (rule.matcher !== 'ALL' && rule.matcherCriteria === '') return false;
  if (rule.matcher === 'SCHEME' && rule.location !== 'SAN_URI') return false;
  if (rule.parser === 'SPLIT' && rule.parserCriteria === '') return false;
  return Number.isSafeInteger(rule.index) && rule.index >= 0;
}

function namesAt(names: ClaimedNames, location: ClaimLocation): readonly string[] {
  switch (location) {
    case 'COMMON_NAME':
      return names.commonNames;
    case 'SAN_URI':
      return names.uris;
    case 'SAN_EMAIL':
      return names.emails;
  }
}

/** The rest of a name after removing the part that matched. */
function remaining(name: string, { removeMatched, matcher, matcherCriteria }: ExternalIdClaim): string {
  if (removeMatched !== true) return name;
  if (matcher === 'PREFIX') return name.slice(matcherCriteria.length);
  return matcher === 'SUFFIX' ? name.slice(0, -matcherCriteria.length) : name;
}

function matches(value: string, { matcher, matcherCriteria }: ExternalIdClaim): boolean {
  switch (matcher) {
    case 'ALL':
      return true;
    case 'PREFIX':
      return value.startsWith(matcherCriteria);
    case 'SUFFIX':
      return value.endsWith(matcherCriteria);
    case 'SCHEME':
      return value.toLowerCase().startsWith(`${matcherCriteria.toLowerCase()}:`);
  }
}
