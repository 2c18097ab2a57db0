import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { sha256 } from '../../platform/digest.ts';
import { isCostlyKey } from '../../platform/x509/key-strength.ts';
import { intermediatesOf, rememberIntermediates } from '../../platform/x509/known-intermediates.ts';

export interface PeerCertificates {
  /** SHA-256 of the leaf as base64url, the form of `cnf.x5t#S256` (RFC 8705 section 3.1). */
  readonly leafThumbprint: string;
  /**
   * DER: first the leaf, whose key the handshake proved, then the certificates sent with it that lead upwards from it.
   * None of this is validated: the handshake accepts every certificate.
   */
  readonly chain: readonly Buffer[];
}

/** No PKI in use needs more, and validating more for a stranger costs too much. */
const longestChain = 8;
const largestChainBytes = 32 * 1024;

const bySocket = new WeakMap<TLSSocket, PeerCertificates | null>();

/** The client's certificates, or null when it sent none. Read once per connection. */
export function peerCertificates(socket: TLSSocket): PeerCertificates | null {
  const known = bySocket.get(socket);
  if (known !== undefined) return known;
  const read = readPeerCertificates(socket);
  bySocket.set(socket, read);
  return read;
}

/**
 * Call it when a handshake is done. Remembers the intermediates of a full handshake, because the first to ask for them
 * may be a connection that resumes it.
 */
export function rememberHandshake(socket: TLSSocket): void {
  if (socket.isSessionReused()) return;
  const leaf = socket.getPeerX509Certificate();
  // Without another certificate that was sent, a resumption would lose nothing.
  if (leaf === undefined || leaf.issuerCertificate === undefined) return;
  const read = peerCertificates(socket);
  if (read === null) return;
  const { leafThumbprint, chain } = read;
  rememberIntermediates({ leafThumbprint, certificates: chain.slice(1), areTrusted: false });
}

/** How many bytes of certificates the client has sent in the handshake, whatever they are. */
export function certificateBytes(socket: TLSSocket): number {
  if (socket.isSessionReused()) return 0;
  let bytes = 0;
  for (let sent = socket.getPeerX509Certificate(); sent !== undefined; sent = sent.issuerCertificate)
    bytes += sent.raw.length;
  return bytes;
}

/**
 * How many costly signatures a handshake, which may have failed, has checked: those by a costly key, and those beyond the
 * eighth. It checks one for each sent certificate that leads upwards from the leaf, by keys that the client chose.
 */
export function costlyChecks(socket: TLSSocket): number {
  if (socket.isSessionReused()) return 0;
  const sent: X509Certificate[] = [];
  for (let next = socket.getPeerX509Certificate(); next !== undefined; next = next.issuerCertificate)
    sent.push(next);
  const beyond = sent.length > longestChain ? issuersAmong(sent) - longestChain : 0;
  return sent.filter(hasCostlyKey).length + Math.max(0, beyond);
}

/** How many of the certificates have the name of the issuer of another one. A client may also send a bundle of roots. */
function issuersAmong(sent: readonly X509Certificate[]): number {
  const names = sent.map(({ subject, issuer }) => ({ subject, issuer }));
  return names.filter((one) => names.some((other) => other !== one && other.issuer === one.subject)).length;
}

function hasCostlyKey(certificate: X509Certificate): boolean {
  try {
    return isCostlyKey(certificate.publicKey);
  } catch {
    // A key that cannot be read has checked nothing.
    return false;
  }
}

function readPeerCertificates(socket: TLSSocket): PeerCertificates | null {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return null;
  const leafThumbprint = sha256(leaf.raw);
  const chain = chainOf(leaf);
  if (socket.isSessionReused() && chain.length === 1) chain.push(...intermediatesOf(leafThumbprint));
  return { leafThumbprint, chain };
}

/** @param leaf its `issuerCertificate` is the next certificate that was sent, even if not its issuer, and so on */
function chainOf(leaf: X509Certificate): Buffer[] {
  const sent: X509Certificate[] = [];
  for (
    let next = leaf.issuerCertificate;
    next !== undefined && sent.length < longestChain;
    next = next.issuerCertificate
  )
    sent.push(next);
  const chain = [leaf];
  let bytes = leaf.raw.length;
  // Clients may send them in any order (RFC 8446 section 4.4.2).
  for (const issued of chain) {
    for (const issuer of sent) {
      if (chain.length === longestChain || chain.includes(issuer) || !issued.checkIssued(issuer)) continue;
      bytes += issuer.raw.length;
      if (bytes > largestChainBytes) return chain.map(({ raw }) => raw);
      chain.push(issuer);
    }
  }
  return chain.map(({ raw }) => raw);
}
