// What identities log in with, and their pending enrollments.

import { enrollmentSealLabel } from '../../../../src/admin/enrollments.ts';
import { readRecoveryCode, recoveryCodeHash, seedLabel } from '../../../../src/login/totp/totp.ts';
import { type TokenMethod, tokenMethods } from '../../../../src/model/enrollment.ts';
import { asId, type EnrollmentId, type IdentityId } from '../../../../src/model/ids.ts';
import { usernameKey } from '../../../../src/model/names.ts';
import { DAY, isoTime } from '../../../../src/platform/clock.ts';
import type { KeyVault } from '../../../../src/platform/secrets/key-vault.ts';
import { decodeBase32 } from '../../../../src/platform/secrets/totp-code.ts';
import type {
  ImportedEnrollment,
  ImportedIdentity,
  ImportedTotp,
} from '../../../../src/store/contracts/imports.ts';
import { foreignToken } from '../../../../src/tokens/opaque-token.ts';
import type { Entity } from '../read/entity.ts';
import { UnreadableSource } from '../read/unreadable-source.ts';
import { isUsableId, type MapNeeds, timesOf } from './common-fields.ts';
import type { Subject } from './findings.ts';

export interface SecretNeeds extends MapNeeds {
  readonly vault: KeyVault;
  readonly recoveryKey: Buffer;
}

/** The imported identities, by id. */
export type Owners = ReadonlyMap<string, ImportedIdentity['identity']>;

export function mapTotp(
  needs: SecretNeeds,
  entities: readonly Entity[],
  owners: Owners,
): readonly ImportedTotp[] {
  const seen = new Set<string>();
  return entities.flatMap((entity) => {
    const id = entity.text('identity') ?? '';
    const owner = owners.get(id);
    const subject: Subject = { kind: 'totp', id, name: owner?.name ?? id };
    const leaveOut = (reason: string) => {
      needs.findings.leftOut(subject, reason);
      return [];
    };
    if (owner === undefined) return leaveOut('its identity was not taken');
    if (!entity.flag('isVerified'))
      return leaveOut(
        'it was started and never confirmed, so it was asked for at no login; it can be started anew',
      );
    if (seen.has(id)) return leaveOut('the identity has another one');
    seen.add(id);
    const seed = decodeBase32(entity.requiredText('secret'));
    if (seed === undefined || seed.length === 0)
      throw new UnreadableSource(`${entity.path} / secret`, 'no base32');
    const codes = entity.set('recoveryCodes');
    const usable = codes.flatMap((code) => readRecoveryCode(code) ?? []);
    if (usable.length < codes.length)
      needs.findings.deviates(
        subject,
        'recoveryCodes',
        `${codes.length - usable.length} of ${codes.length} were left out: they cannot be told from the codes of an app`,
      );
    return [
      {
        identityId: owner.id,
        sealedSeed: needs.vault.seal(seed, seedLabel(owner.id)),
        recoveryHashes: usable.map((code) => recoveryCodeHash(needs.recoveryKey, owner.id, code)),
        digest: needs.digest([seed.toString('base64'), usable]),
        ...timesOf(entity, needs.now),
      },
    ];
  });
}

/** How long an expired enrollment is kept, so that it can be renewed. */
const keptAfterExpiry = 7 * DAY;

export function mapEnrollments(
  needs: SecretNeeds,
  entities: readonly Entity[],
  { owners, caIds }: { readonly owners: Owners; readonly caIds: ReadonlySet<string> },
): readonly ImportedEnrollment[] {
  const seen = new Set<string>();
  return entities.flatMap((entity) => {
    const identityId = entity.text('identity') ?? '';
    const wanted = entity.text('method') ?? '';
    const owner = owners.get(identityId);
    const subject: Subject = {
      kind: 'enrollment',
      id: entity.id,
      name: `${wanted} of ${owner?.name ?? identityId}`,
    };
    const leaveOut = (reason: string) => {
      needs.findings.leftOut({ ...subject, name: identityId === '' ? wanted : subject.name }, reason);
      return [];
    };
    const method = tokenMethods.find((each) => each === wanted);
    if (method === undefined) return leaveOut(`${wanted} enrolls routers, which stay with their controller`);
    if (!isUsableId(entity.id)) return leaveOut('its id cannot be one here');
    if (owner === undefined) return leaveOut('its identity was not taken');
    const token = foreignToken(entity.requiredText('token'));
    if (token === undefined) return leaveOut('its token is of an unknown form');
    const expiresAt = entity.time('expiresAt') ?? 0;
    if (expiresAt + keptAfterExpiry <= needs.now) return leaveOut(`it expired at ${isoTime(expiresAt)}`);
    const problem = problemOf(entity, method, caIds);
    if (problem !== undefined) return leaveOut(problem);
    if (seen.has(`${identityId} ${method}`)) return leaveOut('the identity has another one of this method');
    seen.add(`${identityId} ${method}`);
    if (expiresAt <= needs.now)
      needs.findings.deviates(
        subject,
        'expiresAt',
        `was ${isoTime(expiresAt)}: the token is refused, and can be renewed`,
      );
    const enrollment = enrollmentOf({ entity, method, identityId: owner.id, expiresAt });
    const id = enrollment.id;
    const sealedToken = needs.vault.seal(Buffer.from(token.text), enrollmentSealLabel(id));
    return [
      {
        enrollment: { ...enrollment, tokenHash: token.hash, sealedToken },
        digest: needs.digest([enrollment, token.hash]),
        createdAt: entity.time('issuedAt') ?? needs.now,
        updatedAt: entity.time('issuedAt') ?? needs.now,
      },
    ];
  });
}

function problemOf(entity: Entity, method: TokenMethod, caIds: ReadonlySet<string>): string | undefined {
  const caId = entity.text('caId') ?? '';
  if (method === 'ottca' && !caIds.has(caId)) return `its CA ${caId} was not taken`;
  if (method === 'updb' && usernameKey(entity.text('username') ?? '') === undefined)
    return 'its user name cannot be one here';
  return undefined;
}

function enrollmentOf(given: {
  readonly entity: Entity;
  readonly method: TokenMethod;
  readonly identityId: IdentityId;
  readonly expiresAt: number;
}) {
  const { entity, method, identityId, expiresAt } = given;
  return {
    id: asId<EnrollmentId>(entity.id),
    identityId,
    method,
    caId:
      method === 'ottca'
        ? asId<NonNullable<ImportedEnrollment['enrollment']['caId']>>(entity.text('caId') ?? '')
        : null,
    username: method === 'updb' ? entity.text('username') : null,
    expiresAt,
  };
}
