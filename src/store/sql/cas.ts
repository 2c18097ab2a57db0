import { isDeepStrictEqual } from 'node:util';
import type { Ca, ExternalIdClaim } from '../../model/entities/ca.ts';
import type { Tags } from '../../model/identity.ts';
import { asId } from '../../model/ids.ts';
import { caListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type { CaPatch, CaStore, NewCa } from '../contracts/cas.ts';
import { recordChange } from './changes.ts';
import { type Database, integer, integerOrNull, text, textOrNull } from './codec.ts';
import { first, type Intent, run, type SqlRow, type SqlValue } from './intent.ts';
import { listSource } from './list-source.ts';
import { endSessionsOpenedBy } from './opened-by.ts';

const listed = listSource('cas', caListFields, { columns: { fingerprint: 'thumbprint' } });

export const caIntents = { createCa, updateCa, verifyCa, deleteCa } as const;

export function caStore({ write, read, find, list }: Database<typeof caIntents>): CaStore {
  return {
    find: (id) => find(caOf, 'SELECT * FROM cas WHERE id = ?', id),
    list: (query) => list(listed, query, caOf),
    async listTrusted() {
      return (await read(listTrustedCasSql)).map(caOf);
    },
    create: (ca, now) => write('createCa', { ca, now }),
    update: (id, patch, now) => write('updateCa', { id, patch, now }),
    verify: (id, now) => write('verifyCa', { id, now }),
    delete: (id, now) => write('deleteCa', { id, now }),
  };
}

const listTrustedCasSql =
  'SELECT * FROM cas WHERE is_auth_enabled = 1 AND verified_at IS NOT NULL ORDER BY id';

function caOf(row: SqlRow): Ca {
  const externalIdClaim = textOrNull(row, 'external_id_claim');
  return {
    id: asId(text(row, 'id')),
    name: text(row, 'name'),
    certPem: text(row, 'cert_pem'),
    thumbprint: text(row, 'thumbprint'),
    isAuthEnabled: integer(row, 'is_auth_enabled') === 1,
    isAutoCaEnrollmentEnabled: integer(row, 'is_auto_ca_enrollment_enabled') === 1,
    isOttCaEnrollmentEnabled: integer(row, 'is_ott_ca_enrollment_enabled') === 1,
    identityRoles: JSON.parse(text(row, 'identity_roles')) as string[],
    identityNameFormat: text(row, 'identity_name_format'),
    externalIdClaim: externalIdClaim === null ? null : (JSON.parse(externalIdClaim) as ExternalIdClaim),
    verifiedAt: integerOrNull(row, 'verified_at'),
    verificationToken: text(row, 'verification_token'),
    tags: JSON.parse(text(row, 'tags')) as Tags,
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
  };
}

function* createCa(args: { readonly ca: NewCa; readonly now: Millis }): Intent<void> {
  const { ca, now } = args;
  const set: [string, SqlValue][] = [
    ['id', ca.id],
    ['cert_pem', ca.certPem],
    ['thumbprint', ca.thumbprint],
    ['verification_token', ca.verificationToken],
    ...valuesOf(ca),
    ['created_at', now],
    ['updated_at', now],
  ];
  yield* run(
    `INSERT INTO cas (${set.map(([column]) => column).join(', ')}) VALUES (${set.map(() => '?').join(', ')})`,
    ...set.map(([, value]) => value),
  );
  yield* recordChange('ca', ca.id, now);
}

function* updateCa(args: {
  readonly id: string;
  readonly patch: CaPatch;
  readonly now: Millis;
}): Intent<boolean> {
  const { id, patch, now } = args;
  const set: [string, SqlValue][] = [['updated_at', now], ...valuesOf(patch)];
  const before = yield* first('SELECT external_id_claim FROM cas WHERE id = ?', id);
  const row = yield* first(
    `UPDATE cas SET ${set.map(([column]) => `${column} = ?`).join(', ')} WHERE id = ? RETURNING id`,
    ...set.map(([, value]) => value),
    id,
  );
  if (row === undefined || before === undefined) return false;
  const rule = set.find(([column]) => column === 'external_id_claim');
  if (rule !== undefined && !isSameJson(rule[1], textOrNull(before, 'external_id_claim'))) {
    yield* endSessionsOpenedBy('ca', id, { reason: 'credential-changed', now, byRule: true });
  }
  yield* recordChange('ca', id, now);
  return true;
}

function isSameJson(one: SqlValue, other: SqlValue): boolean {
  return isDeepStrictEqual(JSON.parse(String(one)), JSON.parse(String(other)));
}

function* verifyCa(args: { readonly id: string; readonly now: Millis }): Intent<boolean> {
  const { id, now } = args;
  const row = yield* first(
    'UPDATE cas SET verified_at = ?, updated_at = ? WHERE id = ? AND verified_at IS NULL RETURNING id',
    now,
    now,
    id,
  );
  if (row === undefined) return false;
  yield* recordChange('ca', id, now);
  return true;
}

function* deleteCa(args: { readonly id: string; readonly now: Millis }): Intent<boolean> {
  const { id, now } = args;
  const row = yield* first('DELETE FROM cas WHERE id = ? RETURNING id', id);
  if (row === undefined) return false;
  yield* recordChange('ca', id, now);
  return true;
}

/** The columns of the members that are present, with their values. */
function valuesOf(patch: CaPatch): [string, SqlValue][] {
  const set: [string, SqlValue][] = [];
  const flag = (column: string, value: boolean | undefined) => {
    if (value !== undefined) set.push([column, value ? 1 : 0]);
  };
  if (patch.name !== undefined) set.push(['name', patch.name]);
  flag('is_auth_enabled', patch.isAuthEnabled);
  flag('is_auto_ca_enrollment_enabled', patch.isAutoCaEnrollmentEnabled);
  flag('is_ott_ca_enrollment_enabled', patch.isOttCaEnrollmentEnabled);
  if (patch.identityRoles !== undefined) set.push(['identity_roles', JSON.stringify(patch.identityRoles)]);
  if (patch.identityNameFormat !== undefined) set.push(['identity_name_format', patch.identityNameFormat]);
  if (patch.externalIdClaim !== undefined) {
    const { externalIdClaim } = patch;
    set.push(['external_id_claim', externalIdClaim === null ? null : JSON.stringify(externalIdClaim)]);
  }
  if (patch.tags !== undefined) set.push(['tags', JSON.stringify(patch.tags)]);
  return set;
}
