// An authenticator in software (WebAuthn level 3, section 6) and the browser that asks it, written from the specification.
// It makes every mistake that a test asks for.

import { constants, createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

type Cbor = number | string | Uint8Array | boolean | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>;

/** Definite lengths only (RFC 8949, section 4.2), as authenticators have to write it. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'boolean') return Buffer.of(value ? 0xf5 : 0xf4);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member)]);
    return Buffer.concat([head(5, value.size), ...members]);
  }
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(cbor)]);
}

function head(type: number, length: number): Buffer {
  const first = type << 5;
  if (length < 24) return Buffer.of(first | length);
  if (length < 256) return Buffer.of(first | 24, length);
  if (length < 65_536) return Buffer.of(first | 25, length >> 8, length & 255);
  const bytes = Buffer.alloc(5, first | 26);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** What an answer says instead of the truth. */
export interface Twist {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly isPresent?: boolean;
  readonly isVerified?: boolean;
  readonly backup?: { readonly eligible: boolean; readonly state: boolean };
  readonly counter?: number;
  readonly userHandle?: string | null;
  /** Another key signs. */
  readonly key?: KeyObject;
}

/** What it reads of the options that a server sent. */
interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}
interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

// biome-ignore lint/suspicious/noExplicitAny: tests change what they like
export type Json = any;

export interface Credential {
  readonly id: Buffer;
  readonly userHandle: string;
  readonly rpId: string;
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly algorithm: Algorithm;
}

/** @param origin of the page that asks */
export class SoftAuthenticator {
  readonly credentials: Credential[] = [];
  readonly #origin: string;
  readonly #isVerifying: boolean;
  readonly #backup: { readonly eligible: boolean; readonly state: boolean };
  /** 0: it does not count. */
  counter: number;

  constructor(
    origin: string,
    {
      isVerifying = true,
      counter = 1,
      backup = { eligible: false, state: false },
    }: {
      readonly isVerifying?: boolean;
      readonly counter?: number;
      readonly backup?: { readonly eligible: boolean; readonly state: boolean };
    } = {},
  ) {
    this.#origin = origin;
    this.#isVerifying = isVerifying;
    this.#backup = backup;
    this.counter = counter;
  }

  /** `navigator.credentials.create(…).toJSON()` */
  create(
    asked: object,
    {
      algorithm = 'ES256',
      keys = keysOf(algorithm),
      cose = coseOf(algorithm, keys.publicKey),
      statement = new Map(),
      format = 'none',
      aaguid = Buffer.alloc(16),
      rk = true,
      maker = null,
      id = randomBytes(32),
      ...twist
    }: Twist & {
      readonly algorithm?: Algorithm;
      readonly keys?: Credential['keys'];
      readonly cose?: Uint8Array;
      readonly statement?: Cbor;
      readonly format?: string;
      readonly aaguid?: Buffer;
      readonly rk?: boolean;
      /** Of the credential. */
      readonly id?: Buffer;
      /** Whose certificates vouch for the model. */
      readonly maker?: { readonly key: KeyObject; readonly path: readonly Buffer[] } | null;
    } = {},
  ): Json {
    const options = asked as CreationOptions;
    const rpId = options.rp.id;
    this.credentials.push({ id, userHandle: options.user.id, rpId, keys, algorithm });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([aaguid, length, id, cose]);
    const authData = this.#authData(rpId, twist, attested);
    const clientDataJSON = this.#clientData('webauthn.create', options.challenge, twist);
    const signed = Buffer.concat([authData, sha256(clientDataJSON)]);
    const vouched = new Map<Cbor, Cbor>(
      maker === null
        ? []
        : [
            ['alg', -7],
            ['sig', sign('sha256', signed, maker.key)],
            ['x5c', maker.path],
          ],
    );
    const attestationObject = cbor(
      new Map<Cbor, Cbor>([
        ['fmt', maker === null ? format : 'packed'],
        ['attStmt', maker === null ? statement : vouched],
        ['authData', authData],
      ]),
    );
    return {
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      response: {
        clientDataJSON: base64url(clientDataJSON),
        attestationObject: base64url(attestationObject),
        transports: ['internal', 'hybrid'],
      },
      clientExtensionResults: { credProps: { rk } },
    };
  }

  /** `navigator.credentials.get(…).toJSON()` */
  get(asked: object, twist: Twist & { readonly credential?: Credential | undefined } = {}): Json {
    const options = asked as RequestOptions;
    const allowed = options.allowCredentials ?? [];
    const found = this.credentials.find(
      ({ id, rpId }) =>
        rpId === options.rpId && (allowed.length === 0 || allowed.some((one) => one.id === base64url(id))),
    );
    const credential = twist.credential ?? found;
    if (credential === undefined) throw new Error('NotAllowedError: no credential of this authenticator');
    if (this.counter > 0) this.counter += 1;
    const authData = this.#authData(options.rpId, twist);
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, twist);
    const signed = Buffer.concat([authData, sha256(clientDataJSON)]);
    const key = twist.key ?? credential.keys.privateKey;
    const digest = credential.algorithm === 'EdDSA' ? null : 'sha256';
    const padding = credential.algorithm === 'RS256' ? { padding: constants.RSA_PKCS1_PADDING } : {};
    const { userHandle = credential.userHandle } = twist;
    return {
      id: base64url(credential.id),
      rawId: base64url(credential.id),
      type: 'public-key',
      response: {
        clientDataJSON: base64url(clientDataJSON),
        authenticatorData: base64url(authData),
        signature: base64url(sign(digest, signed, { key, ...padding })),
        ...(userHandle === null ? {} : { userHandle }),
      },
      clientExtensionResults: {},
    };
  }

  #clientData(type: string, challenge: string, twist: Twist): Buffer {
    const { crossOrigin = false, topOrigin } = twist;
    const said = { type: twist.type ?? type, challenge: twist.challenge ?? challenge };
    const origin = twist.origin ?? this.#origin;
    return Buffer.from(JSON.stringify({ ...said, origin, crossOrigin, ...(topOrigin && { topOrigin }) }));
  }

  #authData(rpId: string, twist: Twist, attested = Buffer.alloc(0)): Buffer {
    const { isPresent = true, isVerified = this.#isVerifying, backup = this.#backup } = twist;
    const flags =
      (isPresent ? 1 : 0) |
      (isVerified ? 4 : 0) |
      (backup.eligible ? 8 : 0) |
      (backup.state ? 16 : 0) |
      (attested.length > 0 ? 64 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(twist.counter ?? this.counter);
    return Buffer.concat([sha256(twist.rpId ?? rpId), Buffer.of(flags), counter, attested]);
  }
}

export function keysOf(algorithm: Algorithm, bits = 2048): Credential['keys'] {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: bits });
}

/** A COSE_Key (RFC 9053, RFC 8230). */
export function coseOf(algorithm: Algorithm, publicKey: KeyObject): Buffer {
  const jwk = publicKey.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  const members: readonly (readonly [Cbor, Cbor])[] =
    algorithm === 'ES256'
      ? [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, bytes(jwk.x)],
          [-3, bytes(jwk.y)],
        ]
      : algorithm === 'EdDSA'
        ? [
            [1, 1],
            [3, -8],
            [-1, 6],
            [-2, bytes(jwk.x)],
          ]
        : [
            [1, 3],
            [3, -257],
            [-1, bytes(jwk.n)],
            [-2, bytes(jwk.e)],
          ];
  return cbor(new Map(members));
}
