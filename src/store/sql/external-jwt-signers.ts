import { type ExternalJwtSigner, externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PatchOf } from '../contracts/entities.ts';
import type { ExternalJwtSignerStore, NewExternalJwtSigner } from '../contracts/external-jwt-signers.ts';
import { keepingAnAdministrator, type MayBeForced } from './administrators.ts';
import { recordChange } from './changes.ts';
import type { Database } from './codec.ts';
import { entityTable } from './entity-table.ts';
import { first, type Intent } from './intent.ts';
import { endSessionsOpenedBy } from './session-ends.ts';

const table = entityTable(externalJwtSignerEntity);
type Patch = PatchOf<typeof externalJwtSignerEntity>;

export const externalJwtSignerIntents = {
  createExternalJwtSigner,
  updateExternalJwtSigner,
  deleteExternalJwtSigner,
} as const;

export function externalJwtSignerStore({
  write,
  writing,
  read,
  find,
  list,
}: Database<typeof externalJwtSignerIntents>): ExternalJwtSignerStore {
  return {
    find: (id) => find(table.read, 'SELECT * FROM external_jwt_signers WHERE id = ?', id),
    list: (query) => list(table.listed, query, table.read),
    async listAll() {
      return (await read('SELECT * FROM external_jwt_signers ORDER BY id')).map((row) => table.read(row));
    },
    ...writing({ create: 'createExternalJwtSigner' }),
    update: (id, patch, now) => write('updateExternalJwtSigner', { id, patch, now }),
    delete: (id, now) => write('deleteExternalJwtSigner', { id, now }),
  };
}

function* createExternalJwtSigner(signer: NewExternalJwtSigner, now: Millis): Intent<void> {
  yield* table.insert(signer, now);
  yield* recordChange('external-jwt-signer', signer.id, now);
}

interface SignerUpdate extends MayBeForced {
  readonly id: string;
  readonly patch: Patch;
}

function updateExternalJwtSigner(args: SignerUpdate): Intent<boolean> {
  return keepingAnAdministrator(applyUpdate(args), args);
}

function* applyUpdate(update: SignerUpdate): Intent<boolean> {
  const { id, patch, now } = update;
  const before = yield* first('SELECT * FROM external_jwt_signers WHERE id = ?', id);
  if (before === undefined || (yield* table.update(update)) === undefined) return false;
  if (changesVouching(table.read(before), patch)) {
    yield* endSessionsOpenedBy('signer', id, { reason: 'credential-changed', now });
  }
  yield* recordChange('external-jwt-signer', id, now);
  return true;
}

/** What a signer vouches with, and for whom. */
const vouching = [
  'issuer',
  'audience',
  'certPem',
  'jwksEndpoint',
  'discovery',
  'claimsProperty',
  'useExternalId',
] as const;

/**
 * Whether whatever a signer vouched for before no longer counts. That email addresses have to be verified from now on
 * says that those before perhaps were not; the reverse says nothing about them.
 */
function changesVouching(before: ExternalJwtSigner, patch: Patch): boolean {
  return (
    vouching.some((name) => patch[name] !== undefined && patch[name] !== before[name]) ||
    (patch.requireVerifiedEmail === true && !before.requireVerifiedEmail)
  );
}

function deleteExternalJwtSigner(
  args: MayBeForced & { readonly id: string },
): Intent<'deleted' | 'referenced' | 'unknown'> {
  return keepingAnAdministrator(applyDeletion(args.id, args.now), args);
}

function* applyDeletion(id: string, now: Millis): Intent<'deleted' | 'referenced' | 'unknown'> {
  // Rules name signers by id, as JSON text in which nothing else can look like an id.
  const row = yield* first`DELETE FROM external_jwt_signers
       WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM auth_policies
       WHERE primary_rules LIKE '%"' || external_jwt_signers.id || '"%'
         OR secondary_rules LIKE '%"' || external_jwt_signers.id || '"%') RETURNING id`;
  if (row !== undefined) {
    yield* recordChange('external-jwt-signer', id, now);
    return 'deleted';
  }
  const kept = yield* first('SELECT id FROM external_jwt_signers WHERE id = ?', id);
  return kept === undefined ? 'unknown' : 'referenced';
}
