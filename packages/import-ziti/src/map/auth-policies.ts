import { asId, defaultAuthPolicyId } from '../../../../src/model/ids.ts';
import { usualPolicy } from '../../../../src/model/usual-policy.ts';
import type { ImportedAuthPolicy } from '../../../../src/store/contracts/imports.ts';
import type { Entity } from '../read/entity.ts';
import { isUsableId, type MapNeeds, tagsOf, timesOf, uniqueNames } from './common-fields.ts';
import type { Subject } from './findings.ts';

/** The minimum length of new passwords here; a policy cannot lower it. */
const leastPasswordLength = 8;
const mostMinutes = 1_000_000;

export function mapAuthPolicies(
  needs: MapNeeds,
  entities: readonly Entity[],
  signerIds: ReadonlySet<string>,
): readonly ImportedAuthPolicy[] {
  const nameOf = uniqueNames();
  return entities.flatMap((entity) => {
    const subject: Subject = { kind: 'auth-policy', id: entity.id, name: entity.requiredText('name') };
    if (!isUsableId(entity.id)) {
      needs.findings.leftOut(subject, 'its id cannot be one here');
      return [];
    }
    const rules = { name: nameOf(needs, subject), ...rulesOf(entity), tags: tagsOf(needs, subject, entity) };
    report(needs, subject, { rules, signerIds });
    return [{ id: asId(entity.id), rules, digest: needs.digest(rules), ...timesOf(entity, needs.now) }];
  });
}

function rulesOf(entity: Entity): Omit<ImportedAuthPolicy['rules'], 'name' | 'tags'> {
  const requiredSigner = entity.text('secondary.requireExtJwtSigner');
  return {
    primary: {
      cert: {
        allowed: entity.flag('primary.cert.allowed'),
        allowExpiredCerts: entity.flag('primary.cert.allowExpiredCerts'),
      },
      extJwt: {
        allowed: entity.flag('primary.extJwt.allowed'),
        allowedSigners: entity.set('primary.extJwt.allowedSigners').map((id) => asId(id)),
      },
      updb: {
        allowed: entity.flag('primary.updb.allowed'),
        minPasswordLength: wholeNumber(entity, 'primary.updb.minPasswordLength', 1024),
        requireSpecialChar: entity.flag('primary.updb.requireSpecialChar'),
        requireNumberChar: entity.flag('primary.updb.requireNumberChar'),
        requireMixedCase: entity.flag('primary.updb.requireMixedCase'),
        maxAttempts: wholeNumber(entity, 'primary.updb.maxAttempts', mostMinutes),
        lockoutDurationMinutes: wholeNumber(entity, 'primary.updb.lockoutDurationMinutes', mostMinutes),
      },
      passkey: usualPolicy.primary.passkey,
    },
    secondary: {
      requireTotp: entity.flag('secondary.requireTotp'),
      requireExtJwt: requiredSigner === null || requiredSigner === '' ? null : asId(requiredSigner),
      requirePasskey: false,
    },
    requireDpop: false,
  };
}

function wholeNumber(entity: Entity, name: string, most: number): number {
  return Math.min(Math.max(Math.trunc(entity.number(name) ?? 0), 0), most);
}

function report(
  { findings }: MapNeeds,
  subject: Subject,
  {
    rules,
    signerIds,
  }: { readonly rules: ImportedAuthPolicy['rules']; readonly signerIds: ReadonlySet<string> },
): void {
  const { primary, secondary } = rules;
  const { minPasswordLength } = primary.updb;
  if (primary.updb.allowed && minPasswordLength < leastPasswordLength)
    findings.deviates(
      subject,
      'primary.updb.minPasswordLength',
      `is ${minPasswordLength}; passwords that are set here have at least ${leastPasswordLength} characters, those that exist stay good`,
    );
  if (subject.id === defaultAuthPolicyId && primary.cert.allowExpiredCerts)
    findings.deviates(
      subject,
      'primary.cert.allowExpiredCerts',
      'is true, as it was: expired certificates go on logging in until the policy says otherwise',
    );
  // A policy that names a missing signer keeps the name: without it, any signer would be accepted.
  for (const id of primary.extJwt.allowedSigners) {
    if (!signerIds.has(id))
      findings.deviates(subject, 'primary.extJwt.allowedSigners', `names ${id}, which was not taken`);
  }
  const required = secondary.requireExtJwt;
  if (required !== null && !signerIds.has(required))
    findings.deviates(
      subject,
      'secondary.requireExtJwt',
      `names ${required}, which was not taken: nobody with this policy gets past it`,
    );
}
