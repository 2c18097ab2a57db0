// The files of the overlay's PKI that an import changes: the bundle of trusted authorities, and what signs client
// certificates. Everything is read and checked before anything is written.

import { createPrivateKey } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { signingAuthority } from '../../../src/certificates/client-certificate-issuer.ts';
import { CliError } from '../../../src/cli/terminal/output.ts';
import type { CliPorts } from '../../../src/cli/terminal/ports.ts';
import type { Config } from '../../../src/config/config.ts';
import { fileErrorReason } from '../../../src/platform/file-error-reason.ts';
import { MalformedInput } from '../../../src/platform/formats/strict-input.ts';
import { ownerOnly, readable, writeWhole } from '../../../src/platform/whole-file.ts';
import { type PathCertificate, readPathCertificate } from '../../../src/platform/x509/path-certificate.ts';
import { describeRefusal } from '../../../src/platform/x509/path-refusal.ts';
import { anchorProblem } from '../../../src/platform/x509/path-validation.ts';
import {
  displaySubject,
  isIssuedBy,
  isSelfSigned,
  parseCertificates,
} from '../../../src/platform/x509/x509.ts';
import type { AddedAuthority } from './trust.ts';

/** The authorities in the files of `--trust`. @throws CliError a file cannot be read, or contains none */
export function readTrustFiles(ports: CliPorts, files: readonly string[]): readonly PathCertificate[] {
  return files.flatMap((file) => {
    const anchors = certificatesOf(readText(ports, file), file).filter(({ extensions }) => extensions.isCa);
    if (anchors.length === 0) throw unusable(file, 'it contains no certificate of an authority');
    for (const anchor of anchors) {
      const problem = anchorProblem(anchor, ports.clock.now());
      if (problem !== undefined)
        throw unusable(file, `${displaySubject(anchor.x509)}: ${describeRefusal(problem)}`);
    }
    return anchors;
  });
}

function certificatesOf(pem: string, file: string): readonly PathCertificate[] {
  // The database also contains certificates of others, in PEM form.
  if (pem.includes('\0')) throw unusable(file, 'it is not a text file');
  try {
    return parseCertificates(pem).map(({ raw }) => readPathCertificate(raw));
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw unusable(file, `it does not consist of certificates in PEM form (${error.reason})`);
  }
}

function readText(ports: CliPorts, file: string): string {
  try {
    return readFileSync(resolve(ports.cwd, file), 'utf8');
  } catch (error) {
    throw unusable(file, fileErrorReason(error));
  }
}

function unusable(file: string, why: string): CliError {
  return new CliError(`${file} cannot be used: ${why}.`, {
    code: 'file',
    next: 'overlay-auth ops import ziti --help',
  });
}

/** What signs client certificates from now on. */
export interface NewSigning {
  readonly authority: PathCertificate;
  /** PEM, the authority first, then those above it. */
  readonly certPem: string;
  readonly keyPem: string;
}

/** @param keyFile from `--signing-key` @param known authorities, one of which must own the key */
export function readSigningKey(
  ports: CliPorts,
  keyFile: string,
  known: readonly PathCertificate[],
): NewSigning {
  const keyPem = readText(ports, keyFile);
  for (const authority of known) {
    const chain = [authority, ...above(authority, known)];
    try {
      signingAuthority(
        chain.map(({ x509 }) => x509),
        keyPem,
      );
      const certPem = chain.map(({ x509 }) => x509.toString()).join('');
      // For every form of the key, this is the one used here.
      const kept = createPrivateKey(keyPem).export({ format: 'pem', type: 'pkcs8' }).toString();
      return { authority, certPem, keyPem: kept };
    } catch (error) {
      if (!(error instanceof MalformedInput)) throw error;
      if (error.reason.startsWith('no private key')) throw unusable(keyFile, error.reason);
    }
  }
  throw unusable(keyFile, 'none of the authorities of --trust has this key');
}

/** The authorities between one and its root, without the root. */
function above(authority: PathCertificate, known: readonly PathCertificate[]): readonly PathCertificate[] {
  const chain: PathCertificate[] = [];
  for (let current = authority; chain.length < known.length; ) {
    const issuer = known.find(
      (each) => each.thumbprint !== current.thumbprint && isIssuedBy(current.x509, each.x509),
    );
    if (issuer === undefined || chain.includes(issuer) || isSelfSigned(issuer.x509)) break;
    chain.push(issuer);
    current = issuer;
  }
  return chain;
}

/** The PKI of the home as it will be. `write` puts it in place. */
export interface AuthorityChange {
  readonly signing: 'kept' | 'replaced' | 'unchanged';
  write(): void;
}

/**
 * @param added authorities that are not in the bundle yet
 * @throws CliError the configuration names no file that could be changed; nothing is written
 */
export function prepareAuthorities(
  { config, configFile }: { readonly config: Config; readonly configFile: string },
  added: readonly AddedAuthority[],
  signing: NewSigning | null,
): AuthorityChange {
  const { caFile } = config.identity;
  const present = certificatesOf(readFileSync(caFile, 'utf8'), caFile).map(({ thumbprint }) => thumbprint);
  const former = config.edge.enrollment.signingCert;
  const formerAuthority =
    former === null ? undefined : certificatesOf(readFileSync(former.certFile, 'utf8'), former.certFile)[0];
  const isSame = signing !== null && formerAuthority?.thumbprint === signing.authority.thumbprint;
  const change = signing === null || isSame ? null : signingChange(configFile, signing);
  const wanted = [
    ...added.map(({ anchor }) => anchor),
    // What it has issued stays valid.
    ...(change !== null && formerAuthority !== undefined ? [formerAuthority] : []),
  ].filter(({ thumbprint }) => !present.includes(thumbprint));
  return {
    signing: signing === null ? 'kept' : isSame ? 'unchanged' : 'replaced',
    write() {
      if (wanted.length > 0) {
        const bundle = readFileSync(caFile, 'utf8');
        const separator = bundle.endsWith('\n') ? '' : '\n';
        const more = wanted.map(({ x509 }) => x509.toString()).join('');
        writeWhole(caFile, `${bundle}${separator}${more}`, statSync(caFile).mode & 0o777);
      }
      change?.write();
    },
  };
}

function signingChange(configFile: string, { certPem, keyPem }: NewSigning): { write(): void } {
  const folder = dirname(configFile);
  const pki = existsSync(join(folder, 'pki')) ? join(folder, 'pki') : folder;
  const paths = { cert: join(pki, 'imported-signing.cert.pem'), key: join(pki, 'imported-signing.key.pem') };
  const text = readFileSync(configFile, 'utf8');
  const values = (['cert', 'key'] as const).map((name) => {
    const node = parseDocument(text).getIn(['edge', 'enrollment', 'signingCert', name], true);
    const [begin, end] = (node as { range?: readonly number[] | null } | undefined)?.range ?? [];
    if (begin === undefined || end === undefined)
      throw new CliError(
        `${configFile} has no edge.enrollment.signingCert, so --signing-key has no place there.`,
        {
          code: 'config',
          next: 'add edge.enrollment.signingCert with cert and key, and import again',
        },
      );
    return { begin, end, text: JSON.stringify(`./${relative(folder, paths[name])}`) };
  });
  return {
    write() {
      writeWhole(paths.key, keyPem, ownerOnly);
      writeWhole(paths.cert, certPem, readable);
      copyFileSync(configFile, `${configFile}.before-import`);
      const last = [...values].sort((one, other) => other.begin - one.begin);
      const changed = last.reduce(
        (whole, { begin, end, text: value }) => whole.slice(0, begin) + value + whole.slice(end),
        text,
      );
      writeWhole(configFile, changed, statSync(configFile).mode & 0o777);
    },
  };
}
