// Identities: who can authenticate. authenticators.ts has what they authenticate with.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { Identity, IdentityType, Tags } from '../model/identity.ts';
import { type AuthPolicyId, asId, type IdentityId } from '../model/ids.ts';
import type { Permission } from '../model/permission.ts';
import type { Millis } from '../platform/clock.ts';
import type { NewEnrollment } from '../store/contracts/enrollments.ts';
import type { IdentityPatch } from '../store/contracts/identities.ts';
import type { StoreForCallers } from '../store/contracts/store.ts';
import {
  acceptableExternalId,
  acceptableName,
  acceptableRoleAttributes,
  acceptableTags,
  refusedField,
  takenRefused,
} from './acceptable-values.ts';
import { type AdminCall, actingFor, namesOf, recordChange, type Some } from './admin-call.ts';
import { type Disabling, disablingPatch, refuseEarlierEnd } from './disabling.ts';
import { type EnrollmentFields, type EnrollmentNeeds, newEnrollment, secondRefused } from './enrollments.ts';
import { helping } from './help-desk.ts';
import { administratorKept } from './last-administrator.ts';

export interface IdentityNeeds extends EnrollmentNeeds {
  readonly store: EnrollmentNeeds['store'] & StoreForCallers<'identities' | 'authPolicies' | 'apiSessions'>;
}

/** Everything that an administrator decides about an identity. */
export interface IdentityFields {
  readonly name: string;
  readonly type: IdentityType;
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
  readonly externalId: string | null;
  /** As it was sent; becomes an AuthPolicyId once the policy is known to exist. */
  readonly authPolicyId: string;
  readonly passwordMustChange?: boolean | undefined;
  readonly roleAttributes: readonly string[];
  readonly tags: Tags;
}

/**
 * Creates an identity, together with its enrollment if one is wanted.
 * @throws AuthError could_not_validate   names the field: not acceptable, taken, or no such auth policy
 */
export async function createIdentity(
  needs: IdentityNeeds,
  by: AdminCall,
  {
    fields,
    enrollments = [],
  }: { readonly fields: IdentityFields; readonly enrollments?: readonly EnrollmentFields[] },
): Promise<IdentityId> {
  const id = asId<IdentityId>(needs.random.id());
  const identity = { id, ...(await acceptable(needs, fields)) };
  const wanted: NewEnrollment[] = [];
  for (const enrollment of enrollments) wanted.push(await enrollmentOf(newEnrollment(needs, id, enrollment)));
  const step = actingFor(needs, by).enrollments.createIdentity(identity, wanted, needs.clock.now());
  const username = wanted.find((enrollment) => enrollment.username !== null)?.username;
  await takenRefused(
    { ...fields, username },
    secondRefused(step, wanted.map(({ method }) => method).join(', ')),
  );
  const sent = enrollments.length === 0 ? { ...fields } : { ...fields, enrollment: true };
  recordChange(needs, by, { action: 'create', entity: 'identity', entityId: id, fields: namesOf(sent) });
  return id;
}

/** Waits for an enrollment, and names the identity's field if it is refused. */
async function enrollmentOf(step: Promise<NewEnrollment>): Promise<NewEnrollment> {
  try {
    return await step;
  } catch (error) {
    const [problem] = error instanceof AuthError ? error.fields : [];
    if (problem === undefined) throw error;
    throw refusedField('enrollment', `cannot be given: ${problem.field} ${problem.reason}`, problem.value);
  }
}

/** @throws AuthError not_found */
export async function getIdentity(
  needs: { readonly store: Pick<IdentityNeeds['store'], 'identities'> },
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
  needs: IdentityNeeds,
  by: AdminCall,
  {
    id,
    fields,
    isWhole = false,
  }: {
    readonly id: string;
    readonly fields: Some<IdentityFields> & Disabling;
    /** Whether the fields are a whole document, which may have been read a while ago. */
    readonly isWhole?: boolean;
  },
): Promise<void> {
  const { disabled, disabledUntil, ...others } = fields;
  const disabling = await disablingIn(needs, by, { id, wanted: { disabled, disabledUntil }, isWhole });
  const patch = { ...(await acceptable(needs, others)), ...disabling };
  await change(needs, by, { id: asId(id), patch, sent: others });
  const names = namesOf(others);
  if (disabling === null || names.length > 0) {
    recordChange(needs, by, { action: 'update', entity: 'identity', entityId: id, fields: names });
  }
  if (disabling !== null) recordDisabling(needs, by, { id, ...disabling });
}

async function disablingIn(
  needs: IdentityNeeds,
  by: AdminCall,
  { id, wanted, isWhole }: { readonly id: string; readonly wanted: Disabling; readonly isWhole: boolean },
): Promise<ReturnType<typeof disablingPatch>> {
  if (wanted.disabled === undefined && wanted.disabledUntil === undefined) return null;
  const identity = await getIdentity(needs, id);
  const now = needs.clock.now();
  const patch = disablingPatch(identity, wanted, { now });
  if (isWhole && by.unchanged === null && patch !== null) refuseEarlierEnd(identity, patch, now);
  return patch;
}

/**
 * Deletes an identity with its authenticators and ends its sessions.
 * @throws AuthError not_found, conflict (the last administrator)
 */
export async function deleteIdentity(needs: IdentityNeeds, by: AdminCall, id: string): Promise<void> {
  const identityId = asId<IdentityId>(id);
  const step = actingFor(needs, by).identities.delete(identityId, needs.clock.now());
  if (!(await administratorKept(step))) throw new AuthError('not_found');
  recordChange(needs, by, { action: 'delete', entity: 'identity', entityId: id, fields: [] });
}

/**
 * Keeps an identity from authenticating and ends its sessions. If it is already disabled, changes only the time.
 * @param until null: until somebody enables it
 * @param field the name of the time in a refusal
 * @throws AuthError not_found, conflict (the last administrator)
 * @throws AuthError could_not_validate   the time has passed, or is too far away
 */
export async function disableIdentity(
  needs: IdentityNeeds,
  by: AdminCall,
  { id, until, field }: { readonly id: string; readonly until: Millis | null; readonly field: string },
): Promise<void> {
  const identity = await getIdentity(needs, id);
  const wanted = { disabled: true, disabledUntil: until };
  const patch = disablingPatch(identity, wanted, { now: needs.clock.now(), field });
  if (patch === null) return;
  await change(needs, by, { id: identity.id, patch });
  recordDisabling(needs, by, { id, ...patch });
}

/** Lets an identity authenticate again. @throws AuthError not_found */
export async function enableIdentity(needs: IdentityNeeds, by: AdminCall, id: string): Promise<void> {
  const patch = { disabledAt: null, disabledUntil: null };
  await change(needs, by, { id: asId(id), patch });
  recordDisabling(needs, by, { id, ...patch });
}

/** Records that an identity was disabled or enabled. */
export function recordDisabling(
  needs: IdentityNeeds,
  by: AdminCall,
  { id, disabledAt }: { readonly id: string; readonly disabledAt: Millis | null },
): void {
  const action = disabledAt === null ? 'enable' : 'disable';
  const fields = ['disabledAt', 'disabledUntil'];
  recordChange(needs, by, { action, entity: 'identity', entityId: id, fields });
}

/** Ends every session of an identity. @returns how many @throws AuthError not_found, forbidden (see help-desk.ts) */
export async function endSessionsOfIdentity(
  needs: IdentityNeeds,
  by: AdminCall,
  id: string,
): Promise<number> {
  const identity = await getIdentity(needs, id);
  const ended = await helping(needs, by, identity).apiSessions.endAllOf(
    identity.id,
    'administrator',
    needs.clock.now(),
  );
  recordChange(needs, by, { action: 'end-sessions', entity: 'identity', entityId: id, fields: [] });
  return ended;
}

async function change(
  needs: IdentityNeeds,
  by: AdminCall,
  {
    id,
    patch,
    sent = {},
  }: { readonly id: IdentityId; readonly patch: IdentityPatch; readonly sent?: Some<IdentityFields> },
): Promise<void> {
  const step = actingFor(needs, by).identities.update(id, patch, needs.clock.now());
  if (!(await takenRefused({ ...sent }, administratorKept(step)))) throw new AuthError('not_found');
}

/** The given fields as they are stored. */
async function acceptable(needs: IdentityNeeds, fields: IdentityFields): Promise<Acceptable>;
async function acceptable(needs: IdentityNeeds, fields: Some<IdentityFields>): Promise<Partial<Acceptable>>;
async function acceptable(needs: IdentityNeeds, fields: Some<IdentityFields>): Promise<Partial<Acceptable>> {
  const { name, type, isAdmin, permissions, externalId, authPolicyId, roleAttributes, tags } = fields;
  const { passwordMustChange } = fields;
  return {
    ...(name === undefined ? {} : { name: acceptableName('name', name) }),
    ...(type === undefined ? {} : { type }),
    ...(isAdmin === undefined ? {} : { isAdmin }),
    ...(permissions === undefined ? {} : { permissions: [...new Set(permissions)] }),
    ...(externalId === undefined ? {} : { externalId: acceptableExternalId(externalId) }),
    ...(authPolicyId === undefined ? {} : { authPolicyId: await existingPolicy(needs, authPolicyId) }),
    ...(roleAttributes === undefined ? {} : { roleAttributes: acceptableRoleAttributes(roleAttributes) }),
    ...(passwordMustChange === undefined ? {} : { passwordMustChange }),
    ...(tags === undefined ? {} : { tags: acceptableTags(tags) }),
  };
}

type Acceptable = Omit<IdentityFields, 'authPolicyId' | 'passwordMustChange'> & {
  readonly authPolicyId: AuthPolicyId;
  readonly passwordMustChange?: boolean;
};

async function existingPolicy(needs: Pick<IdentityNeeds, 'store'>, id: string): Promise<AuthPolicyId> {
  const policy = await needs.store.authPolicies.find(asId(id));
  if (policy === null) throw refusedField('authPolicyId', 'names no auth policy', id);
  return policy.id;
}
