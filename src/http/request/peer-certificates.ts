import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { recentMap } from '../../platform/caches.ts';
import { sha256 } from '../../platform/digest.ts';

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

// A TLS session ticket contains the leaf but not the rest of the chain. The rest is not secret and proves nothing by
// itself, so it can be remembered for connections that resume, on this thread or another one: they share the keys of
// tickets. Every login validates it again.
const intermediatesByLeaf = recentMap<string, readonly Buffer[]>(1000);

/** The client's certificates, or null when it sent none. Read once per connection. */
export function peerCertificates(socket: TLSSocket): PeerCertificates | null {
  const known = bySocket.get(socket);
  if (known !== undefined) return known;
  const read = readPeerCertificates(socket);
  bySocket.set(socket, read);
  return read;
}

/** The certificates that came with a leaf, for another thread. */
export interface SentIntermediates {
  readonly leafThumbprint: string;
  /** DER. */
  readonly certificates: readonly Uint8Array[];
}

/**
 * Call it when a handshake is done. Remembers the intermediates of a full handshake, because the first to ask for them
 * may be a connection that resumes it.
 * @param announce passes them to the other threads
 */
export function rememberIntermediates(
  socket: TLSSocket,
  announce: (sent: SentIntermediates) => void = () => {},
): void {
  if (socket.isSessionReused()) return;
  const leaf = socket.getPeerX509Certificate();
  // Without another certificate that was sent, a resumption would lose nothing.
  if (leaf === undefined || leaf.issuerCertificate === undefined) return;
  const read = peerCertificates(socket);
  if (read === null || read.chain.length === 1) return;
  announce(asSent(read.leafThumbprint, read.chain.slice(1)));
}

function asSent(leafThumbprint: string, intermediates: readonly Buffer[]): SentIntermediates {
  return { leafThumbprint, certificates: intermediates.map((der) => new Uint8Array(der)) };
}

/** All that this thread remembers, for a thread that starts: clients have tickets that it accepts. */
export function knownIntermediates(): readonly SentIntermediates[] {
  return intermediatesByLeaf.entries().map(([leaf, certificates]) => asSent(leaf, certificates));
}

/** Remembers what another thread has read. */
export function learnIntermediates({ leafThumbprint, certificates }: SentIntermediates): void {
  intermediatesByLeaf.set(
    leafThumbprint,
    certificates.map((der) => Buffer.from(der)),
  );
}

function readPeerCertificates(socket: TLSSocket): PeerCertificates | null {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return null;
  const leafThumbprint = sha256(leaf.raw);
  const chain = chainOf(leaf);
  if (socket.isSessionReused()) {
    const intermediates = intermediatesByLeaf.get(leafThumbprint);
    if (chain.length === 1 && intermediates !== undefined) chain.push(...intermediates);
  } else if (chain.length > 1) {
    intermediatesByLeaf.set(leafThumbprint, chain.slice(1));
  }
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
