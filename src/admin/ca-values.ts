// Rules of the single fields of a third-party authority.

import type { Ca, ExternalIdClaim } from '../model/entities/ca.ts';
import type { Some } from '../model/entities/entity.ts';
import { isOlderList } from '../model/list-state.ts';
import type { OutboundLimits } from '../platform/network/outbound-targets.ts';
import { ListRefused, listsInPem, type UnverifiedList } from '../platform/x509/revocation-list.ts';
import { askableAddress, refusedField, requirePlainText } from './acceptable-values.ts';

const longestCriteria = 255;
const highestIndex = 100;
const longestFormat = 255;

/** A rule that can match something. @throws AuthError could_not_validate */
export function acceptableClaim(claim: ExternalIdClaim | null): ExternalIdClaim | null {
  if (claim === null) return null;
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim;
  requirePlainText('externalIdClaim.matcherCriteria', matcherCriteria, longestCriteria);
  requirePlainText('externalIdClaim.parserCriteria', parserCriteria, longestCriteria);
  if (matcher !== 'ALL' && matcherCriteria === '')
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

/** @throws AuthError could_not_validate */
export function acceptableNameFormat(format: string): string {
  requirePlainText('identityNameFormat', format, longestFormat);
  return format;
}

type Revocation = Some<Ca['revocation']>;

/**
 * Addresses that may be asked, and lists that can be read. Whether an authority has signed them shows when they are used.
 * @throws AuthError could_not_validate
 */
export function acceptableRevocation(sent: Revocation, limits: OutboundLimits): Revocation {
  const { crlUrls, crlPem, ocsp } = sent;
  // Answers are signed, so they may come without TLS.
  const asked = { limits, isSigned: true };
  for (const url of crlUrls ?? []) askableAddress('revocation.crlUrls', url, asked);
  const responder = ocsp === '' ? null : ocsp;
  if (responder != null) askableAddress('revocation.ocsp', responder, asked);
  const pem = crlPem?.trim() === '' ? null : crlPem;
  if (pem != null) acceptableLists(pem);
  return { ...sent, ocsp: responder, crlPem: pem };
}

function acceptableLists(pem: string): readonly UnverifiedList[] {
  try {
    return listsInPem(pem);
  } catch (error) {
    if (!(error instanceof ListRefused)) throw error;
    throw refusedField('revocation.crlPem', error.message);
  }
}

/** A list never takes the place of a newer one of the same authority. @throws AuthError could_not_validate */
export function refuseOlderLists(before: string | null | undefined, sent: string | null | undefined): void {
  if (before == null || sent == null || before === sent) return;
  const known = listsInPem(before);
  for (const list of acceptableLists(sent)) {
    const newer = known.find(
      (each) =>
        each.issuerName === list.issuerName && each.isDelta === list.isDelta && isOlderList(list, each),
    );
    if (newer === undefined) continue;
    const { listNumber, thisUpdate } = newer;
    const words = `${listNumber === null ? '' : `number ${listNumber}, `}${new Date(thisUpdate).toISOString()}`;
    throw refusedField(
      'revocation.crlPem',
      `has a list that is older than the one that it replaces (${words})`,
    );
  }
}
