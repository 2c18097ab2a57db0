// Fields that several kinds share, in our form.

import {
  acceptableRoleAttributes,
  acceptableTags,
  trimmedName,
} from '../../../../src/admin/acceptable-values.ts';
import type { Tags } from '../../../../src/model/entities/entity.ts';
import type { StoredName } from '../../../../src/model/ids.ts';
import { typedName } from '../../../../src/model/names.ts';
import type { Millis } from '../../../../src/platform/clock.ts';
import type { Entity } from '../read/entity.ts';
import { accepted, type Findings, type Subject } from './findings.ts';

/** What every mapping receives. */
export interface MapNeeds {
  readonly now: Millis;
  readonly findings: Findings;
  /** Hash of plain data. */
  digest(value: unknown): string;
}

/** Ids appear in paths, certificates and rules. Those of the source are short; this bound is ours. */
const usableId = /^(?!\.{1,2}$)[0-9A-Za-z.-]{1,64}$/;

export function isUsableId(id: string): boolean {
  return usableId.test(id);
}

/** When an entity was created and last changed. Enrollments do not say; for them it is now. */
export function timesOf(
  entity: Entity,
  now: Millis,
): { readonly createdAt: Millis; readonly updatedAt: Millis } {
  const createdAt = entity.time('createdAt') ?? now;
  return { createdAt, updatedAt: entity.time('updatedAt') ?? createdAt };
}

const longestName = 255;

/**
 * Returns names in our form, each only once: two names of the source may be one by our rules.
 * @returns the name that an entity has here
 */
export function uniqueNames(): (needs: MapNeeds, subject: Subject) => StoredName {
  const taken = new Set<string>();
  return ({ findings }, subject) => {
    const wanted = accepted(() => trimmedName('name', subject.name));
    let name = 'value' in wanted ? wanted.value : cleaned(subject);
    if (name !== subject.name)
      findings.deviates(
        subject,
        'name',
        `is ${JSON.stringify(name)} here: ${'refusal' in wanted ? `a name ${wanted.refusal}` : 'spaces and letters have one form'}`,
      );
    if (taken.has(name)) {
      const short = [...name].slice(0, longestName - subject.id.length - 3).join('');
      const other = typedName(`${short} (${subject.id})`);
      findings.deviates(
        subject,
        'name',
        `is ${JSON.stringify(other)} here: another one has the name already`,
      );
      name = other;
    }
    taken.add(name);
    return name;
  };
}

function cleaned({ name, id }: Subject): StoredName {
  const visible = typedName(name.toWellFormed()).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    '',
  );
  const short = [...visible].slice(0, longestName).join('');
  const retried = accepted(() => trimmedName('name', short));
  return 'value' in retried ? retried.value : typedName(id);
}

const mostRoleAttributes = 100;

/** Role attributes decide what a person may reach, so none is dropped for being one too many. */
export function roleAttributesOf(
  { findings }: MapNeeds,
  subject: Subject,
  { field, attributes }: { readonly field: string; readonly attributes: readonly string[] },
): readonly StoredName[] {
  const kept = attributes.flatMap((attribute) => {
    const one = accepted(() => acceptableRoleAttributes([attribute], field));
    if ('refusal' in one) {
      findings.deviates(subject, field, `lacks ${JSON.stringify(attribute)}: it ${one.refusal}`);
      return [];
    }
    if (one.value[0] !== attribute)
      findings.deviates(
        subject,
        field,
        `has ${JSON.stringify(one.value[0])} for ${JSON.stringify(attribute)}`,
      );
    return one.value;
  });
  const distinct = [...new Set(kept)];
  if (distinct.length > mostRoleAttributes)
    findings.deviates(
      subject,
      field,
      `has ${distinct.length} entries, which is kept; who changes them here may give at most ${mostRoleAttributes}`,
    );
  return distinct;
}

/** Tags contain single values here. */
export function tagsOf({ findings }: MapNeeds, subject: Subject, entity: Entity): Tags {
  const tags: Record<string, Tags[string]> = {};
  for (const [name, value] of Object.entries(entity.map('tags'))) {
    if (typeof value === 'object' && value !== null) {
      findings.deviates(subject, 'tags', `lacks ${JSON.stringify(name)}: a tag holds a single value here`);
      continue;
    }
    const all = accepted(() => acceptableTags({ ...tags, [name]: value }));
    if ('value' in all) tags[name] = value;
    else findings.deviates(subject, 'tags', `lacks ${JSON.stringify(name)}: it ${all.refusal}`);
  }
  return tags;
}
