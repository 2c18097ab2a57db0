// The contents of a key file: a header line, the fingerprint, how the key is protected, the key.
import { decodeBase64url, encodeBase64url } from '../digest.ts';
import { systemRandom } from '../random.ts';
import { argon2, argon2id } from './argon2.ts';
import { deriveSecret, open, SealBroken, seal, sealingKey } from './sealed-box.ts';

export interface MasterKey {
  readonly bytes: Buffer;
  /** Lets people tell keys apart, for example "3f2a-91bc-07de"; reveals nothing about the key. */
  readonly fingerprint: string;
  /** Whether the file needs a passphrase. */
  readonly wrapped: boolean;
}

export type KeyFileFailure =
  | 'missing'
  | 'unreadable'
  | 'unwritable'
  | 'exists'
  | 'too open'
  | 'malformed'
  | 'passphrase missing'
  | 'passphrase wrong'
  | 'passphrase unusable';

/** Why there is no key. The message is one plain sentence for the operator. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
  readonly reason: KeyFileFailure;

  constructor(reason: KeyFileFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

const firstLine = 'overlay-auth key-encryption key, version 1';
const keyBytes = 32;
const saltBytes = 16;
// Spent once per start, so it can be far more than a login's. Stored in the file, so that it can grow.
const wrapCost: WrapCost = { memoryKiB: 128 * 1024, passes: 3 };
const largestMemoryKib = 1024 * 1024;
const largestPasses = 16;

interface WrapCost {
  readonly memoryKiB: number;
  readonly passes: number;
}

/** A master key with its fingerprint. */
export function masterKey(bytes: Buffer, wrapped = false): MasterKey {
  if (bytes.length !== keyBytes) throw new RangeError('a key-encryption key has 32 bytes');
  const digits = deriveSecret(bytes, 'fingerprint v1').toString('hex');
  return {
    bytes,
    fingerprint: `${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8, 12)}`,
    wrapped,
  };
}

/** The text of a key file; with a passphrase, the key in it is sealed. */
export function encodeKeyFile(key: MasterKey, passphrase?: string): string {
  const lines = [firstLine, `fingerprint: ${key.fingerprint}`];
  if (passphrase === undefined) {
    lines.push('protection: none', `key: ${encodeBase64url(key.bytes)}`);
  } else {
    const salt = systemRandom.bytes(saltBytes);
    const wrapping = sealingKey(stretch(passphrase, salt, wrapCost));
    const { memoryKiB, passes } = wrapCost;
    lines.push(
      `protection: argon2id m=${memoryKiB} t=${passes} salt=${encodeBase64url(salt)}`,
      `key: ${encodeBase64url(seal(wrapping, key.bytes, `${firstLine} ${key.fingerprint}`))}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/**
 * The key in the text of a key file.
 * @param path only for messages
 * @throws KeyFileError malformed, passphrase missing, passphrase wrong
 */
export function parseKeyFile(text: string, path: string, passphrase?: string): MasterKey {
  const malformed = () =>
    new KeyFileError('malformed', `${path} is not a whole key file of version 1; restore it from a backup.`);
  const [header, fingerprintLine, protectionLine, keyLine, ...rest] = text
    .replaceAll('\r\n', '\n')
    .split('\n');
  const fingerprint = afterLabel('fingerprint: ', fingerprintLine);
  const protection = afterLabel('protection: ', protectionLine);
  const stored = decodeBase64url(afterLabel('key: ', keyLine) ?? '=');
  if (header !== firstLine || fingerprint === undefined || protection === undefined || stored === undefined)
    throw malformed();
  if (rest.some((line) => line !== '')) throw malformed();

  const wrap = protection === 'none' ? undefined : parseProtection(protection);
  if (protection !== 'none' && wrap === undefined) throw malformed();
  const bytes =
    wrap === undefined
      ? stored
      : unwrap({ box: stored, associatedData: `${firstLine} ${fingerprint}`, wrap, path }, passphrase);
  if (bytes?.length !== keyBytes) throw malformed();
  const key = masterKey(bytes, wrap !== undefined);
  // A key with one changed digit would open nothing, and it would seal new records before the mistake is noticed.
  if (key.fingerprint !== fingerprint) throw malformed();
  return key;
}

interface Wrap extends WrapCost {
  readonly salt: Buffer;
}

/** undefined: not one of our boxes. */
function unwrap(
  { box, associatedData, wrap, path }: { box: Buffer; associatedData: string; wrap: Wrap; path: string },
  passphrase: string | undefined,
): Buffer | undefined {
  if (passphrase === undefined)
    throw new KeyFileError(
      'passphrase missing',
      `The key file ${path} is protected by a passphrase; give it in OVERLAY_AUTH_KEY_PASSPHRASE or OVERLAY_AUTH_KEY_PASSPHRASE_FILE.`,
    );
  try {
    return open([sealingKey(stretch(passphrase, wrap.salt, wrap))], box, associatedData);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    if (error.reason === 'unknown key')
      throw new KeyFileError('passphrase wrong', `The passphrase does not open the key file ${path}.`);
    return undefined;
  }
}

function parseProtection(text: string): Wrap | undefined {
  const found = /^argon2id m=([0-9]{1,8}) t=([0-9]{1,3}) salt=([A-Za-z0-9_-]+)$/.exec(text);
  if (found === null) return undefined;
  const memoryKiB = Number(found[1]);
  const passes = Number(found[2]);
  const salt = decodeBase64url(found[3] ?? '');
  if (salt?.length !== saltBytes) return undefined;
  if (memoryKiB < 8 || memoryKiB > largestMemoryKib || passes < 1 || passes > largestPasses) return undefined;
  return { memoryKiB, passes, salt };
}

function stretch(passphrase: string, salt: Buffer, cost: WrapCost): Buffer {
  // Normalizes text that keyboards and editors write in two ways.
  return argon2().hashRawSync(passphrase.normalize('NFC'), {
    algorithm: argon2id,
    memoryCost: cost.memoryKiB,
    timeCost: cost.passes,
    parallelism: 1,
    outputLen: keyBytes,
    salt,
  });
}

function afterLabel(label: string, line: string | undefined): string | undefined {
  return line?.startsWith(label) ? line.slice(label.length) : undefined;
}
