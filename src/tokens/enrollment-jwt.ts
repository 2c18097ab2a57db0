// JWTs that tell a device where and how to enroll. Clients verify them with the public key of the certificate that the
// server at `iss` presents in the TLS handshake, so only the key of that listener signs them. They are made again
// whenever one is shown: after a renewal of the certificate, the same token comes in a JWT that fits it.

import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { TokenMethod } from '../model/enrollment.ts';
import type { CaId, IdentityId } from '../model/ids.ts';
import { type Millis, SECOND } from '../platform/clock.ts';
import { encodeBase64url } from '../platform/digest.ts';

/** The contents of an enrollment JWT. */
export interface EnrollmentClaims {
  readonly identityId: IdentityId;
  readonly method: TokenMethod;
  /** The secret; `jti`. */
  readonly token: string;
  readonly expiresAt: Millis;
}

/** Where clients enroll, and what proves it. */
export interface EnrollmentIdentity {
  /** `host:port` */
  readonly address: string;
  /** PEM, for the certificate that is presented there. */
  readonly privateKey: string;
}

export type EnrollmentSigner = ReturnType<typeof enrollmentSigner>;

/** @throws RangeError a kind of key that cannot sign JWTs */
export function enrollmentSigner(first: EnrollmentIdentity) {
  let present = presentIdentity(first);
  return {
    /** `https://` and the address at which clients enroll. */
    get issuer() {
      return present.issuer;
    },
    signEnrollment: ({ identityId, method, token, expiresAt }: EnrollmentClaims) =>
      present.signClaims({
        iss: present.issuer,
        sub: identityId,
        aud: existingAudience,
        exp: Math.floor(expiresAt / SECOND),
        jti: token,
        em: method,
      }),
    /** Contains no secret either: where holders of this authority's certificates enroll by themselves. */
    signAuthority: (id: CaId, expiresAt: Millis) =>
      present.signClaims({
        iss: present.issuer,
        sub: id,
        aud: existingAudience,
        exp: Math.floor(expiresAt / SECOND),
        jti: id,
        em: 'ca',
      }),
    /** Contains no secret and never ends: with it a client finds the network before it has an identity. */
    get networkJwt() {
      return present.networkJwt;
    },
    /** Signs with this identity from now on. @throws RangeError as enrollmentSigner */
    replaceIdentity(identity: EnrollmentIdentity) {
      present = presentIdentity(identity);
    },
  };
}

/** There is one network; clients show this name. */
export const networkName = 'default';

/** The value that existing SDKs have always received. */
const existingAudience = [''];

function presentIdentity({ address, privateKey }: EnrollmentIdentity) {
  const key = createPrivateKey(privateKey);
  const { alg, hash } = algorithmOf(key);
  const issuer = `https://${address}`;
  const header = encodeBase64url(JSON.stringify({ alg, typ: 'JWT' }));
  const signClaims = (claims: object) => {
    const signingInput = `${header}.${encodeBase64url(JSON.stringify(claims))}`;
    const signature = sign(hash, Buffer.from(signingInput), { key, dsaEncoding: 'ieee-p1363' });
    return `${signingInput}.${signature.toString('base64url')}`;
  };
  const networkJwt = signClaims({ iss: issuer, sub: networkName, aud: existingAudience, em: 'network' });
  return { issuer, signClaims, networkJwt };
}

interface Algorithm {
  readonly alg: string;
  readonly hash: string | null;
}

const curves: Readonly<Record<string, Algorithm>> = {
  prime256v1: { alg: 'ES256', hash: 'sha256' },
  secp384r1: { alg: 'ES384', hash: 'sha384' },
  secp521r1: { alg: 'ES512', hash: 'sha512' },
};

/** @see RFC 7518 section 3.1, RFC 8037 section 3.1 */
function algorithmOf(key: KeyObject): Algorithm {
  if (key.asymmetricKeyType === 'rsa') return { alg: 'RS256', hash: 'sha256' };
  if (key.asymmetricKeyType === 'ed25519') return { alg: 'EdDSA', hash: null };
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve === undefined) throw new RangeError('its key is none of RSA, P-256, P-384, P-521 and Ed25519');
  return curve;
}
