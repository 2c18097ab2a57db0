// Decides whether a client certificate leads to a trust anchor: path-search.ts finds paths, path-rules.ts applies the
// rules of RFC 5280 section 6.1. OpenSSL verifies the signatures, through node:crypto. Whose certificate it is, and
// whether it was revoked, is not decided here.

import type { Millis } from '../clock.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import { describeKey, isAcceptedKey } from './key-strength.ts';
import { type PathCertificate, readPathCertificate } from './path-certificate.ts';
import { nameCertificate, type PathRefusal } from './path-refusal.ts';
import { brokenByAnchor, brokenRule, type PathConditions } from './path-rules.ts';
import { searchPath } from './path-search.ts';
import { displaySubject } from './x509.ts';

export interface PathQuestion extends PathConditions {
  /** DER of the certificate whose key the handshake has proved. Only this one says who the client is. */
  readonly leaf: Uint8Array;
  /** DER of the other certificates sent, in any order. They prove nothing by themselves. */
  readonly intermediates: readonly Uint8Array[];
  /** The anchors trusted now, self-signed or not. If several are possible, the first one is used. */
  readonly anchors: readonly PathCertificate[];
  /** Authorities that no path may lead through, by name and key: another one may have certified the same key. */
  readonly barred: readonly PathCertificate[];
}

export type PathVerdict =
  | {
      readonly verdict: 'trusted';
      readonly leaf: TrustedLeaf;
      readonly anchor: PathCertificate;
      /** SHA-256 thumbprints (base64url) from the leaf to the anchor, both included. */
      readonly path: readonly string[];
      /** The certificates themselves. */
      readonly certificates: readonly PathCertificate[];
      /** When the first certificate above the leaf expires. */
      readonly soundUntil: Millis;
    }
  | { readonly verdict: 'refused'; readonly refusal: PathRefusal };

export interface TrustedLeaf {
  /** SHA-256 of the DER form, base64url. */
  readonly thumbprint: string;
  /** See `displaySubject`. */
  readonly subject: string;
  readonly names: LeafNames;
  /** It has expired, which was accepted. */
  readonly isExpired: boolean;
  readonly notAfter: Millis;
}

/** All of each kind, in the order of the certificate. */
export interface LeafNames {
  readonly commonNames: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
}

const mostCertificates = 8;
const mostBytes = 64 * 1024;

/**
 * Why no path can end in this anchor now; undefined when some can. For those who register or check an authority, so
 * that they need not learn it from failed logins.
 */
export function anchorProblem(anchor: PathCertificate, now: Millis): PathRefusal | undefined {
  if (isAcceptedKey(anchor.publicKey)) return brokenByAnchor(anchor, now);
  const certificate = nameCertificate(anchor, 'anchor');
  return { reason: 'key-not-accepted', certificate, key: describeKey(anchor.publicKey) };
}

/** Why no path can begin with this leaf now, with any authorities above it; undefined when some can. */
export function leafProblem(leaf: Uint8Array, conditions: PathConditions): PathRefusal | undefined {
  const read = readSent(leaf, 'leaf');
  if ('reason' in read) return read;
  const { name, accepted } = read.signatureAlgorithm;
  if (accepted) return brokenRule([read], conditions);
  return { reason: 'algorithm-not-accepted', certificate: nameCertificate(read, 'leaf'), algorithm: name };
}

/**
 * Validates a client's certificate with the others it sent. Takes about 0.4 ms for a leaf below an intermediate, with
 * P-256 keys. No input of a client makes it throw.
 * @see RFC 5280 section 6.1
 */
export function validateClientPath(question: PathQuestion): PathVerdict {
  const sent = [question.leaf, ...question.intermediates];
  if (sent.length > mostCertificates) return refused({ reason: 'chain-too-large', limit: 'certificates' });
  if (sent.reduce((sum, der) => sum + der.length, 0) > mostBytes)
    return refused({ reason: 'chain-too-large', limit: 'bytes' });

  const leaf = readSent(question.leaf, 'leaf');
  if ('reason' in leaf) return refused(leaf);
  const certificate = () => nameCertificate(leaf, 'leaf');
  if (!isAcceptedKey(leaf.publicKey))
    return refused({
      reason: 'key-not-accepted',
      certificate: certificate(),
      key: describeKey(leaf.publicKey),
    });
  if (question.anchors.some((anchor) => anchor.thumbprint === leaf.thumbprint))
    return refused({ reason: 'wrong-usage', certificate: certificate(), problem: 'is-a-trust-anchor' });

  // A broken certificate beside a valid path does no harm, but is the likely cause when there is no path.
  const read = question.intermediates.map((der) => readSent(der, 'intermediate'));
  const intermediates = new Map<string, PathCertificate>();
  for (const each of read)
    if (!('reason' in each) && !question.barred.some((authority) => isSameAuthority(authority, each)))
      intermediates.set(each.thumbprint, each);
  intermediates.delete(leaf.thumbprint);
  const result = searchPath(leaf, {
    intermediates: [...intermediates.values()],
    anchors: question.anchors,
    judge: (path) => brokenRule(path, question),
  });
  if ('path' in result) return trusted(leaf, result.path, question);
  const broken = read.find((each): each is Malformed => 'reason' in each);
  return refused(result.refusal.reason === 'untrusted' && broken !== undefined ? broken : result.refusal);
}

/**
 * Whether an authority, or one below it whose certificate was sent, issued a certificate. Its purposes do not matter:
 * it shows possession of a key, and is not a login.
 * @returns why not; undefined if it did
 */
export function issuanceProblem(
  leaf: PathCertificate,
  { intermediates, authority, now }: IssuanceQuestion,
): PathRefusal | undefined {
  if (intermediates.length >= mostCertificates) return { reason: 'chain-too-large', limit: 'certificates' };
  const result = searchPath(leaf, {
    intermediates,
    anchors: [authority],
    judge: (path) => brokenRule(path, { now, allowExpired: false, anyPurpose: true }),
  });
  return 'path' in result ? undefined : result.refusal;
}

export interface IssuanceQuestion {
  readonly intermediates: readonly PathCertificate[];
  readonly authority: PathCertificate;
  readonly now: Millis;
}

type Malformed = Extract<PathRefusal, { reason: 'malformed' }>;

function readSent(der: Uint8Array, role: Malformed['role']): PathCertificate | Malformed {
  try {
    return readPathCertificate(der);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    return { reason: 'malformed', role, problem: error.reason };
  }
}

function isSameAuthority(one: PathCertificate, other: PathCertificate): boolean {
  return one.subject.key === other.subject.key && one.publicKey.equals(other.publicKey);
}

function refused(refusal: PathRefusal): PathVerdict {
  return { verdict: 'refused', refusal };
}

function trusted(
  leaf: PathCertificate,
  path: readonly PathCertificate[],
  question: PathQuestion,
): PathVerdict {
  const anchor = path.at(-1);
  if (anchor === undefined || anchor === leaf) throw new Error('a path has at least two certificates');
  const named = (form: 'uri' | 'email') =>
    leaf.extensions.alternativeNames.flatMap((name) => (name.form === form ? [name.text] : []));
  return {
    verdict: 'trusted',
    leaf: {
      thumbprint: leaf.thumbprint,
      subject: displaySubject(leaf.x509),
      names: { commonNames: leaf.subject.commonNames, uris: named('uri'), emails: named('email') },
      isExpired: question.now > leaf.notAfter,
      notAfter: leaf.notAfter,
    },
    anchor,
    path: path.map(({ thumbprint }) => thumbprint),
    certificates: path,
    soundUntil: Math.min(...path.slice(1).map(({ notAfter }) => notAfter)),
  };
}
