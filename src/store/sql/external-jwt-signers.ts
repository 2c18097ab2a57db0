import { type ExternalJwtSigner, externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PatchOf } from '../contracts/entities.ts';
import type { ExternalJwtSignerStore } from '../contracts/external-jwt-signers.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { recordChange } from './changes.ts';
import { concern } from './concern.ts';
import { deleteUnless, usualMethods, usualWrites } from './entity-methods.ts';
import { entityTable } from './entity-table.ts';
import { first, type Intent } from './intent.ts';
import { endSessionsOpenedBy } from './session-ends.ts';

const table = entityTable(externalJwtSignerEntity);
type Patch = PatchOf<typeof externalJwtSignerEntity>;

export const externalJwtSigners = concern<ExternalJwtSignerStore>()({
  writes: {
    create: usualWrites(table, 'external-jwt-signer').create,
  },
  forced: {
    update: (how, [id, patch, now]) => keepingAnAdministrator(applyUpdate(id, patch, now), now, how),
    delete: (how, [id, now]) =>
      keepingAnAdministrator(
        deleteUnless(isNamed, { table, kind: 'external-jwt-signer', id, now }),
        now,
        how,
      ),
  },
  methods: (database) => usualMethods(table, database),
});

function* applyUpdate(id: string, patch: Patch, now: Millis): Intent<boolean> {
  const before = yield* first(table.byId, id);
  if (before === undefined || (yield* table.update({ id, patch, now })) === undefined) return false;
  if (changesVouching(table.read(before), patch))
    yield* endSessionsOpenedBy('signer', id, { reason: 'credential-changed', now });
  yield* recordChange('external-jwt-signer', id, now);
  return true;
}

/** The fields that decide for which identities a signer vouches. */
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
 * Whether the earlier statements of a signer no longer count. If email addresses have to be verified from now on,
 * the earlier ones perhaps were not; the reverse says nothing about them.
 */
function changesVouching(before: ExternalJwtSigner, patch: Patch): boolean {
  return (
    vouching.some((name) => patch[name] !== undefined && patch[name] !== before[name]) ||
    (patch.requireVerifiedEmail === true && !before.requireVerifiedEmail)
  );
}

/** Rules name signers by id, as JSON text in which nothing else can look like an id. */
const isNamed = `EXISTS (SELECT 1 FROM auth_policies
  WHERE primary_rules LIKE '%"' || external_jwt_signers.id || '"%'
    OR secondary_rules LIKE '%"' || external_jwt_signers.id || '"%')`;
