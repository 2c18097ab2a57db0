// The managed entities whose tables are little more than their fields (model/entities/). OIDC clients have a file of their
// own.

import { isDeepStrictEqual } from 'node:util';
import { eventKinds } from '../../model/delivery.ts';
import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { caEntity } from '../../model/entities/ca.ts';
import { configTypeEntity } from '../../model/entities/config-type.ts';
import { patched } from '../../model/entities/entity.ts';
import { eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import { type ExternalJwtSigner, externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import type { Voucher } from '../../model/login.ts';
import { usualPolicy } from '../../model/usual-policy.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  AuthPolicyStore,
  CaStore,
  ConfigTypeStore,
  EventSubscriptionStore,
  ExternalJwtSignerStore,
  PatchOf,
  Unstored,
} from '../contracts/entities.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { assignEverybody, assigningPoliciesSql } from './assigned-policies.ts';
import { recordChange } from './changes.ts';
import { authPolicyOf, authPolicyRulesOf, authPolicyTable, text } from './codec.ts';
import { concern } from './concern.ts';
import { forgetSubscriber } from './deliveries.ts';
import { usualMethods, usualWrites } from './entity-methods.ts';
import { entityTable } from './entity-table.ts';
import { affects, all, among, first, type Intent, run, sql } from './intent.ts';
import { endSessionsOpenedBy } from './session-ends.ts';

const configTypeTable = entityTable(configTypeEntity);

export const configTypes = concern<ConfigTypeStore>()({
  writes: usualWrites(configTypeTable, null),
  methods: (database) => ({
    ...usualMethods(configTypeTable, database),
    async findByNames(names) {
      if (names.length === 0) return [];
      const named = sql`SELECT * FROM config_types WHERE name IN ${among(names)}`;
      return database.all(configTypeTable.read, named.sql, ...named.params);
    },
  }),
});

const subscriptionTable = entityTable(eventSubscriptionEntity);
const subscriptionWrites = usualWrites(subscriptionTable, 'event-subscription');

export const eventSubscriptions = concern<EventSubscriptionStore>()({
  writes: {
    ...subscriptionWrites,
    *delete(id, now) {
      const isGone = yield* subscriptionWrites.delete(id, now);
      if (isGone) for (const kind of eventKinds) yield* forgetSubscriber(kind, id);
      return isGone;
    },
  },
  methods: (database) => usualMethods(subscriptionTable, database),
});

const caTable = entityTable(caEntity);

const caWrites = usualWrites(caTable, 'ca');

export const cas = concern<CaStore>()({
  writes: {
    create: caWrites.create,
    *verify(id, now) {
      const sql =
        'UPDATE cas SET verified_at = ?, updated_at = ? WHERE id = ? AND verified_at IS NULL RETURNING id';
      if (!(yield* affects(sql, now, now, id))) return false;
      yield* recordChange('ca', id, now);
      return true;
    },
  },
  forced: {
    update: (how, [id, patch, now]) => keepingAnAdministrator(updateCa(id, patch, now), now, how),
    delete: (how, [id, now]) => keepingAnAdministrator(deleteVoucher('ca', id, now), now, how),
  },
  methods: (database) => usualMethods(caTable, database),
});

function* updateCa(id: string, patch: PatchOf<typeof caEntity>, now: Millis): Intent<boolean> {
  const row = yield* first(caTable.byId, id);
  if (row === undefined) return false;
  const before = caTable.read(row);
  yield* caTable.update({ id, now, patch: patched(caEntity.fields, before, patch) });
  const { externalIdClaim: rule } = patch;
  if (rule !== undefined && !isDeepStrictEqual(rule, before.externalIdClaim))
    yield* endSessionsOpenedBy('ca', id, { reason: 'credential-changed', now, byRule: true });
  yield* recordChange('ca', id, now);
  return true;
}

const signerTable = entityTable(externalJwtSignerEntity);
const signerWrites = usualWrites(signerTable, 'external-jwt-signer');
type SignerPatch = PatchOf<typeof externalJwtSignerEntity>;

export const externalJwtSigners = concern<ExternalJwtSignerStore>()({
  writes: { create: signerWrites.create },
  forced: {
    update: (how, [id, patch, now]) => keepingAnAdministrator(updateSigner(id, patch, now), now, how),
    delete: (how, [id, now]) => keepingAnAdministrator(deleteVoucher('signer', id, now), now, how),
  },
  methods: (database) => usualMethods(signerTable, database),
});

/** Its sessions are refused from then on, and have ended: their applications are told, and no list shows them as live. */
function* deleteVoucher(kind: Voucher['kind'], id: string, now: Millis): Intent<boolean> {
  const { delete: remove } = kind === 'ca' ? caWrites : signerWrites;
  if (!(yield* remove(id, now))) return false;
  yield* endSessionsOpenedBy(kind, id, { reason: 'credential-changed', now });
  return true;
}

function* updateSigner(id: string, patch: SignerPatch, now: Millis): Intent<boolean> {
  const before = yield* first(signerTable.byId, id);
  if (before === undefined || (yield* signerTable.update({ id, patch, now })) === undefined) return false;
  if (changesVouching(signerTable.read(before), patch))
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
function changesVouching(before: ExternalJwtSigner, patch: SignerPatch): boolean {
  return (
    vouching.some((name) => patch[name] !== undefined && patch[name] !== before[name]) ||
    (patch.requireVerifiedEmail === true && !before.requireVerifiedEmail)
  );
}

export const authPolicies = concern<AuthPolicyStore>()({
  writes: { delete: usualWrites(authPolicyTable, 'auth-policy').delete },
  forced: {
    *create(how, [policy, now]) {
      const change = insertPolicy(policy, now);
      yield* policy.assignTo.length === 0 ? change : keepingAnAdministrator(change, now, how);
    },
    update: (how, [id, patch, now]) => keepingAnAdministrator(updatePolicy(id, patch, now), now, how),
  },
  methods: (database) => ({
    ...usualMethods(authPolicyTable, database),
    listAssigning: () => database.all(authPolicyOf, assigningPoliciesSql),
  }),
});

/** Policies of a database from before there were passkeys do not allow them. */
export function* addPasskeyRules(): Intent<void> {
  const { passkey } = usualPolicy.primary;
  for (const row of yield* all('SELECT id, primary_rules, secondary_rules FROM auth_policies')) {
    const { primary, secondary } = authPolicyRulesOf(row);
    yield* run`UPDATE auth_policies SET primary_rules = ${JSON.stringify({ ...primary, passkey })},
      secondary_rules = ${JSON.stringify({ ...secondary, requirePasskey: false })}
      WHERE id = ${text(row, 'id')}`;
  }
}

function* insertPolicy(policy: Unstored<typeof authPolicyEntity>, now: Millis): Intent<void> {
  yield* authPolicyTable.insertAll([policy], now);
  if (policy.assignTo.length > 0) yield* assignEverybody();
  yield* recordChange('auth-policy', policy.id, now);
}

function* updatePolicy(id: string, patch: PatchOf<typeof authPolicyEntity>, now: Millis): Intent<boolean> {
  const row = yield* first(authPolicyTable.byId, id);
  if (row === undefined) return false;
  const before = authPolicyOf(row);
  const after = patched(authPolicyEntity.fields, before, patch);
  yield* authPolicyTable.update({ id, patch: after, now });
  // The order of assigned policies is that of their names.
  if (!isDeepStrictEqual(before.assignTo, after.assignTo) || before.name !== after.name)
    yield* assignEverybody();
  yield* recordChange('auth-policy', id, now);
  return true;
}
