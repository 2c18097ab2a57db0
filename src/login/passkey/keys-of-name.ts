// The security keys that a first proof may come from once a user name was typed: those that do not say themselves whose
// they are. A stranger who types names learns nothing: a name without any has made-up ones, always the same.

import type { IdentityId } from '../../model/ids.ts';
import type { AskedIn } from '../../model/login.ts';
import { type NameKey, nameKeys } from '../../model/names.ts';
import { mostPasskeys } from '../../model/passkey.ts';
import { DAY, type Millis } from '../../platform/clock.ts';
import { hmacSha256 } from '../../platform/digest.ts';
import type { LoginServices } from '../services.ts';
import { type CredentialDescriptor, noIdentity } from './question.ts';

/** Lengths of ids that security keys make, in bytes. */
const lengths = [64, 64, 48, 80, 32, 96];
/** Whether the list of made-up ids ends here: with three of five. */
const isLast = (byte: number) => byte < 160;
/** Of all that are listed: what an authenticator said of itself would tell real ones. */
const transports = ['usb', 'nfc', 'ble'];

/**
 * The question for a name. Passkeys that say themselves whose they are are not listed: they are found without a name, and
 * what is not sent tells nothing.
 */
export async function keysOfName(
  needs: LoginServices,
  username: string,
  { site }: AskedIn,
): Promise<{
  readonly identityId: IdentityId | typeof noIdentity;
  readonly allowCredentials: readonly CredentialDescriptor[];
}> {
  // All spellings of a name have the same keys, made up or not.
  // Sound because every text has a key.
  const [name] = nameKeys(username) as readonly [NameKey];
  const identityId = (await needs.store.passkeys.findByName(name)) ?? noIdentity;
  const found = await needs.store.passkeys.listOf([identityId as IdentityId]);
  const real = found.filter(({ rpId, isDiscoverable }) => rpId === site?.rpId && !isDiscoverable);
  const made = madeUp(needs.decoyKey, `${site?.rpId} ${name}`, needs.clock.now());
  const ids = [...real.map(({ credentialId }) => credentialId), ...made.slice(real.length)];
  return { identityId, allowCredentials: ids.sort().map((id) => ({ type: 'public-key', id, transports })) };
}

/**
 * Ids of credentials that do not exist (WebAuthn level 3, section 14.6.2): mostly one or two, but each number that a
 * person can have occurs. Each is replaced by another one after some months or years, so that a change does not show
 * that the person has added a key.
 */
function madeUp(key: Buffer, name: string, now: Millis): readonly string[] {
  const drawn = (what: string) => hmacSha256(key, `${what} ${name}`);
  const count = 1 + Math.max(0, drawn('count').subarray(0, mostPasskeys).findIndex(isLast));
  return Array.from({ length: count }, (_, at) => {
    const by = drawn(`life of ${at}`);
    const life = (100 + (by.readUInt16BE() % 900)) * DAY;
    const born = Math.floor((now + (by.readUInt32BE(2) % 1000) * DAY) / life);
    const length = lengths[by.readUInt8(6) % lengths.length] as number;
    const blocks = [0, 1, 2].map((block) => drawn(`id ${at} ${born} ${block}`));
    const begin = Buffer.concat(blocks).subarray(0, length - markLength);
    return Buffer.concat([begin, markOf(key, begin)]).toString('base64url');
  });
}

/** Bytes at the end of a made-up id, by which only this service knows it. */
const markLength = 16;

function markOf(key: Buffer, begin: Buffer): Buffer {
  return hmacSha256(key, `made up ${begin.toString('base64url')}`).subarray(0, markLength);
}

/**
 * Whether an id is made up. No passkey may have it: a person could otherwise try with their own account which of the
 * listed ids belong to a passkey already.
 */
export function isMadeUp({ decoyKey }: Pick<LoginServices, 'decoyKey'>, credentialId: string): boolean {
  const id = Buffer.from(credentialId, 'base64url');
  const begin = id.subarray(0, -markLength);
  return markOf(decoyKey, begin).equals(id.subarray(-markLength));
}
