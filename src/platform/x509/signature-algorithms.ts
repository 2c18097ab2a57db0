import { constants, type KeyObject, verify } from 'node:crypto';
import { MalformedInput } from '../formats/strict-input.ts';
import { childrenOf, contextTag, type DerElement, derFields, derTag, readObjectIdentifier } from './der.ts';

/** How a certificate was signed. */
export interface SignatureAlgorithm {
  /** For people: `SHA-1 with RSA`, or an object identifier. */
  readonly name: string;
  readonly accepted: boolean;
  /** The hash as `node:crypto` calls it; null: the algorithm needs none, or is not accepted. */
  readonly hash: string | null;
  readonly isPss?: true;
}

/**
 * Whether a signature over `data` is that of the key. For a list of many megabytes it takes a while, elsewhere than on
 * this thread.
 */
export function verifiesSignature(
  algorithm: SignatureAlgorithm,
  { data, key, signature }: { readonly data: Buffer; readonly key: KeyObject; readonly signature: Buffer },
): Promise<boolean> {
  const { hash, isPss } = algorithm;
  const padding = isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
  return new Promise((resolve) => {
    // An algorithm that does not fit the key is a failure, too.
    if (!isForKey(algorithm, key)) return resolve(false);
    try {
      verify(hash, data, { key, ...padding }, signature, (error, isGood) =>
        resolve(error === null && isGood),
      );
    } catch {
      resolve(false);
    }
  });
}

/** Whether a key of this kind may have signed so. */
export function isForKey({ name, accepted, hash, isPss }: SignatureAlgorithm, key: KeyObject): boolean {
  const kind = hash === null ? 'ed25519' : name.startsWith('ECDSA') ? 'ec' : 'rsa';
  return (
    accepted && (key.asymmetricKeyType === kind || (isPss === true && key.asymmetricKeyType === 'rsa-pss'))
  );
}

const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.11': { name: 'SHA-256 with RSA', accepted: true, hash: 'sha256' },
  '1.2.840.113549.1.1.12': { name: 'SHA-384 with RSA', accepted: true, hash: 'sha384' },
  '1.2.840.113549.1.1.13': { name: 'SHA-512 with RSA', accepted: true, hash: 'sha512' },
  '1.2.840.10045.4.3.2': { name: 'ECDSA with SHA-256', accepted: true, hash: 'sha256' },
  '1.2.840.10045.4.3.3': { name: 'ECDSA with SHA-384', accepted: true, hash: 'sha384' },
  '1.2.840.10045.4.3.4': { name: 'ECDSA with SHA-512', accepted: true, hash: 'sha512' },
  '1.3.101.112': { name: 'Ed25519', accepted: true, hash: null },
  '1.2.840.113549.1.1.2': { name: 'MD2 with RSA', accepted: false, hash: null },
  '1.2.840.113549.1.1.4': { name: 'MD5 with RSA', accepted: false, hash: null },
  '1.2.840.113549.1.1.5': { name: 'SHA-1 with RSA', accepted: false, hash: null },
  '1.2.840.113549.1.1.14': { name: 'SHA-224 with RSA', accepted: false, hash: null },
  '1.2.840.10045.4.1': { name: 'ECDSA with SHA-1', accepted: false, hash: null },
  '1.2.840.10045.4.3.1': { name: 'ECDSA with SHA-224', accepted: false, hash: null },
};

const rsaPssOid = '1.2.840.113549.1.1.10';
const strongHashes: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};

/** The algorithm of an AlgorithmIdentifier. Those not listed are not accepted. @throws MalformedInput */
export function readSignatureAlgorithm(element: DerElement | undefined): SignatureAlgorithm {
  const [oid, parameters] = childrenOf(element, derTag.sequence);
  const name = readObjectIdentifier(oid);
  if (name === rsaPssOid) return readPss(parameters);
  return algorithms[name] ?? { name, accepted: false, hash: null };
}

// Omitted parameters mean SHA-1, for the hash and for the mask. @see RFC 4055 section 3.1
function readPss(parameters: DerElement | undefined): SignatureAlgorithm {
  const fields = derFields(parameters === undefined ? [] : childrenOf(parameters, derTag.sequence));
  const hash = hashName(fields.takeIf(contextTag(0)));
  const mask = fields.takeIf(contextTag(1));
  const [maskFunction] = mask === undefined ? [] : childrenOf(mask, contextTag(1));
  const [, maskHash] = maskFunction === undefined ? [] : childrenOf(maskFunction, derTag.sequence);
  const accepted =
    hash !== undefined && maskHash !== undefined && strongHashes[hashOid(maskHash)] !== undefined;
  return {
    name: `${hash ?? 'SHA-1 or another weak hash'} with RSA-PSS`,
    accepted,
    hash: hash?.replace('-', '').toLowerCase() ?? null,
    isPss: true,
  };
}

function hashName(field: DerElement | undefined): string | undefined {
  if (field === undefined) return undefined;
  const [identifier] = childrenOf(field, contextTag(0));
  if (identifier === undefined) throw new MalformedInput('signature algorithm');
  return strongHashes[hashOid(identifier)];
}

function hashOid(identifier: DerElement): string {
  const [oid] = childrenOf(identifier, derTag.sequence);
  return readObjectIdentifier(oid);
}
