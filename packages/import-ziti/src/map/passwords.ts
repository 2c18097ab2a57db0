import { asId } from '../../../../src/model/ids.ts';
import { userName } from '../../../../src/model/names.ts';
import { importedHash } from '../../../../src/platform/secrets/password-hash.ts';
import type { ImportedAuthenticator } from '../../../../src/store/contracts/imports.ts';
import type { Entity } from '../read/entity.ts';
import { UnreadableSource } from '../read/unreadable-source.ts';
import { type MapNeeds, timesOf } from './common-fields.ts';
import type { Subject } from './findings.ts';

/** How the source hashes passwords. It stores the parameters nowhere. */
const sourceCost = { memoryKiB: 3072, passes: 1, lanes: 4 };
const hashLength = 32;
const leastSalt = 8;
/** The source accepts shorter ones when they are set, but none of them at login. */
const shortestUsername = 4;

/** @param needs.taken user names of other passwords, in the form in which they are looked up */
export function mapPassword(
  needs: MapNeeds & { readonly taken: Set<string> },
  entity: Entity,
  subject: Subject,
): ImportedAuthenticator | null {
  const leaveOut = (reason: string) => {
    needs.findings.leftOut(subject, reason);
    return null;
  };
  const named = userName(entity.text('updbUsername') ?? '');
  if (named === undefined)
    return leaveOut(
      'its user name cannot be one here: 1 to 100 characters, without spaces around it and without invisible characters',
    );
  if ((entity.text('updbPassword') ?? '') === '') return leaveOut('it has no password');
  if (needs.taken.has(named.usernameKey))
    return leaveOut(
      'another identity has this user name when letter case and spelling are ignored: give one of them another name',
    );
  needs.taken.add(named.usernameKey);
  if (named.username.length < shortestUsername)
    needs.findings.deviates(
      subject,
      'username',
      `has fewer than ${shortestUsername} characters: it logs in here, where the source refused it`,
    );
  const password = {
    id: asId<Extract<ImportedAuthenticator, { method: 'updb' }>['password']['id']>(entity.id),
    identityId: asId<Extract<ImportedAuthenticator, { method: 'updb' }>['password']['identityId']>(
      entity.requiredText('identity'),
    ),
    ...named,
    passwordHash: hashOf(entity),
    tags: {},
  };
  return { method: 'updb', password, digest: needs.digest(password), ...timesOf(entity, needs.now) };
}

function hashOf(entity: Entity): string {
  const hash = bytesOf(entity, 'updbPassword');
  const salt = bytesOf(entity, 'updbSalt');
  if (hash.length !== hashLength || salt.length < leastSalt)
    throw new UnreadableSource(entity.path, 'its password hash is not of the form that is known');
  return importedHash(sourceCost, salt, hash);
}

function bytesOf(entity: Entity, name: string): Buffer {
  const text = entity.text(name) ?? '';
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new UnreadableSource(`${entity.path} / ${name}`, 'no base64');
  return bytes;
}
