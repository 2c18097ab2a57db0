import { acceptablePage } from '../../../../src/admin/acceptable-values.ts';
import {
  acceptableAudience,
  acceptableClientId,
  acceptableIssuer,
  acceptableScopes,
  acceptableSelector,
} from '../../../../src/admin/external-jwt-signers.ts';
import { readSignerCertificate } from '../../../../src/login/external-jwt/signer-keys.ts';
import { externalJwtSignerDefaults } from '../../../../src/model/entities/external-jwt-signer.ts';
import { type AuthPolicyId, asId, type SignerId } from '../../../../src/model/ids.ts';
import { MalformedInput } from '../../../../src/platform/formats/strict-input.ts';
import { isPlainLoopback } from '../../../../src/platform/network/address-rules.ts';
import { FetchRefused } from '../../../../src/platform/network/fetch-refused.ts';
import { checkAddress, type OutboundLimits } from '../../../../src/platform/network/outbound-targets.ts';
import { certificateFacts, parseCertificates } from '../../../../src/platform/x509/x509.ts';
import type { ImportedSigner } from '../../../../src/store/contracts/imports.ts';
import type { Entity } from '../read/entity.ts';
import { isUsableId, type MapNeeds, tagsOf, timesOf, uniqueNames } from './common-fields.ts';
import { accepted, type Subject } from './findings.ts';

export interface SignerMapNeeds extends MapNeeds {
  /** Our own issuers, for which no other party can vouch. */
  readonly issuers: ReadonlySet<string>;
  readonly limits: OutboundLimits;
}

export function mapSigners(
  needs: SignerMapNeeds,
  entities: readonly Entity[],
  policyIds: ReadonlySet<string>,
): readonly ImportedSigner[] {
  const nameOf = uniqueNames();
  const pairs = new Set<string>();
  return entities.flatMap((entity) => {
    const subject: Subject = { kind: 'ext-jwt-signer', id: entity.id, name: entity.requiredText('name') };
    const leaveOut = (reason: string) => {
      needs.findings.leftOut(subject, reason);
      return [];
    };
    if (!isUsableId(entity.id)) return leaveOut('its id cannot be one here');
    const issuer = accepted(() => acceptableIssuer(entity.text('issuer') ?? '', needs.issuers));
    if ('refusal' in issuer) return leaveOut(`its issuer ${issuer.refusal}`);
    const audience = accepted(() => acceptableAudience(entity.text('audience') ?? ''));
    if ('refusal' in audience) return leaveOut(`its audience ${audience.refusal}`);
    const pair = JSON.stringify([issuer.value, audience.value]);
    if (pairs.has(pair)) return leaveOut('another signer has the same issuer and audience');
    const keys = keysOf(needs, subject, entity);
    if ('refusal' in keys) return leaveOut(keys.refusal);
    pairs.add(pair);
    const signer = {
      id: asId<SignerId>(entity.id),
      name: nameOf(needs, subject),
      enabled: entity.flag('enabled'),
      issuer: issuer.value,
      audience: audience.value,
      ...keys.value,
      ...claimsOf(needs, subject, entity),
      leewaySeconds: externalJwtSignerDefaults.leewaySeconds,
      maxLifetimeSeconds: externalJwtSignerDefaults.maxLifetimeSeconds,
      // Its clients are public ones.
      // The source follows no discovery document.
      discovery: false,
      clientAuthMethod: externalJwtSignerDefaults.clientAuthMethod,
      sealedClientSecret: null,
      createIdentities: null,
      requireVerifiedEmail: emailOf(needs, subject, entity),
      ...clientFieldsOf(needs, subject, entity),
      enrollAuthPolicyId: enrollPolicyOf({ ...needs, policyIds }, subject, entity),
      tags: tagsOf(needs, subject, entity),
    };
    return [{ signer, digest: needs.digest(signer), ...timesOf(entity, needs.now) }];
  });
}

type Keys = Pick<
  ImportedSigner['signer'],
  'certPem' | 'jwksEndpoint' | 'kid' | 'fingerprint' | 'commonName' | 'notBefore' | 'notAfter'
>;

function keysOf(
  needs: SignerMapNeeds,
  subject: Subject,
  entity: Entity,
): { readonly value: Keys } | { readonly refusal: string } {
  const certPem = entity.text('certPem') ?? '';
  const jwksEndpoint = entity.text('jwksEndpoint') ?? '';
  if (certPem === '' && jwksEndpoint === '')
    return { refusal: 'it names neither a certificate nor an address of keys' };
  if (certPem === '') {
    const problem = addressProblem(needs.limits, jwksEndpoint);
    if (problem !== undefined) needs.findings.deviates(subject, 'jwksEndpoint', problem);
    const none = { fingerprint: null, commonName: null, notBefore: null, notAfter: null };
    return { value: { certPem: null, jwksEndpoint, kid: null, ...none } };
  }
  try {
    const [certificate] = parseCertificates(certPem);
    if (certificate === undefined || readSignerCertificate(certPem) === undefined)
      return { refusal: 'its certificate has a key of a kind or size that is not accepted' };
    const { thumbprint, commonName, notBefore, notAfter } = certificateFacts(certificate);
    if (notAfter < needs.now)
      needs.findings.deviates(subject, 'certPem', 'has expired: its tokens are refused, as they were');
    const kid = entity.text('kid');
    // Without it, any key id would be accepted.
    if (kid !== null && !/^[\x20-\x7e]{0,256}$/.test(kid))
      return { refusal: 'its kid is not at most 256 printable ASCII characters' };
    return {
      value: {
        certPem,
        jwksEndpoint: null,
        kid: kid === '' ? null : kid,
        fingerprint: thumbprint,
        commonName: commonName ?? null,
        notBefore,
        notAfter,
      },
    };
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    return { refusal: `its certificate cannot be read (${error.reason})` };
  }
}

function addressProblem(limits: OutboundLimits, url: string): string | undefined {
  if (isPlainLoopback(url))
    return `is ${url}: without TLS, which is kept for an address of this machine; give it one with https`;
  try {
    checkAddress(url, limits);
    return undefined;
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return `is ${url}, from where no keys are fetched here (${error.message}): its tokens are refused until the address is changed`;
  }
}

function claimsOf({ findings }: SignerMapNeeds, subject: Subject, entity: Entity) {
  const selector = (field: string, text: string | null, usual: string) => {
    if (text === null || text === '') return usual;
    const read = accepted(() => acceptableSelector(field, text));
    if ('value' in read) return read.value;
    findings.deviates(subject, field, `is ${JSON.stringify(usual)} here: it ${read.refusal}`);
    return usual;
  };
  const attributes = entity.text('enrollAttributeClaimsSelector');
  return {
    claimsProperty: selector('claimsProperty', entity.text('claimsProperty'), '/sub'),
    useExternalId: entity.flag('useExternalId'),
    enrollNameClaimsSelector: selector(
      'enrollNameClaimsSelector',
      entity.text('enrollNameClaimsSelector'),
      '/sub',
    ),
    enrollAttributeClaimsSelector:
      attributes === null || attributes === ''
        ? null
        : selector('enrollAttributeClaimsSelector', attributes, attributes),
    enrollToCertEnabled: entity.flag('enrollToCertEnabled'),
    enrollToTokenEnabled: entity.flag('enrollToTokenEnabled'),
  };
}

/**
 * The source accepts an email address even if the token calls it unverified. A token that says nothing is accepted here too.
 */
function emailOf({ findings }: SignerMapNeeds, subject: Subject, entity: Entity): boolean {
  if (!/(?:^|\/)email(?:\/|$)/.test(entity.text('claimsProperty') ?? '')) return true;
  findings.deviates(
    subject,
    'requireVerifiedEmail',
    'is false: people are told apart by an email address of which a token need not say that it is verified, as before; one that is said not to be is refused',
  );
  return false;
}

function clientFieldsOf({ findings }: SignerMapNeeds, subject: Subject, entity: Entity) {
  const orNone = (field: string, read: () => string | null) => {
    const value = accepted(read);
    if ('value' in value) return value.value;
    findings.deviates(subject, field, `was left out: it ${value.refusal}`);
    return null;
  };
  const scopes = entity.set('scopes').flatMap((scope) => {
    const read = accepted(() => acceptableScopes([scope]));
    if ('value' in read) return read.value;
    findings.deviates(subject, 'scopes', `lacks ${JSON.stringify(scope)}: it ${read.refusal}`);
    return [];
  });
  return {
    externalAuthUrl: orNone('externalAuthUrl', () =>
      acceptablePage('externalAuthUrl', entity.text('externalAuthUrl') || null),
    ),
    clientId: orNone('clientId', () => acceptableClientId(entity.text('clientId'))),
    scopes,
    targetToken: entity.text('targetToken') === 'ID' ? ('ID' as const) : ('ACCESS' as const),
  };
}

function enrollPolicyOf(
  { findings, policyIds }: SignerMapNeeds & { readonly policyIds: ReadonlySet<string> },
  subject: Subject,
  entity: Entity,
): AuthPolicyId | null {
  const id = entity.text('enrollAuthPolicyId');
  if (id === null || id === '') return null;
  if (policyIds.has(id)) return asId(id);
  findings.deviates(subject, 'enrollAuthPolicyId', `is the default one: there is no policy ${id}`);
  return null;
}
