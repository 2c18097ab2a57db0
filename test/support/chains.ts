// Certificates for tests, most of them wrong in one way. Written byte by byte, because no library makes the
// certificates that a hostile client sends.

import { constants, createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { DAY, systemClock } from '../../src/platform/clock.ts';
import {
  bitString,
  boolean,
  element,
  integer,
  octetString,
  oid,
  sequence,
  set,
  text,
  time,
} from './der-writer.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface Made {
  readonly der: Buffer;
  readonly certPem: string;
  readonly keyPem: string;
  /** The subject, DER. */
  readonly name: Buffer;
  readonly keys: KeyPair;
}

export interface Recipe {
  /** A common name, or a whole name as DER. Default: a random number. */
  readonly subject?: string | Buffer;
  /** Left out: self-signed. */
  readonly issuer?: Pick<Made, 'name' | 'keys'>;
  /** Another name than the issuer's own, as DER. */
  readonly issuerName?: Buffer;
  readonly keys?: KeyPair;
  /** Millis relative to the system's clock, because a TLS handshake has no other. */
  readonly from?: number;
  readonly until?: number;
  readonly extensions?: readonly Buffer[];
  readonly signature?: SignatureKind;
  /** As encoded: 2 is version 3. Null leaves it out. */
  readonly version?: number | null;
}

export type SignatureKind = 'sha256' | 'sha384' | 'sha224' | 'sha1' | 'md5' | 'pss-sha256' | 'pss-sha1';

export const newKeys = {
  ec: (namedCurve = 'P-256'): KeyPair => generateKeyPairSync('ec', { namedCurve }),
  rsa: (modulusLength = 2048): KeyPair => generateKeyPairSync('rsa', { modulusLength }),
  ed25519: (): KeyPair => generateKeyPairSync('ed25519'),
  ed448: (): KeyPair => generateKeyPairSync('ed448'),
};

export function makeCertificate(recipe: Recipe): Made {
  const keys = recipe.keys ?? newKeys.ec();
  const { subject = `unnamed ${randomBytes(6).toString('hex')}` } = recipe;
  const name = typeof subject === 'string' ? commonName(subject) : subject;
  const issuer = recipe.issuer ?? { name, keys };
  const now = systemClock.now();
  const { version = 2, extensions = [] } = recipe;
  const der = signed(issuer.keys, recipe.signature, (algorithm) =>
    sequence(
      ...(version === null ? [] : [element(0xa0, integer(version))]),
      integer(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
      algorithm,
      recipe.issuerName ?? issuer.name,
      sequence(time(now + (recipe.from ?? -DAY)), time(now + (recipe.until ?? DAY))),
      name,
      keys.publicKey.export({ format: 'der', type: 'spki' }),
      ...(extensions.length === 0 ? [] : [element(0xa3, sequence(...extensions))]),
    ),
  );
  return fromDer(der, name, keys);
}

/** What has a signature: a content that names the algorithm, the algorithm, the signature, and what follows. */
export function signed(
  { privateKey }: Pick<KeyPair, 'privateKey'>,
  kind: SignatureKind | undefined,
  contentWith: (algorithm: Buffer) => Buffer,
  ...more: readonly Buffer[]
): Buffer {
  const algorithm = algorithmOf(privateKey, kind ?? 'sha256');
  const content = contentWith(algorithm.identifier);
  const signature = sign(algorithm.hash, content, { key: privateKey, ...algorithm.options });
  return sequence(content, algorithm.identifier, bitString(signature), ...more);
}

export function fromDer(der: Buffer, name: Buffer, keys: KeyPair): Made {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    der,
    certPem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    keyPem: keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    name,
    keys,
  };
}

type Changes = Omit<Recipe, 'extensions'>;

/** An authority without faults. If extensions are given, it has only those. */
export function authority(changes: Changes = {}, extensions = authorityExtensions()): Made {
  return makeCertificate({ ...changes, extensions });
}

/** A client certificate without faults; extensions as for authority(). */
export function client(changes: Changes = {}, extensions = clientExtensions()): Made {
  return makeCertificate({ subject: 'erin', ...changes, extensions });
}

/** @param more further extensions */
export function authorityExtensions(pathLength?: number, ...more: readonly Buffer[]): Buffer[] {
  return [basicConstraints(true, pathLength), keyUsage('keyCertSign', 'cRLSign'), ...more];
}

export function clientExtensions(...more: readonly Buffer[]): Buffer[] {
  return [
    basicConstraints(false),
    keyUsage('digitalSignature'),
    extendedKeyUsage(usageOids.clientAuth),
    ...more,
  ];
}

export const usageOids = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  any: '2.5.29.37.0',
} as const;

export function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

export function basicConstraints(isCa: boolean, pathLength?: number): Buffer {
  const length = pathLength === undefined ? [] : [integer(pathLength)];
  return extension('2.5.29.19', true, sequence(...(isCa ? [boolean(true)] : []), ...length));
}

const keyUsageBits = {
  digitalSignature: 0x80,
  keyAgreement: 0x08,
  keyCertSign: 0x04,
  cRLSign: 0x02,
} as const;

export function keyUsage(...usages: readonly (keyof typeof keyUsageBits)[]): Buffer {
  const bits = usages.reduce((all, usage) => all | keyUsageBits[usage], 0);
  const unused = bits === 0 ? 0 : 31 - Math.clz32(bits & -bits);
  return extension('2.5.29.15', true, bitString(Buffer.from([bits]), unused));
}

export function extendedKeyUsage(...usages: readonly string[]): Buffer {
  return extension('2.5.29.37', false, sequence(...usages.map(oid)));
}

export function subjectAltName(...names: readonly Buffer[]): Buffer {
  return extension('2.5.29.17', false, sequence(...names));
}

export function nameConstraints(subtrees: {
  permitted?: readonly Buffer[];
  excluded?: readonly Buffer[];
}): Buffer {
  const side = (tag: number, bases: readonly Buffer[] = []) =>
    bases.length === 0 ? [] : [element(tag, ...bases.map((base) => sequence(base)))];
  return extension(
    '2.5.29.30',
    true,
    sequence(...side(0xa0, subtrees.permitted), ...side(0xa1, subtrees.excluded)),
  );
}

/** Names, for alternative names and for constraints. */
export const generalName = {
  email: (value: string) => text(0x81, value),
  dns: (value: string) => text(0x82, value),
  uri: (value: string) => text(0x86, value),
  /** Bytes of an address, or of an address and a mask. */
  ip: (...bytes: readonly number[]) => element(0x87, Buffer.from(bytes)),
  directory: (name: Buffer) => element(0xa4, name),
  registeredId: (id: string) => Buffer.concat([Buffer.from([0x88]), oid(id).subarray(1)]),
  /** A user principal name, as Windows has it. */
  other: (value: string) => element(0xa0, oid('1.3.6.1.4.1.311.20.2.3'), element(0xa0, text(0x0c, value))),
};

export const attributeOids = {
  commonName: '2.5.4.3',
  country: '2.5.4.6',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  emailAddress: '1.2.840.113549.1.9.1',
} as const;

/** Each part is one attribute: its type, its value, and the tag of the string type (default UTF8String). */
export function distinguishedName(
  ...parts: readonly (readonly [type: string, value: string, tag?: number])[]
): Buffer {
  return sequence(...parts.map(([type, value, tag = 0x0c]) => set(sequence(oid(type), text(tag, value)))));
}

export function commonName(value: string): Buffer {
  return distinguishedName([attributeOids.commonName, value]);
}

export function subjectKeyId(keys: KeyPair): Buffer {
  return extension('2.5.29.14', false, octetString(keyId(keys)));
}

export function authorityKeyId(keys: KeyPair): Buffer {
  return extension('2.5.29.35', false, sequence(element(0x80, keyId(keys))));
}

function keyId(keys: KeyPair): Buffer {
  return createHash('sha256')
    .update(keys.publicKey.export({ format: 'der', type: 'spki' }))
    .digest()
    .subarray(0, 20);
}

interface Algorithm {
  readonly identifier: Buffer;
  readonly hash: string | null;
  readonly options: { padding?: number; saltLength?: number };
}

const rsaOids = {
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha224: '1.2.840.113549.1.1.14',
  sha1: '1.2.840.113549.1.1.5',
  md5: '1.2.840.113549.1.1.4',
} as const;
const ecdsaOids = {
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
  sha224: '1.2.840.10045.4.3.1',
  sha1: '1.2.840.10045.4.1',
} as const;
const nullElement = element(0x05);

function algorithmOf(key: KeyObject, kind: SignatureKind): Algorithm {
  const type = key.asymmetricKeyType;
  if (type === 'ed25519' || type === 'ed448')
    return {
      identifier: sequence(oid(type === 'ed25519' ? '1.3.101.112' : '1.3.101.113')),
      hash: null,
      options: {},
    };
  if (kind === 'pss-sha256' || kind === 'pss-sha1') {
    const hash = kind === 'pss-sha256' ? 'sha256' : 'sha1';
    const saltLength = hash === 'sha256' ? 32 : 20;
    const hashId = sequence(oid(hash === 'sha256' ? '2.16.840.1.101.3.4.2.1' : '1.3.14.3.2.26'), nullElement);
    const mask = sequence(oid('1.2.840.113549.1.1.8'), hashId);
    const parameters = [element(0xa0, hashId), element(0xa1, mask), element(0xa2, integer(saltLength))];
    return {
      identifier: sequence(oid('1.2.840.113549.1.1.10'), sequence(...(hash === 'sha1' ? [] : parameters))),
      hash,
      options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength },
    };
  }
  if (type === 'rsa')
    return { identifier: sequence(oid(rsaOids[kind]), nullElement), hash: kind, options: {} };
  if (kind === 'md5') throw new Error('no such signature');
  return { identifier: sequence(oid(ecdsaOids[kind])), hash: kind, options: {} };
}
