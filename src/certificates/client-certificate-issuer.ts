import { createPrivateKey, createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { AuthError } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { IdentityId } from '../model/ids.ts';
import { type Clock, DAY, type Millis } from '../platform/clock.ts';
import { MalformedInput } from '../platform/formats/strict-input.ts';
import { readCertificateRequest } from '../platform/x509/certificate-request.ts';
import { certificateFacts, parseCertificate } from '../platform/x509/x509.ts';
import type { AuthenticatorStore } from '../store/contracts/authenticators.ts';

/** The authority that signs client certificates. */
export interface SigningAuthority {
  readonly certPem: string;
  /** PKCS #8, PEM. */
  readonly keyPem: string;
  /** PEM of what leads from an issued certificate towards the root, the authority first, the root left out. */
  readonly chainPem: string;
}

/** The key of a request whose holder has proven to have it. */
export interface RequestedKey {
  readonly publicKey: KeyObject;
}

/** For keeping it until the certificate is made: SPKI, DER as base64. */
export function keptKey({ publicKey }: RequestedKey): string {
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
}

/** Reads the text that `keptKey` has written. */
export function requestedKeyOf(kept: string): RequestedKey {
  return { publicKey: createPublicKey({ key: Buffer.from(kept, 'base64'), format: 'der', type: 'spki' }) };
}

export interface CertificateWanted {
  readonly key: RequestedKey;
  /** Becomes the common name, and with it the whole subject. */
  readonly identityId: IdentityId;
  /** Alternative names of the kind URI; none for a certificate that only names an identity. */
  readonly uris?: readonly string[];
  readonly lifetime: Millis;
}

/** Of an enrolled certificate and its successors. They end earlier if their authority does. */
export const clientCertificateLifetime: Millis = 365 * DAY;

export interface IssuedCertificate {
  /** PEM of the certificate alone. */
  readonly certPem: string;
  /** PEM, the certificate first, then its intermediates. */
  readonly chainPem: string;
  /** SHA-256 of the DER form, base64url. */
  readonly thumbprint: string;
  readonly notBefore: Millis;
  readonly notAfter: Millis;
}

export type ClientCertificateIssuer = ReturnType<typeof clientCertificateIssuer>;

const notIssuedHere = 'This service issues no client certificates';

export function clientCertificateIssuer(needs: { readonly clock: Clock }, first: SigningAuthority | null) {
  let authority = first;
  function current(): SigningAuthority {
    if (authority === null) throw new AuthError('csr_not_acceptable', { description: notIssuedHere });
    if (parseCertificate(authority.certPem).validToDate.getTime() <= needs.clock.now()) {
      const detail = 'the certificate that signs client certificates has expired';
      throw new AuthError('unavailable', { detail });
    }
    return authority;
  }
  return {
    /** Whether there is anything to sign with. */
    get isAvailable() {
      return authority !== null;
    },
    /**
     * Reads a certification request, PEM or DER. Uses nothing up, so it comes before what does.
     * @throws AuthError csr_not_acceptable   it is not one, its key is too weak, or nothing is issued here
     * @throws AuthError unavailable          the authority has expired
     */
    readRequest(request: string | Uint8Array): RequestedKey {
      // So that nothing is used up for a certificate that cannot be made.
      current();
      try {
        return { publicKey: readCertificateRequest(request) };
      } catch (error) {
        if (!(error instanceof MalformedInput)) throw error;
        throw new AuthError('csr_not_acceptable', {
          description: `The certificate signing request cannot be processed: ${error.reason}`,
        });
      }
    },
    /**
     * Signs a client certificate. It begins five minutes ago and never outlives its authority. Nothing of the request
     * but the key is in it.
     * @throws AuthError csr_not_acceptable   nothing is issued here
     * @throws AuthError unavailable          the authority has expired
     */
    async issue({ key, identityId, uris = [], lifetime }: CertificateWanted): Promise<IssuedCertificate> {
      const ca = current();
      // Loading the libraries for certificates takes a while, so only a process that makes one does.
      const { certifyClientKey } = await import('../platform/x509/pki.ts');
      const { publicKey } = key;
      const days = lifetime / DAY;
      const certPem = await certifyClientKey(needs, { commonName: identityId, uris, days, ca, publicKey });
      const { thumbprint, notBefore, notAfter } = certificateFacts(parseCertificate(certPem));
      return { certPem, chainPem: certPem + ca.chainPem, thumbprint, notBefore, notAfter };
    },
    /** From now on signs with this; null: issues nothing. */
    replaceAuthority(fresh: SigningAuthority | null) {
      authority = fresh;
    },
  };
}

/**
 * Puts an authority together from its files.
 * @param certificates PEM of the authority, and perhaps of those above it
 * @throws MalformedInput   no authority, or the key is not its own; the reason is for the operator
 */
export function signingAuthority(certificates: readonly X509Certificate[], keyPem: string): SigningAuthority {
  const [certificate] = certificates;
  if (certificate?.ca !== true) throw new MalformedInput('not the certificate of an authority');
  if (!certificate.checkPrivateKey(readPrivateKey(keyPem)))
    throw new MalformedInput('the private key does not belong to the certificate');
  const chain = certificates.filter((each) => !each.verify(each.publicKey));
  return { certPem: certificate.toString(), keyPem, chainPem: chain.map(String).join('') };
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new MalformedInput('no private key in PEM form that can be read without a passphrase');
  }
}

/**
 * Whether the certificate that opened a session can be extended here: it is an authenticator's, the overlay's own PKI
 * issued it, and there is something to sign its successor with (`z_ice`, spec 2.5).
 */
export function isCertificateExtendable(
  issuer: Pick<ClientCertificateIssuer, 'isAvailable'>,
  { authenticatorId, caId }: Pick<ApiSession, 'authenticatorId' | 'caId'>,
): boolean {
  return issuer.isAvailable && authenticatorId !== null && caId === null;
}

/** The client's information about the certificate that opened its session. */
export interface CertificateExtension {
  readonly isExtendable: boolean;
  /** An administrator wants it replaced. */
  readonly isRequested: boolean;
  readonly isKeyRollRequested: boolean;
}

/** For every session that something else than a certificate of the own PKI opened. */
const noExtension: CertificateExtension = {
  isExtendable: false,
  isRequested: false,
  isKeyRollRequested: false,
};

export interface CertificateExtensionNeeds {
  readonly certificateIssuer: ClientCertificateIssuer;
  readonly store: { readonly authenticators: Pick<AuthenticatorStore, 'find'> };
}

/** At once for a session without such a certificate. */
export function certificateExtension(
  needs: CertificateExtensionNeeds,
  session: Pick<ApiSession, 'passed' | 'authenticatorId' | 'caId'>,
): CertificateExtension | Promise<CertificateExtension> {
  const { passed, authenticatorId } = session;
  const isExtendable = passed[0] === 'cert' && isCertificateExtendable(needs.certificateIssuer, session);
  if (!isExtendable || authenticatorId === null) return noExtension;
  return needs.store.authenticators.find(authenticatorId).then((authenticator) => {
    if (authenticator?.method !== 'cert') return noExtension;
    const { isExtendRequested: isRequested, isKeyRollRequested } = authenticator;
    return { isExtendable, isRequested, isKeyRollRequested };
  });
}
