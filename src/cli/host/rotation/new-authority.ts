// The successor of an authority: made here, or made elsewhere and checked before anything depends on it.

import { createPrivateKey, createPublicKey, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, DAY } from '../../../platform/clock.ts';
import { MalformedInput } from '../../../platform/formats/strict-input.ts';
import type { CertifiedKey } from '../../../platform/x509/certificate-builder.ts';
import { readPathCertificate } from '../../../platform/x509/path-certificate.ts';
import { describeRefusal } from '../../../platform/x509/path-refusal.ts';
import { anchorProblem } from '../../../platform/x509/path-validation.ts';
import {
  displaySubject,
  isSameKey,
  isSelfSigned,
  parseCertificate,
  parseCertificates,
} from '../../../platform/x509/x509.ts';
import { CliError } from '../../terminal/output.ts';
import { authorityDays, belongTogether, serverDays } from '../setup/pki.ts';

export type Which = 'root' | 'client-ca';

interface WantedAuthority {
  readonly which: Which;
  readonly present: X509Certificate;
  /** Of the present one; undefined: its key is not on this host. */
  readonly keyPem: string | undefined;
  /** The root of the home with its key, which issues client authorities. */
  readonly root: () => CertifiedKey;
}

/** @throws MissingAuthority, CliError a key or certificate that it needs is not on this host */
export async function makeAuthority(
  needs: { readonly clock: Clock },
  { which, present, keyPem, root }: WantedAuthority,
  keepKey: boolean,
): Promise<CertifiedKey> {
  const { certifyAgain, createIntermediateCa, createRootCa } = await import('../../../platform/x509/pki.ts');
  const days = authorityDays;
  if (keepKey) {
    if (keyPem === undefined) throw noKey('--same-key');
    const issuer = which === 'root' ? { selfSignedWith: createPrivateKey(keyPem) } : { ca: root() };
    return { certPem: await certifyAgain(needs, { certPem: String(present), days, issuer }), keyPem };
  }
  const commonName = nextName(present);
  return which === 'root'
    ? createRootCa(needs, { commonName, days })
    : createIntermediateCa(needs, { commonName, days, ca: root() });
}

function noKey(option: string): CliError {
  return new CliError(`The key of the present authority is not on this host, and ${option} needs it.`, {
    code: 'authority_missing',
    next: `put it back for this command, or leave out ${option}`,
  });
}

/** "Overlay Auth root CA" is followed by "Overlay Auth root CA 2". */
function nextName(present: X509Certificate): string {
  const { CN } = present.toLegacyObject().subject;
  const [, name = '', number = '1'] = /^(.*?)(?: (\d{1,6}))?$/.exec(String(CN ?? 'Authority')) ?? [];
  const suffix = ` ${Number(number) + 1}`;
  return name.slice(0, 64 - suffix.length) + suffix;
}

/**
 * Reads an authority that was made elsewhere.
 * @throws CliError it could not take the place of the present one; the message says why
 */
export async function readAuthorityFiles(
  needs: { readonly clock: Clock; readonly cwd: string },
  files: { readonly cert: string; readonly key: string },
  { which, present }: Pick<WantedAuthority, 'which' | 'present'>,
): Promise<CertifiedKey> {
  const refused = (why: string, cause?: unknown) =>
    new CliError(`${files.cert} cannot become the next authority: ${why}.`, {
      code: 'authority_unusable',
      next: 'correct the files of --cert and --key; nothing was changed',
      cause,
    });
  const textOf = (file: string) => readFileSync(resolve(needs.cwd, file), 'utf8');
  const [certPem, keyPem] = [textOf(files.cert), textOf(files.key)];
  try {
    const certificates = parseCertificates(certPem);
    const [authority] = certificates;
    if (authority === undefined) throw refused('it contains no certificate');
    if (!authority.ca) throw refused('it is not the certificate of an authority');
    if (!belongTogether({ certPem, keyPem }))
      throw refused('the private key does not belong to the certificate');
    const anchor = readPathCertificate(authority.raw);
    const problem = anchorProblem(anchor, needs.clock.now());
    if (problem !== undefined) throw refused(describeRefusal(problem).replace(/\.$/, ''));
    if (authority.raw.equals(present.raw)) throw refused('it is the present one');
    if (displaySubject(authority) === displaySubject(present) && !isSameKey(authority, present))
      throw refused(
        `its name is that of the present one (${displaySubject(present)}), but its key is another: give it a name of its own`,
      );
    if (which === 'root' && !isSelfSigned(authority))
      throw refused('another authority has issued it, so it is no root');
    if (which === 'root' && anchor.extensions.pathLength === 0)
      throw refused('no authority may be below it (pathLenConstraint 0), and the client CA has to be');
    const made = { certPem: certificates.map(String).join(''), keyPem };
    // Kinds of keys that sign nothing here are found now, not by the first client.
    const { certifyClientKey } = await import('../../../platform/x509/pki.ts');
    const publicKey = createPublicKey(keyPem);
    await certifyClientKey(needs, { commonName: 'a trial', days: 1, ca: made, publicKey });
    return made;
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof MalformedInput) throw refused(error.reason, error);
    throw refused(error instanceof Error ? error.message : String(error), error);
  }
}

/**
 * Cross-certificates from one root to the other (RFC 4210 section 4.4), and a certificate of the client authority
 * by the new root: PEM. The one for the old root is short: a thief of its key must not profit from it for long.
 * @param old      undefined: its key is lost or known to others, so nothing may lead to or from it
 * @param clientCa the certificate of the authority that signs client certificates; undefined: not of this PKI
 */
export async function crossCertificates(
  needs: { readonly clock: Clock },
  { old, fresh }: { old: CertifiedKey | undefined; fresh: CertifiedKey },
  clientCa: string | undefined,
): Promise<string> {
  const { certifyAgain } = await import('../../../platform/x509/pki.ts');
  const by = (ca: CertifiedKey, certPem: string, days: number) =>
    certifyAgain(needs, { certPem, days, issuer: { ca } });
  const oldEnds = old === undefined ? 0 : parseCertificate(old.certPem).validToDate.getTime();
  const oldDays = (oldEnds - needs.clock.now()) / DAY;
  const cross =
    old === undefined || oldDays <= 0
      ? []
      : [
          await by(old, fresh.certPem, authorityDays),
          await by(fresh, old.certPem, Math.min(oldDays, serverDays)),
        ];
  return [...cross, ...(clientCa === undefined ? [] : [await by(fresh, clientCa, authorityDays)])].join('');
}
