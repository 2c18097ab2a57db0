// Identities. authenticators.ts has their credentials.

import { AuthError, existing } from '../errors/auth-error.ts';
import { isDisabled } from '../model/account.ts';
import type { Change } from '../model/entities/entity.ts';
import { type Identity, identityEntity } from '../model/entities/identity.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import { DAY, MINUTE, type Millis } from '../platform/clock.ts';
import type { NewEnrollment } from '../store/contracts/enrollments.ts';
import type { IdentityPatch, NewIdentity } from '../store/contracts/identities.ts';
import { acceptableEmail, acceptableExternalId, refusedField, takenRefused } from './acceptable-values.ts';
import {
  type AdminCall,
  actingFor,
  changesOf,
  helping,
  recordChange,
  withoutAdministrator,
} from './admin-call.ts';
import { type EnrollmentFields, newEnrollment, secondRefused } from './enrollments.ts';
import { acceptableBy, completed, sentNames } from './entity-rules.ts';
import type { AdminServices } from './services.ts';

/** Of an identity, without whether it is disabled: changing that ends sessions. */
export type IdentityFields = Omit<Change<typeof identityEntity>, keyof Disabling>;
export type NewIdentityFields = IdentityFields & { readonly name: string };

const acceptable = acceptableBy<typeof identityEntity>({
  entity: identityEntity,
  fields: {
    permissions: (held) => [...new Set(held)],
    externalId: acceptableExternalId,
    email: acceptableEmail,
  },
  follows: ({ email, emailVerified }, before) => {
    const isOther = email !== undefined && email !== (before?.email ?? null);
    return isOther && emailVerified === undefined ? { emailVerified: false } : {};
  },
  check: ({ email, emailVerified }) => {
    if (emailVerified && email === null) throw refusedField('emailVerified', 'needs an email');
  },
});
const { fields: table } = identityEntity;
const { disabledAt, disabledUntil } = table;
/** The fields that disabling and enabling change; these have their own events. */
const disablingFields = { disabledAt, disabledUntil };
const { disabledAt: _at, disabledUntil: _until, ...otherFields } = table;

/**
 * Creates an identity, together with its enrollment if one is wanted.
 * @throws AuthError could_not_validate   names the field: not acceptable, taken, or no such auth policy
 */
export async function createIdentity(
  needs: AdminServices,
  by: AdminCall,
  { fields, enrollments = [] }: { fields: NewIdentityFields; enrollments?: readonly EnrollmentFields[] },
): Promise<IdentityId> {
  const id = asId<IdentityId>(needs.random.id());
  const values = await acceptable(completed(otherFields, fields), null, needs);
  const identity = { ...values, id } as NewIdentity;
  const wanted: NewEnrollment[] = [];
  for (const enrollment of enrollments)
    wanted.push(await newEnrollment(needs, id, enrollment).catch(ofEnrollment));
  const step = actingFor(needs, by).enrollments.createIdentity(identity, wanted, needs.clock.now());
  const username = wanted.find((enrollment) => enrollment.username !== null)?.username;
  const methods = wanted.map(({ method }) => method).join(', ');
  await takenRefused({ ...fields, username }, step.catch(secondRefused(methods)));
  recordChange(needs, by, {
    action: 'create',
    of: ['identity', id],
    fields: [...sentNames(table, fields), ...(enrollments.length === 0 ? [] : ['enrollment'])],
    changes: changesOf(table, null, identity),
  });
  return id;
}

/** For what an enrollment throws: names the identity's field if it is refused. */
function ofEnrollment(error: unknown): never {
  const [problem] = error instanceof AuthError ? error.fields : [];
  if (problem === undefined) throw error;
  throw refusedField('enrollment', `cannot be given: ${problem.field} ${problem.reason}`, problem.value);
}

/** @throws AuthError not_found */
export async function getIdentity(
  needs: { store: Pick<AdminServices['store'], 'identities'> },
  id: string,
): Promise<Identity> {
  return existing(await needs.store.identities.find(asId(id)));
}

/**
 * Changes the given fields.
 * @throws AuthError not_found
 * @throws AuthError could_not_validate   as when creating and disabling
 * @throws AuthError conflict             no administrator could log in; a whole document that names no version would
 *   let a disabled identity in earlier
 */
export async function updateIdentity(
  needs: AdminServices,
  by: AdminCall,
  {
    id,
    fields,
    isWhole = false,
  }: {
    id: string;
    fields: IdentityFields & Disabling;
    /** Whether the fields are a whole document, which may have been read a while ago. */
    isWhole?: boolean;
  },
): Promise<void> {
  const before = await getIdentity(needs, id);
  const { disabled, disabledUntil: until, ...given } = fields;
  const disabling = disablingIn(needs, by, { before, wanted: { disabled, disabledUntil: until }, isWhole });
  const sent = isWhole ? completed(otherFields, given, 'kept') : given;
  const patch = await acceptable(sent, before, needs);
  await change(needs, by, { id: before.id, patch: { ...patch, ...disabling }, sent: given });
  const names = sentNames(table, sent);
  if (disabling === null || names.length > 0) {
    // A policy that applied already and is named now stays the same, for another reason.
    const isNamed = 'authPolicyId' in patch && patch.authPolicyId === before.authPolicyId;
    const after = { ...before, ...patch, ...(isNamed && { authPolicyFrom: 'identity' }) };
    const changes = changesOf(table, before, after);
    recordChange(needs, by, { action: 'update', of: ['identity', id], fields: names, changes });
  }
  if (disabling !== null) recordDisabling(needs, by, { before, ...disabling });
}

function disablingIn(
  needs: AdminServices,
  by: AdminCall,
  { before, wanted, isWhole }: { before: Identity; wanted: Disabling; isWhole: boolean },
): ReturnType<typeof disablingPatch> {
  if (wanted.disabled === undefined && wanted.disabledUntil === undefined) return null;
  const now = needs.clock.now();
  const patch = disablingPatch(before, wanted, { now });
  if (isWhole && by.unchanged === null && patch !== null) refuseEarlierEnd(before, patch, now);
  return patch;
}

/**
 * Deletes an identity with its authenticators and ends its sessions.
 * @throws AuthError not_found, conflict (the last administrator)
 */
export async function deleteIdentity(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const before = await getIdentity(needs, id);
  const step = actingFor(needs, by).identities.delete(before.id, needs.clock.now());
  existing(await step.catch(withoutAdministrator));
  const changes = changesOf(table, before, null);
  recordChange(needs, by, { action: 'delete', of: ['identity', id], changes });
}

/**
 * Keeps an identity from authenticating and ends its sessions. If it is already disabled, changes only the time.
 * @param until null: until an administrator enables it
 * @param field the name of the time in a refusal
 * @throws AuthError not_found, conflict (the last administrator)
 * @throws AuthError could_not_validate   the time has passed, or is too far away
 */
export async function disableIdentity(
  needs: AdminServices,
  by: AdminCall,
  { id, until, field }: { id: string; until: Millis | null; field: string },
): Promise<void> {
  const identity = await getIdentity(needs, id);
  const wanted = { disabled: true, disabledUntil: until };
  const patch = disablingPatch(identity, wanted, { now: needs.clock.now(), field });
  if (patch === null) return;
  await change(needs, by, { id: identity.id, patch });
  recordDisabling(needs, by, { before: identity, ...patch });
}

/** Lets an identity authenticate again. @throws AuthError not_found */
export async function enableIdentity(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const before = await getIdentity(needs, id);
  const patch = { disabledAt: null, disabledUntil: null };
  await change(needs, by, { id: before.id, patch });
  recordDisabling(needs, by, { before, ...patch });
}

/** Records that an identity was disabled or enabled. */
export function recordDisabling(
  needs: AdminServices,
  by: AdminCall,
  {
    before,
    ...after
  }: { before: Pick<Identity, 'id' | 'disabledAt' | 'disabledUntil'> } & NonNullable<
    ReturnType<typeof disablingPatch>
  >,
): void {
  recordChange(needs, by, {
    action: after.disabledAt === null ? 'enable' : 'disable',
    of: ['identity', before.id],
    fields: Object.keys(disablingFields),
    changes: changesOf(disablingFields, before, after),
  });
}

/** Ends every session of an identity. @returns how many @throws AuthError not_found, forbidden (see `helping`) */
export async function endSessionsOfIdentity(
  needs: AdminServices,
  by: AdminCall,
  id: string,
): Promise<number> {
  const identity = await getIdentity(needs, id);
  const ended = await helping(needs, by, identity).apiSessions.endAllOf(
    identity.id,
    'administrator',
    needs.clock.now(),
  );
  recordChange(needs, by, { action: 'end-sessions', of: ['identity', id] });
  return ended;
}

async function change(
  needs: AdminServices,
  by: AdminCall,
  { id, patch, sent = {} }: { id: IdentityId; patch: IdentityPatch; sent?: IdentityFields },
): Promise<void> {
  const step = actingFor(needs, by).identities.update(id, patch, needs.clock.now());
  existing(await takenRefused({ ...sent }, step.catch(withoutAdministrator)));
}

/** Anything longer is a typing mistake. */
const longest: Millis = 10 * 366 * DAY;
export const longestMinutes = longest / MINUTE;

/** Whether an identity is disabled, and until when. Absent members stay unchanged. */
export interface Disabling {
  readonly disabled?: boolean | undefined;
  /** Null: until an administrator enables it. A time disables even without `disabled`. */
  readonly disabledUntil?: Millis | null | undefined;
}

/**
 * The change that `wanted` makes to an identity; null for none. `disabledAt` of a disabled identity does not change.
 * @param options.field the name of the time in a refusal
 * @throws AuthError could_not_validate   the time has passed, is too far away, or contradicts `disabled`
 */
export function disablingPatch(
  identity: Pick<Identity, 'disabledAt' | 'disabledUntil'>,
  wanted: Disabling,
  { now, field = 'disabledUntil' }: { readonly now: Millis; readonly field?: string },
): Required<Pick<IdentityPatch, 'disabledAt' | 'disabledUntil'>> | null {
  const wasDisabled = isDisabled(identity, now);
  const wasUntil = wasDisabled ? identity.disabledUntil : null;
  const until =
    wanted.disabledUntil === undefined ? (wanted.disabled === false ? null : wasUntil) : wanted.disabledUntil;
  const isDisabling = wanted.disabled ?? (wasDisabled || until !== null);
  // Clients may send a document back as they read it.
  if (isDisabling === wasDisabled && until === wasUntil) return null;
  if (!isDisabling && until !== null) throw refusedField(field, 'is for an identity that is disabled');
  if (!isDisabling) return { disabledAt: null, disabledUntil: null };
  if (until !== null && until <= now) throw refusedField(field, 'must be in the future');
  if (until !== null && until > now + longest) throw refusedField(field, 'must be within ten years');
  return { disabledAt: wasDisabled ? identity.disabledAt : now, disabledUntil: until };
}

/**
 * Refuses a whole document that would enable a disabled identity earlier. It may have been read before the identity was
 * disabled, and its sender only wants to change a name.
 * @param patch the change that the document makes
 * @throws AuthError conflict
 */
export function refuseEarlierEnd(
  identity: Pick<Identity, 'disabledAt' | 'disabledUntil'>,
  patch: Required<Pick<IdentityPatch, 'disabledAt' | 'disabledUntil'>>,
  now: Millis,
): void {
  if (!isDisabled(identity, now)) return;
  const isKeptAsLong =
    patch.disabledAt !== null &&
    (patch.disabledUntil ?? Number.POSITIVE_INFINITY) >= (identity.disabledUntil ?? Number.POSITIVE_INFINITY);
  if (isKeptAsLong) return;
  throw new AuthError('conflict', {
    description:
      'The identity is disabled, and this document would let it in earlier: it may be an older one. If that is meant, enable the identity first, or send its etag as If-Match',
    fields: [{ field: 'disabled', reason: 'has changed since, or is not to be changed by a whole document' }],
  });
}
