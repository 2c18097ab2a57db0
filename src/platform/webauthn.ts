// Answers of WebAuthn authenticators. @simplewebauthn/server reads CBOR and COSE and checks signatures. It is loaded when
// the first answer arrives, since many controllers never see one.

import { createPublicKey, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { decodeBase64url } from './digest.ts';
import type { Millis } from './time-units.ts';
import { isAcceptedKey } from './x509/key-strength.ts';
import { type PathCertificate, readPathCertificate } from './x509/path-certificate.ts';
import { issuanceProblem } from './x509/path-validation.ts';

/** The domain to which passkeys belong, and the origin of our pages there. */
export interface PasskeySite {
  readonly rpId: string;
  readonly origin: string;
}

/**
 * The domain of passkeys at a host: the configured one if the host is below it, otherwise the host. Null where browsers
 * know no passkeys: at addresses (WebAuthn level 3, section 5.1.3).
 */
export function rpIdOf(host: string, configured: string | null): string | null {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return null;
  if (configured === null) return host;
  return host === configured || host.endsWith(`.${configured}`) ? configured : null;
}

/** The requirement that an answer does not meet. */
export type AnswerFault = 'malformed' | 'ceremony' | 'origin' | 'site' | 'absent' | 'key' | 'signature';

/** The longest credential id has 1023 bytes. */
const base64url = (most: number) => z.string().min(1).max(most);
const credential = { id: base64url(1364), rawId: base64url(1364), type: z.literal('public-key') };
const clientDataJSON = base64url(4096);

/** The members of `PublicKeyCredential.toJSON()` that count (WebAuthn level 3, section 5.1). */
export const assertionSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(4096),
    signature: base64url(2048),
    userHandle: z.string().max(128).nullish(),
  }),
});
export const attestationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON,
    attestationObject: base64url(8192),
    transports: z
      .array(z.string().regex(/^[a-z-]{1,32}$/))
      .max(10)
      .optional(),
  }),
  clientExtensionResults: z
    .object({ credProps: z.object({ rk: z.boolean().optional() }).optional() })
    .optional(),
});
export type Assertion = z.output<typeof assertionSchema>;
export type Attestation = z.output<typeof attestationSchema>;

const clientDataSchema = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
});
export type ClientData = z.output<typeof clientDataSchema>;

/** The browser's data about the ceremony; the signature covers it. Undefined: not readable. */
export function clientDataOf({ response }: Assertion | Attestation): ClientData | undefined {
  const bytes = decodeBase64url(response.clientDataJSON);
  try {
    return bytes === undefined ? undefined : clientDataSchema.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}

/** An authenticator's data about itself and its key. */
export interface CheckedAssertion {
  /** It knew its owner, by a PIN, a finger or a face. */
  readonly isUserVerified: boolean;
  /** Copies of the key may exist, on other devices of its owner. */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  /** How often it has signed; 0: it does not count. */
  readonly counter: number;
}

/** The key of a credential, as it was registered. */
export interface CredentialKey {
  /** Base64url. */
  readonly credentialId: string;
  /** COSE_Key, base64url. */
  readonly publicKey: string;
}

export type CheckedAttestation = CheckedAssertion &
  CredentialKey & {
    /** The model of the authenticator, a UUID; zeros: it does not say. */
    readonly aaguid: string;
    /** Its maker vouches for the model. */
    readonly isModelProven: boolean;
  };

/** ES256, EdDSA and RS256 (COSE), those that we would rather have first. */
export const keyAlgorithms: readonly number[] = [-7, -8, -257];

/**
 * Checks an answer to a question for a passkey. Challenge, user verification and counter are judged by the caller.
 * @see WebAuthn level 3, section 7.2
 */
export async function checkAssertion(
  assertion: Assertion,
  { credentialId, publicKey }: CredentialKey,
  site: PasskeySite,
): Promise<CheckedAssertion | AnswerFault> {
  const read = readClientData(assertion, 'webauthn.get', site);
  if (typeof read === 'string') return read;
  const { verifyAuthenticationResponse } = await library();
  return judged(async () => {
    const { userHandle: _, ...response } = assertion.response;
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...assertion, response, clientExtensionResults: {} },
      expectedChallenge: read.challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      // The statement that stores the counter compares it.
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter: 0,
      },
      requireUserVerification: false,
    });
    if (!verified) return 'signature';
    return {
      isUserVerified: info.userVerified,
      isBackupEligible: info.credentialDeviceType === 'multiDevice',
      isBackedUp: info.credentialBackedUp,
      counter: info.newCounter,
    };
  });
}

/**
 * Checks the answer that registers a passkey; as `checkAssertion`.
 * @param makers whose word for the model counts; null: the model does not matter
 * @see WebAuthn level 3, section 7.1
 */
export async function checkAttestation(
  attestation: Attestation,
  site: PasskeySite,
  makers: Makers | null = null,
): Promise<CheckedAttestation | AnswerFault> {
  const read = readClientData(attestation, 'webauthn.create', site);
  if (typeof read === 'string') return read;
  const { verifyRegistrationResponse } = await library();
  const verify = ({ clientDataJSON, attestationObject }: Attestation['response']) =>
    verifyRegistrationResponse({
      response: {
        ...attestation,
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: read.challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...keyAlgorithms],
    });
  return judged(async () => {
    const { response } = attestation;
    const { format, path, none } = await readStatement(response.attestationObject);
    const { verified, registrationInfo: info } = await verify({ ...response, attestationObject: none });
    if (!verified || info.credential.id !== attestation.id) return 'malformed';
    // Only this statement is signed inside of the authenticator: in others, the owner of the computer writes the model.
    const isVouchedFor = makers !== null && format === 'packed' && isOfMaker(path, makers);
    if (!(await isUsableKey(info.credential.publicKey))) return 'key';
    return {
      credentialId: info.credential.id,
      publicKey: Buffer.from(info.credential.publicKey).toString('base64url'),
      aaguid: info.aaguid,
      // The library also compares the model with that of the certificate, if there is one (section 8.2.1).
      isModelProven: isVouchedFor && (await verify(response).catch(() => null))?.verified === true,
      isUserVerified: info.userVerified,
      isBackupEligible: info.credentialDeviceType === 'multiDevice',
      isBackedUp: info.credentialBackedUp,
      counter: info.credential.counter,
    };
  });
}

/** Only a page of ours in a window of its own may ask. */
function readClientData(
  answer: Assertion | Attestation,
  type: 'webauthn.get' | 'webauthn.create',
  { origin }: PasskeySite,
): ClientData | AnswerFault {
  const read = clientDataOf(answer);
  if (read === undefined) return 'malformed';
  if (read.type !== type) return 'ceremony';
  const isOurs = read.origin === origin && read.crossOrigin !== true && read.topOrigin === undefined;
  return isOurs ? read : 'origin';
}

function library() {
  return import('@simplewebauthn/server');
}

function helpers() {
  return import('@simplewebauthn/server/helpers');
}

/** Sentences of the library, by subject. Everything else is not readable. */
const faults: readonly (readonly [RegExp, AnswerFault])[] = [
  [/RP ID hash/, 'site'],
  [/not present/, 'absent'],
  [/public key alg/, 'key'],
];

/** The answer comes from a stranger: every error of the library about it is a fault of the answer. */
async function judged<Checked>(check: () => Promise<Checked | AnswerFault>): Promise<Checked | AnswerFault> {
  try {
    return await check();
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    return faults.find(([sentence]) => sentence.test(said))?.[1] ?? 'malformed';
  }
}

/** The authorities of makers, and the time at which their certificates have to be valid. */
export interface Makers {
  readonly roots: readonly PathCertificate[];
  readonly now: Millis;
}

interface Statement {
  readonly format: string;
  /** DER of the certificates, that of the authenticator first. */
  readonly path: readonly Uint8Array[];
  /**
   * The same object without the authenticator's statement about its model: nothing may follow addresses in certificates
   * of strangers.
   */
  readonly none: string;
}

async function readStatement(attestationObject: string): Promise<Statement> {
  const { decodeAttestationObject, isoCBOR } = await helpers();
  const read = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const none = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', read.get('authData')],
  ]);
  return {
    format: read.get('fmt'),
    path: read.get('attStmt').get('x5c') ?? [],
    none: Buffer.from(isoCBOR.encode(none as never)).toString('base64url'),
  };
}

/** Whether the first certificate is of a maker. */
function isOfMaker(path: readonly Uint8Array[], { roots, now }: Makers): boolean {
  const [leaf, ...intermediates] = path.map(readPathCertificate);
  if (leaf === undefined) return false;
  return roots.some((authority) => issuanceProblem(leaf, { intermediates, authority, now }) === undefined);
}

/** Whether signatures with this COSE_Key prove something (RFC 9053): P-256, Ed25519, or RSA as elsewhere. */
async function isUsableKey(publicKey: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { decodeCredentialPublicKey } = await helpers();
  const cose = decodeCredentialPublicKey(publicKey) as unknown as ReadonlyMap<number, unknown>;
  const jwk = jwkOf(cose);
  return jwk !== undefined && isAcceptedKey(createPublicKey({ key: jwk, format: 'jwk' }));
}

function jwkOf(cose: ReadonlyMap<number, unknown>): webcrypto.JsonWebKey | undefined {
  const bytes = (label: number) => {
    const value = cose.get(label);
    if (!(value instanceof Uint8Array)) throw new TypeError('a COSE key without one of its numbers');
    return Buffer.from(value).toString('base64url');
  };
  const [type, alg, first] = [cose.get(1), cose.get(3), cose.get(-1)];
  if (alg === -7 && type === 2 && first === 1) return { kty: 'EC', crv: 'P-256', x: bytes(-2), y: bytes(-3) };
  if (alg === -8 && type === 1 && first === 6) return { kty: 'OKP', crv: 'Ed25519', x: bytes(-2) };
  return alg === -257 && type === 3 ? { kty: 'RSA', n: bytes(-1), e: bytes(-2) } : undefined;
}
