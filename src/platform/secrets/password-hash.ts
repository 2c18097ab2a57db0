// Password hashes: argon2id in PHC strings, which contain salt and cost. These functions block the thread for the whole
// hash, so only hash-worker.ts calls them. All other code asks the pool of hash-pool.ts.
import { MalformedInput } from '../formats/strict-input.ts';
import { systemRandom } from '../random.ts';
import { argon2, argon2id } from './argon2.ts';
import { type HashCost, largestHashCost } from './hash-cost.ts';

/** The one limit for passwords: bytes of UTF-8. Longer ones are refused before anything is hashed. */
export const largestPasswordBytes = 1024;

/** A password in the one form that is hashed. Only preparePassword makes it. */
export type Password = string & { readonly brand: 'Password' };

/**
 * Limits the length of a password and normalizes it (see opaqueString). Cheap, and never cuts anything off.
 * @throws MalformedInput empty, too long (more than 1024 bytes of UTF-8), or with characters that are refused
 */
export function preparePassword(text: string): Password {
  // Normalizing cannot shorten a text this much, and refusing it here costs nothing.
  if (text.length > 4 * largestPasswordBytes) throw new MalformedInput('too long');
  const form = opaqueString(text);
  if (Buffer.byteLength(form) > largestPasswordBytes) throw new MalformedInput('too long');
  return form as Password;
}

/**
 * A password as typed, for hashes of another program: those were made from the received bytes, without normalization.
 * @returns undefined for what cannot be hashed: empty, too long, or with lone surrogates
 */
export function typedPassword(text: string): Password | undefined {
  if (text === '' || text.length > largestPasswordBytes || !text.isWellFormed()) return undefined;
  return Buffer.byteLength(text) > largestPasswordBytes ? undefined : (text as Password);
}

const typedPrefix = 'typed:';

/** How an imported hash is stored: a PHC string with a mark, because it is of the password as typed. */
export function importedHash(cost: HashCost, salt: Uint8Array, hash: Uint8Array): string {
  return `${typedPrefix}${phcText(cost, salt, hash)}`;
}

/** The PHC string of an imported hash; undefined for one of ours. */
export function typedHash(stored: string): string | undefined {
  return stored.startsWith(typedPrefix) ? stored.slice(typedPrefix.length) : undefined;
}

const ourForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/**
 * The cost of a stored hash.
 * @throws Error for a text that is not an argon2id PHC string of version 19, or asks for an absurd cost
 */
export function hashCost(phc: string): HashCost {
  const [, memoryKiB = 0, passes = 0, lanes = 0] = ourForm.exec(phc)?.map(Number) ?? [];
  if (lanes === 0) throw new Error('a stored password hash is malformed, or not argon2id version 19');
  const largest = largestHashCost;
  if (memoryKiB > largest.memoryKiB || passes > largest.passes || lanes > largest.lanes)
    throw new Error('a stored password hash asks for an absurd cost');
  return { memoryKiB, passes, lanes };
}

/** Whether a hash that was just verified should be replaced, because it was not made with `cost`. */
export function needsRehash(phc: string, cost: HashCost): boolean {
  const stored = hashCost(phc);
  return stored.memoryKiB !== cost.memoryKiB || stored.passes !== cost.passes || stored.lanes !== cost.lanes;
}

/** A hash that costs as much to verify as any other and that no password matches: for unknown users. */
export function unmatchableHash(cost: HashCost): string {
  return phcText(cost, systemRandom.bytes(16), systemRandom.bytes(32));
}

function phcText({ memoryKiB, passes, lanes }: HashCost, salt: Uint8Array, hash: Uint8Array): string {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${base64(salt)}$${base64(hash)}`;
}

/** Blocks the thread. A PHC string with a fresh 16-byte salt. */
export function hashPasswordBlocking(password: Password, cost: HashCost): string {
  return argon2().hashSync(password, {
    algorithm: argon2id,
    memoryCost: cost.memoryKiB,
    timeCost: cost.passes,
    parallelism: cost.lanes,
    salt: systemRandom.bytes(16),
  });
}

/** Blocks the thread. @throws Error when the stored hash is malformed */
export function verifyPasswordBlocking(phc: string, password: Password): boolean {
  hashCost(phc);
  try {
    return argon2().verifySync(phc, password);
  } catch {
    // The library's message quotes its input, and a hash must not be logged.
    throw new Error('a stored password hash is malformed');
  }
}

// Unassigned or privately assigned characters: their normal form may change with the next Unicode version. Surrogates
// here are unpaired ones, which have no bytes to hash. U+FFFD is what is left of text in another encoding.
const refusedCharacters = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\ufffd]/u;
// Invisible characters, such as U+200B and U+202E: typed by accident, and not typed again.
const invisibleCharacters =
  /(?!\p{Join_Control}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/u;
const nonAsciiSpace = /(?! )\p{Zs}/gu;

/**
 * One form for a password from every keyboard: spaces become U+0020, then Unicode normal form C. Case stays,
 * nothing is cut. Apply it where a password is set and where it is checked.
 *
 * The OpaqueString profile, with one exception: joiners, variation selectors and tag characters are accepted, because
 * keyboards write them inside emoji.
 * @throws MalformedInput empty, or contains control, private, unassigned or invisible characters
 * @see RFC 8265 section 4.2
 */
export function opaqueString(text: string): string {
  if (text === '') throw new MalformedInput('empty');
  if (refusedCharacters.test(text)) throw new MalformedInput('control or unassigned character');
  if (invisibleCharacters.test(text)) throw new MalformedInput('invisible character');
  return text.replace(nonAsciiSpace, ' ').normalize('NFC');
}
