// External JWT signers: the issuers whose tokens prove an identity. signer-values.ts has the rules of single fields.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import { type ExternalJwtSigner, externalJwtSignerDefaults } from '../model/entities/external-jwt-signer.ts';
import { type AuthPolicyId, asId, type SignerId } from '../model/ids.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Clock } from '../platform/clock.ts';
import type { OutboundLimits } from '../platform/network/outbound-client.ts';
import type { Random } from '../platform/random.ts';
import type { ExternalJwtSignerPatch } from '../store/contracts/external-jwt-signers.ts';
import type { StoreForCallers } from '../store/contracts/store.ts';
import { acceptableName, acceptableTags, refusedField, takenRefused } from './acceptable-values.ts';
import { type AdminCall, actingFor, namesOf, recordChange, type Some } from './admin-call.ts';
import { administratorKept } from './last-administrator.ts';
import { type KeySource, keySourceOf } from './signer-keys.ts';
import {
  acceptableAudience,
  acceptableAuthUrl,
  acceptableClientId,
  acceptableIssuer,
  acceptableLeeway,
  acceptableLifetime,
  acceptableScopes,
  acceptableSelector,
} from './signer-values.ts';

export interface SignerNeeds {
  readonly store: StoreForCallers<'externalJwtSigners' | 'authPolicies'>;
  /** Our own issuers. Nobody else can vouch for them. */
  readonly issuers: ReadonlySet<string>;
  readonly limits: OutboundLimits;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
}

/** Everything that an administrator decides about a signer. */
export type SignerFields = Omit<
  ExternalJwtSigner,
  | 'id'
  | 'createdAt'
  | 'updatedAt'
  | 'fingerprint'
  | 'commonName'
  | 'notBefore'
  | 'notAfter'
  | 'enrollAuthPolicyId'
> & { readonly enrollAuthPolicyId: string | null };

type Required = 'name' | 'enabled' | 'issuer' | 'audience';
export type NewSignerFields = Pick<SignerFields, Required> & Some<Omit<SignerFields, Required>>;

/** Defaults of the fields that are left out. */
const absent: Omit<SignerFields, Required> = {
  ...externalJwtSignerDefaults,
  certPem: null,
  jwksEndpoint: null,
  kid: null,
  externalAuthUrl: null,
  clientId: null,
  enrollAuthPolicyId: null,
  enrollAttributeClaimsSelector: null,
  tags: {},
};

/** @throws AuthError could_not_validate   names the field: not acceptable, taken, or no such auth policy */
export async function createSigner(
  needs: SignerNeeds,
  by: AdminCall,
  fields: NewSignerFields,
): Promise<SignerId> {
  const id = asId<SignerId>(needs.random.id());
  const acceptable = await acceptableSigner(needs, withDefaults(fields), null);
  await takenRefused(
    { ...fields },
    actingFor(needs, by).externalJwtSigners.create({ id, ...acceptable }, needs.clock.now()),
  );
  recordChange(needs, by, {
    action: 'create',
    entity: 'ext-jwt-signer',
    entityId: id,
    fields: namesOf(fields),
  });
  return id;
}

/** @throws AuthError not_found */
export async function getSigner(needs: Pick<SignerNeeds, 'store'>, id: string): Promise<ExternalJwtSigner> {
  return existing(await needs.store.externalJwtSigners.find(asId(id)));
}

/** Those that take part in logins, for anybody who wants to log in. */
export function listEnabledSigners(
  needs: { readonly store: Pick<SignerNeeds['store'], 'externalJwtSigners'> },
  query: ListQuery,
): Promise<Page<ExternalJwtSigner>> {
  const isEnabled = { op: '=', field: 'enabled', value: true } as const;
  const filter = { op: 'and', terms: [isEnabled, query.filter] } as const;
  return needs.store.externalJwtSigners.list({ ...query, filter });
}

/** Sets all fields; missing ones get their default. @throws AuthError not_found, could_not_validate */
export function replaceSigner(
  needs: SignerNeeds,
  by: AdminCall,
  { id, fields }: { readonly id: string; readonly fields: NewSignerFields },
): Promise<void> {
  return updateSigner(needs, by, { id, fields: withDefaults(fields) });
}

/**
 * Changes the given fields. A certificate replaces the address of the keys, and the other way round.
 * @throws AuthError not_found
 * @throws AuthError could_not_validate   as when creating
 */
export async function updateSigner(
  needs: SignerNeeds,
  by: AdminCall,
  { id, fields }: { readonly id: string; readonly fields: Some<SignerFields> },
): Promise<void> {
  const before = await getSigner(needs, id);
  const patch = await acceptableSigner(needs, fields, before);
  const step = actingFor(needs, by).externalJwtSigners.update(before.id, patch, needs.clock.now());
  if (!(await takenRefused({ ...fields }, administratorKept(step)))) throw new AuthError('not_found');
  recordChange(needs, by, {
    action: 'update',
    entity: 'ext-jwt-signer',
    entityId: id,
    fields: namesOf(fields),
  });
}

/** @throws AuthError not_found, cannot_delete_referenced (an auth policy names it), conflict (the last administrator) */
export async function deleteSigner(needs: SignerNeeds, by: AdminCall, id: string): Promise<void> {
  const step = actingFor(needs, by).externalJwtSigners.delete(asId(id), needs.clock.now());
  const outcome = await administratorKept(step);
  if (outcome === 'unknown') throw new AuthError('not_found');
  if (outcome === 'referenced') throw new AuthError('cannot_delete_referenced');
  recordChange(needs, by, { action: 'delete', entity: 'ext-jwt-signer', entityId: id, fields: [] });
}

function withDefaults(fields: NewSignerFields): SignerFields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Sound because `fields` requires those without a default.
  return { ...absent, ...Object.fromEntries(given) } as SignerFields;
}

type Acceptable = Omit<SignerFields, 'enrollAuthPolicyId'> &
  KeySource & { readonly enrollAuthPolicyId: AuthPolicyId | null };

/** The given fields as they are stored. @param before null when creating */
async function acceptableSigner(needs: SignerNeeds, fields: SignerFields, before: null): Promise<Acceptable>;
async function acceptableSigner(
  needs: SignerNeeds,
  fields: Some<SignerFields>,
  before: ExternalJwtSigner,
): Promise<ExternalJwtSignerPatch>;
async function acceptableSigner(
  needs: SignerNeeds,
  fields: Some<SignerFields>,
  before: ExternalJwtSigner | null,
): Promise<ExternalJwtSignerPatch> {
  const given = <Name extends keyof SignerFields, Value>(
    name: Name,
    read: (value: SignerFields[Name]) => Value,
  ): { [Key in Name]?: Value } => {
    const value = fields[name];
    // Sound because a given value has the type of its field.
    return value === undefined
      ? {}
      : ({ [name]: read(value as SignerFields[Name]) } as { [Key in Name]: Value });
  };
  const same = <Value>(value: Value): Value => value;
  const { enrollAuthPolicyId } = fields;
  return {
    ...given('name', (name) => acceptableName('name', name)),
    ...given('enabled', same),
    ...given('issuer', (issuer) => acceptableIssuer(issuer, needs.issuers)),
    ...given('audience', acceptableAudience),
    ...keySourceOf(needs, fields, before),
    ...given('claimsProperty', (selector) => acceptableSelector('claimsProperty', selector)),
    ...given('useExternalId', same),
    ...given('leewaySeconds', acceptableLeeway),
    ...given('maxLifetimeSeconds', acceptableLifetime),
    ...given('externalAuthUrl', acceptableAuthUrl),
    ...given('clientId', acceptableClientId),
    ...given('scopes', acceptableScopes),
    ...given('targetToken', same),
    ...given('enrollToCertEnabled', same),
    ...given('enrollToTokenEnabled', same),
    ...(enrollAuthPolicyId === undefined
      ? {}
      : { enrollAuthPolicyId: await existingPolicy(needs, enrollAuthPolicyId) }),
    ...given('enrollNameClaimsSelector', (selector) =>
      acceptableSelector('enrollNameClaimsSelector', selector),
    ),
    ...given('enrollAttributeClaimsSelector', (selector) =>
      selector === null ? null : acceptableSelector('enrollAttributeClaimsSelector', selector),
    ),
    ...given('requireVerifiedEmail', same),
    ...given('tags', acceptableTags),
  };
}

async function existingPolicy(
  needs: Pick<SignerNeeds, 'store'>,
  id: string | null,
): Promise<AuthPolicyId | null> {
  if (id === null) return null;
  const policy = await needs.store.authPolicies.find(asId(id));
  if (policy === null) throw refusedField('enrollAuthPolicyId', 'names no auth policy', id);
  return policy.id;
}
