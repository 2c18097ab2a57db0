import { acceptableExternalId } from '../../../../src/admin/acceptable-values.ts';
import { isDisabled } from '../../../../src/model/account.ts';
import type { Identity } from '../../../../src/model/entities/identity.ts';
import { asId, defaultAuthPolicyId } from '../../../../src/model/ids.ts';
import { type Permission, permissions } from '../../../../src/model/permission.ts';
import { isoTime } from '../../../../src/platform/clock.ts';
import type { ImportedIdentity } from '../../../../src/store/contracts/imports.ts';
import type { Entity } from '../read/entity.ts';
import {
  isUsableId,
  type MapNeeds,
  roleAttributesOf,
  tagsOf,
  timesOf,
  uniqueNames,
} from './common-fields.ts';
import { accepted, type Subject } from './findings.ts';

function identitySubject(entity: Entity): Subject {
  return { kind: 'identity', id: entity.id, name: entity.requiredText('name') };
}

export function mapIdentities(
  needs: MapNeeds,
  entities: readonly Entity[],
  policyIds: ReadonlySet<string>,
): readonly ImportedIdentity[] {
  const nameOf = uniqueNames();
  const externalIdNeeds = { ...needs, taken: new Set<string>() };
  return entities.flatMap((entity) => {
    const subject = identitySubject(entity);
    const policyId = entity.text('authPolicyId') ?? '';
    if (!isUsableId(entity.id)) {
      needs.findings.leftOut(subject, 'its id cannot be one here');
      return [];
    }
    const authPolicyId = policyId === '' ? defaultAuthPolicyId : policyId;
    if (!policyIds.has(authPolicyId)) {
      needs.findings.leftOut(subject, `its auth policy ${authPolicyId} is not there`);
      return [];
    }
    const identity: ImportedIdentity['identity'] = {
      id: asId(entity.id),
      name: nameOf(needs, subject),
      type: typeOf(needs, subject, entity),
      externalId: externalIdOf(externalIdNeeds, subject, entity),
      // Every identity has one there: that it is the usual one says nothing.
      authPolicyId: authPolicyId === defaultAuthPolicyId ? null : asId(authPolicyId),
      isAdmin: entity.flag('isAdmin') || entity.flag('isDefaultAdmin'),
      permissions: permissionsOf(needs, subject, entity),
      ...disabledStateOf(needs, subject, entity),
      passwordMustChange: false,
      roleAttributes: roleAttributesOf(needs, subject, {
        field: 'roleAttributes',
        attributes: entity.set('roleAttributes'),
      }),
      tags: tagsOf(needs, subject, entity),
    };
    reportUnused(needs, subject, entity);
    // The state in the source. The passing of time is not a change.
    const { disabledAt: _at, disabledUntil: _until, passwordMustChange: _must, ...lasting } = identity;
    return [
      {
        identity,
        digest: needs.digest([lasting, entity.time('disabledAt'), entity.time('disabledUntil')]),
        ...timesOf(entity, needs.now),
      },
    ];
  });
}

function typeOf({ findings }: MapNeeds, subject: Subject, entity: Entity): Identity['type'] {
  const type = entity.text('type');
  if (type === 'Router' || type === 'Default' || type === null) return type ?? 'Default';
  findings.deviates(subject, 'type', `is Default here: ${JSON.stringify(type)} is no type`);
  return 'Default';
}

function externalIdOf(
  { findings, taken }: MapNeeds & { readonly taken: Set<string> },
  subject: Subject,
  entity: Entity,
): string | null {
  const externalId = accepted(() => acceptableExternalId(entity.text('externalId')));
  if ('refusal' in externalId) {
    findings.deviates(subject, 'externalId', `was left out: it ${externalId.refusal}`);
    return null;
  }
  const { value } = externalId;
  if (value === null) return null;
  if (taken.has(value)) {
    findings.deviates(subject, 'externalId', 'was left out: another identity has it');
    return null;
  }
  taken.add(value);
  return value;
}

function permissionsOf({ findings }: MapNeeds, subject: Subject, entity: Entity): readonly Permission[] {
  const held = entity.set('permissions').map((name) => (name === 'admin_readonly' ? 'read' : name));
  const known = permissions.filter((permission) => held.includes(permission));
  const unknown = held.filter((permission) => !known.some((each) => each === permission));
  if (unknown.length > 0)
    findings.deviates(
      subject,
      'permissions',
      `lacks ${unknown.join(', ')}: there are ${permissions.join(' and ')} here`,
    );
  return known;
}

/** Includes lockouts after wrong passwords. One that is over is not imported. */
function disabledStateOf(
  { now, findings }: MapNeeds,
  subject: Subject,
  entity: Entity,
): Pick<Identity, 'disabledAt' | 'disabledUntil'> {
  const state = { disabledAt: entity.time('disabledAt'), disabledUntil: entity.time('disabledUntil') };
  if (isDisabled(state, now)) return state;
  if (state.disabledUntil !== null)
    findings.leftOut(subject, `a lockout that was over at ${isoTime(state.disabledUntil)}`);
  return { disabledAt: null, disabledUntil: null };
}

/** Fields of the data plane, which stays with the controller that serves it. */
function reportUnused({ findings }: MapNeeds, subject: Subject, entity: Entity): void {
  const members = ['appData', 'serviceHostingCosts', 'serviceHostingPrecedences', 'serviceConfigs'].filter(
    (name) => entity.has(name),
  );
  const numbers = ['defaultHostingCost', 'defaultHostingPrecedence'].filter(
    (name) => (entity.number(name) ?? 0) !== 0,
  );
  const unused = [...members, ...numbers];
  if (unused.length > 0) findings.leftOut(subject, `${unused.join(', ')}: not kept by this service`);
}
