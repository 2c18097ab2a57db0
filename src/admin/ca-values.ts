// Rules of the single fields of a third-party authority.

import type { ClaimMatcher, ExternalIdClaim } from '../model/entities/ca.ts';
import { refusedField } from './acceptable-values.ts';

const longestCriteria = 255;
const highestIndex = 100;
const longestFormat = 255;

/** A rule that can match something. @throws AuthError could_not_validate */
export function acceptableClaim(claim: ExternalIdClaim | null): ExternalIdClaim | null {
  if (claim === null) return null;
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim;
  for (const [field, text] of [
    ['externalIdClaim.matcherCriteria', matcherCriteria],
    ['externalIdClaim.parserCriteria', parserCriteria],
  ] as const) {
    if (text.length > longestCriteria || !text.isWellFormed() || /\p{Cc}/u.test(text))
      throw refusedField(field, `must be at most ${longestCriteria} characters without control characters`);
  }
  if (needsCriteria(matcher) && matcherCriteria === '')
    throw refusedField('externalIdClaim.matcherCriteria', `is required for the matcher ${matcher}`);
  if (matcher === 'SCHEME' && location !== 'SAN_URI')
    throw refusedField('externalIdClaim.matcher', 'can only be SCHEME for the location SAN_URI', matcher);
  if (parser === 'SPLIT' && parserCriteria === '')
    throw refusedField('externalIdClaim.parserCriteria', 'is required for the parser SPLIT');
  if (!Number.isInteger(index) || index < 0 || index > highestIndex)
    throw refusedField('externalIdClaim.index', `must be a whole number from 0 to ${highestIndex}`, index);
  if (parser === 'NONE' && index !== 0)
    throw refusedField(
      'externalIdClaim.index',
      'must be 0 for the parser NONE, which leaves one part',
      index,
    );
  return claim;
}

function needsCriteria(matcher: ClaimMatcher): boolean {
  return matcher !== 'ALL';
}

/** @throws AuthError could_not_validate */
export function acceptableNameFormat(format: string): string {
  if (format.length <= longestFormat && format.isWellFormed() && !/\p{Cc}/u.test(format)) return format;
  throw refusedField(
    'identityNameFormat',
    `must be at most ${longestFormat} characters without control characters`,
    format,
  );
}
