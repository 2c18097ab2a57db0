import type { ExternalJwtSigner, TargetToken } from '../../model/entities/external-jwt-signer.ts';
import type { Tags } from '../../model/identity.ts';
import { asId } from '../../model/ids.ts';
import { externalJwtSignerListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  ExternalJwtSignerPatch,
  ExternalJwtSignerStore,
  NewExternalJwtSigner,
} from '../contracts/external-jwt-signers.ts';
import { keepingAnAdministrator, type MayBeForced } from './administrators.ts';
import { recordChange } from './changes.ts';
import { type Database, integer, integerOrNull, text, textOrNull } from './codec.ts';
import { first, type Intent, run, type SqlRow, type SqlValue } from './intent.ts';
import { listSource } from './list-source.ts';
import { endSessionsOpenedBy } from './opened-by.ts';

const listed = listSource('external_jwt_signers', externalJwtSignerListFields);

export const externalJwtSignerIntents = {
  createExternalJwtSigner,
  updateExternalJwtSigner,
  deleteExternalJwtSigner,
} as const;

export function externalJwtSignerStore({
  write,
  read,
  find,
  list,
}: Database<typeof externalJwtSignerIntents>): ExternalJwtSignerStore {
  return {
    find: (id) => find(externalJwtSignerOf, 'SELECT * FROM external_jwt_signers WHERE id = ?', id),
    list: (query) => list(listed, query, externalJwtSignerOf),
    async listAll() {
      return (await read('SELECT * FROM external_jwt_signers ORDER BY id')).map(externalJwtSignerOf);
    },
    create: (signer, now) => write('createExternalJwtSigner', { signer, now }),
    update: (id, patch, now) => write('updateExternalJwtSigner', { id, patch, now }),
    delete: (id, now) => write('deleteExternalJwtSigner', { id, now }),
  };
}

function externalJwtSignerOf(row: SqlRow): ExternalJwtSigner {
  const enrollAuthPolicyId = textOrNull(row, 'enroll_auth_policy_id');
  return {
    id: asId(text(row, 'id')),
    name: text(row, 'name'),
    enabled: integer(row, 'enabled') === 1,
    issuer: text(row, 'issuer'),
    audience: text(row, 'audience'),
    certPem: textOrNull(row, 'cert_pem'),
    jwksEndpoint: textOrNull(row, 'jwks_endpoint'),
    kid: textOrNull(row, 'kid'),
    fingerprint: textOrNull(row, 'fingerprint'),
    commonName: textOrNull(row, 'common_name'),
    notBefore: integerOrNull(row, 'not_before'),
    notAfter: integerOrNull(row, 'not_after'),
    claimsProperty: text(row, 'claims_property'),
    useExternalId: integer(row, 'use_external_id') === 1,
    leewaySeconds: integer(row, 'leeway_seconds'),
    maxLifetimeSeconds: integerOrNull(row, 'max_lifetime_seconds'),
    externalAuthUrl: textOrNull(row, 'external_auth_url'),
    clientId: textOrNull(row, 'client_id'),
    scopes: JSON.parse(text(row, 'scopes')) as string[],
    targetToken: text(row, 'target_token') as TargetToken,
    enrollToCertEnabled: integer(row, 'enroll_to_cert_enabled') === 1,
    enrollToTokenEnabled: integer(row, 'enroll_to_token_enabled') === 1,
    enrollAuthPolicyId: enrollAuthPolicyId === null ? null : asId(enrollAuthPolicyId),
    enrollNameClaimsSelector: text(row, 'enroll_name_claims_selector'),
    enrollAttributeClaimsSelector: textOrNull(row, 'enroll_attribute_claims_selector'),
    requireVerifiedEmail: integer(row, 'require_verified_email') === 1,
    tags: JSON.parse(text(row, 'tags')) as Tags,
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
  };
}

const columns: Readonly<Record<keyof ExternalJwtSignerPatch, string>> = {
  name: 'name',
  enabled: 'enabled',
  issuer: 'issuer',
  audience: 'audience',
  certPem: 'cert_pem',
  jwksEndpoint: 'jwks_endpoint',
  kid: 'kid',
  fingerprint: 'fingerprint',
  commonName: 'common_name',
  notBefore: 'not_before',
  notAfter: 'not_after',
  claimsProperty: 'claims_property',
  useExternalId: 'use_external_id',
  leewaySeconds: 'leeway_seconds',
  maxLifetimeSeconds: 'max_lifetime_seconds',
  externalAuthUrl: 'external_auth_url',
  clientId: 'client_id',
  scopes: 'scopes',
  targetToken: 'target_token',
  enrollToCertEnabled: 'enroll_to_cert_enabled',
  enrollToTokenEnabled: 'enroll_to_token_enabled',
  enrollAuthPolicyId: 'enroll_auth_policy_id',
  enrollNameClaimsSelector: 'enroll_name_claims_selector',
  enrollAttributeClaimsSelector: 'enroll_attribute_claims_selector',
  requireVerifiedEmail: 'require_verified_email',
  tags: 'tags',
};

/** The columns of the members that are present, with their values. */
function valuesOf(patch: ExternalJwtSignerPatch): [string, SqlValue][] {
  const names = Object.keys(columns) as (keyof ExternalJwtSignerPatch)[];
  return names.flatMap((name): [string, SqlValue][] => {
    const value = patch[name];
    return value === undefined ? [] : [[columns[name], sqlValue(value)]];
  });
}

function sqlValue(value: NonNullable<ExternalJwtSignerPatch[keyof ExternalJwtSignerPatch]> | null): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function* createExternalJwtSigner(args: {
  readonly signer: NewExternalJwtSigner;
  readonly now: Millis;
}): Intent<void> {
  const { signer, now } = args;
  const set: [string, SqlValue][] = [
    ['id', signer.id],
    ...valuesOf(signer),
    ['created_at', now],
    ['updated_at', now],
  ];
  yield* run(
    `INSERT INTO external_jwt_signers (${set.map(([column]) => column).join(', ')})
     VALUES (${set.map(() => '?').join(', ')})`,
    ...set.map(([, value]) => value),
  );
  yield* recordChange('external-jwt-signer', signer.id, now);
}

interface SignerUpdate extends MayBeForced {
  readonly id: string;
  readonly patch: ExternalJwtSignerPatch;
}

function updateExternalJwtSigner(args: SignerUpdate): Intent<boolean> {
  return keepingAnAdministrator(applyUpdate(args), args);
}

function* applyUpdate({ id, patch, now }: SignerUpdate): Intent<boolean> {
  const set: [string, SqlValue][] = [['updated_at', now], ...valuesOf(patch)];
  const before = yield* first('SELECT * FROM external_jwt_signers WHERE id = ?', id);
  if (before === undefined) return false;
  const row = yield* first(
    `UPDATE external_jwt_signers SET ${set.map(([column]) => `${column} = ?`).join(', ')}
     WHERE id = ? RETURNING id`,
    ...set.map(([, value]) => value),
    id,
  );
  if (row === undefined) return false;
  if (set.some(([column, value]) => before[column] !== value && changesVouching(column, value))) {
    yield* endSessionsOpenedBy('signer', id, { reason: 'credential-changed', now });
  }
  yield* recordChange('external-jwt-signer', id, now);
  return true;
}

/**
 * Whether whatever a signer vouched for before no longer counts. That email addresses have to be verified from now on
 * says that those before perhaps were not; the reverse says nothing about them.
 */
function changesVouching(column: string, value: SqlValue): boolean {
  return vouching.has(column) || (column === columns.requireVerifiedEmail && value === 1);
}

/** What a signer vouches with, and for whom. */
const vouching: ReadonlySet<string> = new Set(
  (['issuer', 'audience', 'certPem', 'jwksEndpoint', 'claimsProperty', 'useExternalId'] as const).map(
    (name) => columns[name],
  ),
);

function deleteExternalJwtSigner(
  args: MayBeForced & { readonly id: string },
): Intent<'deleted' | 'referenced' | 'unknown'> {
  return keepingAnAdministrator(applyDeletion(args.id, args.now), args);
}

function* applyDeletion(id: string, now: Millis): Intent<'deleted' | 'referenced' | 'unknown'> {
  // Rules name signers by id, as JSON text in which nothing else can look like an id.
  const row = yield* first(
    `DELETE FROM external_jwt_signers WHERE id = ? AND NOT EXISTS (SELECT 1 FROM auth_policies
       WHERE primary_rules LIKE '%"' || external_jwt_signers.id || '"%'
         OR secondary_rules LIKE '%"' || external_jwt_signers.id || '"%') RETURNING id`,
    id,
  );
  if (row !== undefined) {
    yield* recordChange('external-jwt-signer', id, now);
    return 'deleted';
  }
  const kept = yield* first('SELECT id FROM external_jwt_signers WHERE id = ?', id);
  return kept === undefined ? 'unknown' : 'referenced';
}
