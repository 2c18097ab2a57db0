import { acceptableClaim, acceptableNameFormat } from '../../../../src/admin/cas.ts';
import {
  type Ca,
  claimLocations,
  claimMatchers,
  claimParsers,
  type ExternalIdClaim,
  noRevocation,
} from '../../../../src/model/entities/ca.ts';
import { asId } from '../../../../src/model/ids.ts';
import { MalformedInput } from '../../../../src/platform/formats/strict-input.ts';
import { type PathCertificate, readPathCertificate } from '../../../../src/platform/x509/path-certificate.ts';
import { describeRefusal } from '../../../../src/platform/x509/path-refusal.ts';
import { anchorProblem } from '../../../../src/platform/x509/path-validation.ts';
import { parseCertificates } from '../../../../src/platform/x509/x509.ts';
import type { ImportedCa } from '../../../../src/store/contracts/imports.ts';
import type { Entity } from '../read/entity.ts';
import {
  isUsableId,
  type MapNeeds,
  roleAttributesOf,
  tagsOf,
  timesOf,
  uniqueNames,
} from './common-fields.ts';
import { accepted, type Subject } from './findings.ts';

/** An authority with its certificate read. */
export type MappedCa = ImportedCa & { readonly anchor: PathCertificate };

const usualFormat = '[caName]-[commonName]';

/** @param isOwn whether a certificate is one of the overlay's own authorities, which are trusted already */
export function mapCas(
  needs: MapNeeds,
  entities: readonly Entity[],
  isOwn: (thumbprint: string) => boolean,
): readonly MappedCa[] {
  const nameOf = uniqueNames();
  const seen = new Set<string>();
  return entities.flatMap((entity) => {
    const subject: Subject = { kind: 'ca', id: entity.id, name: entity.requiredText('name') };
    const leaveOut = (reason: string) => {
      needs.findings.leftOut(subject, reason);
      return [];
    };
    if (!isUsableId(entity.id)) return leaveOut('its id cannot be one here');
    const read = certificateOf(entity.text('certPem') ?? '');
    if ('refusal' in read) return leaveOut(read.refusal);
    const { anchor, certPem } = read;
    if (isOwn(anchor.thumbprint))
      return leaveOut("its certificate is one of the overlay's own authorities, which are trusted already");
    if (seen.has(anchor.thumbprint)) return leaveOut('another CA has the same certificate');
    const externalIdClaim = claimOf(entity);
    if ('refusal' in externalIdClaim) return leaveOut(externalIdClaim.refusal);
    seen.add(anchor.thumbprint);
    const problem = anchorProblem(anchor, needs.now);
    if (problem !== undefined)
      needs.findings.deviates(
        subject,
        'certPem',
        `its certificates cannot log in: ${describeRefusal(problem)}`,
      );
    const times = timesOf(entity, needs.now);
    const ca: ImportedCa['ca'] = {
      id: asId<Ca['id']>(entity.id),
      name: nameOf(needs, subject),
      certPem,
      thumbprint: anchor.thumbprint,
      isAuthEnabled: entity.flag('isAuthEnabled'),
      isAutoCaEnrollmentEnabled: entity.flag('isAutoCaEnrollmentEnabled'),
      isOttCaEnrollmentEnabled: entity.flag('isOttCaEnrollmentEnabled'),
      identityRoles: roleAttributesOf(needs, subject, {
        field: 'identityRoles',
        attributes: entity.set('identityRoles'),
      }),
      identityNameFormat: formatOf(needs, subject, entity),
      externalIdClaim: externalIdClaim.value,
      revocation: noRevocation,
      verifiedAt: entity.flag('isVerified') ? times.updatedAt : null,
      verificationToken: tokenOf(entity),
      tags: tagsOf(needs, subject, entity),
    };
    return [{ ca, anchor, digest: needs.digest(ca), ...times }];
  });
}

function certificateOf(
  pem: string,
): { readonly anchor: PathCertificate; readonly certPem: string } | { readonly refusal: string } {
  try {
    const [certificate] = parseCertificates(pem);
    if (certificate === undefined) return { refusal: 'it has no certificate' };
    return { anchor: readPathCertificate(certificate.raw), certPem: certificate.toString() };
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    return { refusal: `its certificate cannot be read (${error.reason})` };
  }
}

/** Unused once the authority is verified. */
function tokenOf(entity: Entity): string {
  const token = entity.text('verificationToken') ?? '';
  return /^[\x21-\x7e]{1,64}$/.test(token) ? token : entity.id;
}

function formatOf({ findings }: MapNeeds, subject: Subject, entity: Entity): string {
  const format = accepted(() => acceptableNameFormat(entity.text('identityNameFormat') ?? usualFormat));
  if ('value' in format) return format.value;
  findings.deviates(subject, 'identityNameFormat', `is ${usualFormat} here: it ${format.refusal}`);
  return usualFormat;
}

/** A rule that cannot be imported must not be omitted: certificates would be judged by another one. */
function claimOf(entity: Entity): { readonly value: ExternalIdClaim | null } | { readonly refusal: string } {
  const inner = entity.inner('externalIdClaim');
  if (inner === null) return { value: null };
  const word = <Word extends string>(name: string, words: readonly Word[], usual: Word): Word | undefined => {
    const text = inner.text(`externalIdClaim.${name}`) ?? '';
    return text === '' ? usual : words.find((each) => each === text);
  };
  const location = word('location', claimLocations, 'COMMON_NAME');
  const matcher = word('matcher', claimMatchers, 'ALL');
  const parser = word('parser', claimParsers, 'NONE');
  if (location === undefined || matcher === undefined || parser === undefined)
    return { refusal: 'its rule for external ids has a word that is unknown here' };
  const criteria = inner.text('externalIdClaim.matcherCriteria') ?? '';
  const isCut = (matcher === 'PREFIX' || matcher === 'SUFFIX') && criteria !== '';
  // Every text begins and ends with the empty one, which removes nothing.
  const meant = criteria === '' && (matcher === 'PREFIX' || matcher === 'SUFFIX') ? 'ALL' : matcher;
  const claim: ExternalIdClaim = {
    location,
    matcher: meant,
    // What the matcher or parser does not use decides nothing.
    matcherCriteria: meant === 'ALL' ? '' : criteria,
    parser,
    parserCriteria: parser === 'NONE' ? '' : (inner.text('externalIdClaim.parserSeparator') ?? ''),
    index: inner.number('externalIdClaim.index') ?? 0,
    ...(isCut ? { removeMatched: true } : {}),
  };
  const read = accepted(() => acceptableClaim(claim));
  return 'value' in read ? read : { refusal: `its rule for external ids ${read.refusal}` };
}
