// Turns the whole source into what is written here. A pure function of the source and its other arguments.

import type { ImportBatch } from '../../../../src/store/contracts/imports.ts';
import type { Entity } from '../read/entity.ts';
import type { Source } from '../read/source.ts';
import { mapAuthPolicies } from './auth-policies.ts';
import { type MappedCa, mapCas } from './cas.ts';
import { type MappedCertificate, mapCertificate } from './certificates.ts';
import { isUsableId, type MapNeeds, tagsOf, timesOf, uniqueNames } from './common-fields.ts';
import { mapEnrollments, mapTotp, type Owners, type SecretNeeds } from './credentials.ts';
import type { Subject } from './findings.ts';
import { mapIdentities } from './identities.ts';
import { mapPassword } from './passwords.ts';
import { mapSigners, type SignerMapNeeds } from './signers.ts';

export interface PlanNeeds extends SignerMapNeeds, SecretNeeds {
  /** Whether a certificate is one of the overlay's own authorities. */
  isOwn(thumbprint: string): boolean;
}

export interface Plan {
  readonly batch: ImportBatch;
  readonly cas: readonly MappedCa[];
  readonly certificates: readonly MappedCertificate[];
  /** The names that people know imported entities by: `KIND ID` to name. */
  readonly names: ReadonlyMap<string, string>;
}

export function planImport(needs: PlanNeeds, { entities }: Source): Plan {
  const ids = (kind: keyof typeof entities) => new Set(entities[kind].map(({ id }) => id));
  const signers = mapSigners(needs, entities.externalJwtSigners, usableIds(ids('authPolicies')));
  const signerIds = new Set<string>(signers.map(({ signer }) => signer.id));
  const authPolicies = mapAuthPolicies(needs, entities.authPolicies, signerIds);
  const cas = mapCas(needs, entities.cas, needs.isOwn);
  const policyIds = new Set<string>(authPolicies.map(({ id }) => id));
  const identities = mapIdentities(needs, entities.identities, policyIds);
  const owners: Owners = new Map(identities.map(({ identity }) => [identity.id, identity]));
  const { passwords, certificates } = mapAuthenticators(needs, entities.authenticators, { owners, cas });
  const caIds = new Set<string>(cas.map(({ ca }) => ca.id));
  const batch: ImportBatch = {
    authPolicies,
    signers,
    cas: cas.map(({ anchor: _anchor, ...imported }) => imported),
    configTypes: mapConfigTypes(needs, entities.configTypes),
    identities,
    authenticators: [...passwords, ...certificates.map(({ imported }) => imported)],
    totp: mapTotp(needs, entities.mfas, owners),
    enrollments: mapEnrollments(needs, entities.enrollments, { owners, caIds }),
  };
  return { batch, cas, certificates, names: namesIn(batch, owners) };
}

function usableIds(ids: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].filter(isUsableId));
}

function mapAuthenticators(
  needs: PlanNeeds,
  entities: readonly Entity[],
  { owners, cas }: { readonly owners: Owners; readonly cas: readonly MappedCa[] },
) {
  const passwordNeeds = { ...needs, taken: new Set<string>() };
  const withPassword = new Set<string>();
  const byExternalId = new Map([...owners.values()].map(({ id, externalId }) => [externalId, id]));
  const certificateNeeds = {
    ...needs,
    cas,
    identityOf: (externalId: string) => byExternalId.get(externalId),
    taken: new Set<string>(),
  };
  const passwords: ImportBatch['authenticators'][number][] = [];
  const certificates: MappedCertificate[] = [];
  for (const entity of entities) {
    const identityId = entity.text('identity') ?? '';
    const method = entity.text('method') ?? '';
    const owner = owners.get(identityId);
    const subject: Subject = {
      kind: 'authenticator',
      id: entity.id,
      name: `${method} of ${owner?.name ?? identityId}`,
    };
    const leaveOut = (reason: string) => needs.findings.leftOut(subject, reason);
    if (owner === undefined) leaveOut('its identity was not taken');
    else if (!isUsableId(entity.id)) leaveOut('its id cannot be one here');
    else if (method === 'updb' && withPassword.has(identityId)) leaveOut('the identity has another password');
    else if (method === 'updb') {
      const password = mapPassword(passwordNeeds, entity, subject);
      if (password === null) continue;
      withPassword.add(identityId);
      passwords.push(password);
    } else if (method === 'cert') {
      const certificate = mapCertificate(certificateNeeds, entity, subject);
      if (certificate !== null) certificates.push(certificate);
    } else leaveOut('its method is unknown');
  }
  return { passwords, certificates };
}

/** Names and ids, which clients request at login. Configurations stay with the controller that serves them. */
function mapConfigTypes(needs: MapNeeds, entities: readonly Entity[]): ImportBatch['configTypes'] {
  const nameOf = uniqueNames();
  return entities.flatMap((entity) => {
    const subject: Subject = { kind: 'config-type', id: entity.id, name: entity.requiredText('name') };
    if (!isUsableId(entity.id)) {
      needs.findings.leftOut(subject, 'its id cannot be one here');
      return [];
    }
    const configType = {
      id: entity.id as ImportBatch['configTypes'][number]['configType']['id'],
      name: nameOf(needs, subject),
      tags: tagsOf(needs, subject, entity),
    };
    return [{ configType, digest: needs.digest(configType), ...timesOf(entity, needs.now) }];
  });
}

function namesIn(batch: ImportBatch, owners: Owners): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { id, rules } of batch.authPolicies) names.set(`auth-policy ${id}`, rules.name);
  for (const { signer } of batch.signers) names.set(`ext-jwt-signer ${signer.id}`, signer.name);
  for (const { ca } of batch.cas) names.set(`ca ${ca.id}`, ca.name);
  for (const { configType } of batch.configTypes) names.set(`config-type ${configType.id}`, configType.name);
  for (const { identity } of batch.identities) names.set(`identity ${identity.id}`, identity.name);
  for (const each of batch.authenticators) {
    const { id, identityId } = each.method === 'updb' ? each.password : each.certificate;
    names.set(`authenticator ${id}`, `${each.method} of ${owners.get(identityId)?.name}`);
  }
  for (const { identityId } of batch.totp)
    names.set(`totp ${identityId}`, owners.get(identityId)?.name ?? '');
  for (const { enrollment } of batch.enrollments)
    names.set(
      `enrollment ${enrollment.id}`,
      `${enrollment.method} of ${owners.get(enrollment.identityId)?.name}`,
    );
  return names;
}
