// The files of an authority that is rotated. Beside certificate and key are those of its successor (`.next`), of the
// one that it replaced (`.previous`), and of one that is no longer trusted (`.retired`). Of each pair the certificate is
// written last, so every move can be interrupted, and is finished when it is made again.

import type { X509Certificate } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { MalformedInput } from '../../../platform/formats/malformed-input.ts';
import { parseCertificates } from '../../../platform/x509/x509.ts';
import { CliError } from '../../terminal/output.ts';
import type { PemPair } from '../setup/home.ts';
import { giveName, ownerOnly, readable, readIfThere, writeWhole } from '../setup/write-file.ts';

export type Place = 'next' | 'previous' | 'retired';

/** How far a rotation is; `interrupted`: while a move was under way. */
export type Stage = 'usual' | 'prepared' | 'interrupted' | 'switched';

export function besides({ cert, key }: PemPair, place: Place): PemPair {
  return { cert: `${cert}.${place}`, key: `${key}.${place}` };
}

export function stageOf(pair: PemPair): Stage {
  const hasNext = existsSync(besides(pair, 'next').cert);
  const hasPrevious = existsSync(besides(pair, 'previous').cert);
  if (hasNext) return hasPrevious ? 'interrupted' : 'prepared';
  return hasPrevious ? 'switched' : 'usual';
}

/** @returns the authority first; empty if there is no such file. @throws CliError it cannot be read */
export function certificatesIn(file: string): readonly X509Certificate[] {
  const text = readIfThere(file);
  if (text === undefined) return [];
  try {
    return parseCertificates(text);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw new CliError(`${file} contains no certificate in PEM form.`, { code: 'file', cause: error });
  }
}

/** Writes a pair, with the permissions of the present one. @param keyPem undefined: it is kept elsewhere */
export function placePair(
  { cert, key }: PemPair,
  { certPem, keyPem }: { certPem: string; keyPem: string | undefined },
  like: PemPair,
): void {
  const modeOf = (file: string, usual: number) => (existsSync(file) ? statSync(file).mode & 0o777 : usual);
  if (keyPem === undefined) rmSync(key, { force: true });
  else writeWhole(key, keyPem, modeOf(like.key, ownerOnly));
  writeWhole(cert, certPem, modeOf(like.cert, readable));
}

/** Moves the files in use to `kept`, and those that wait at `from` into their place. */
export function exchange(pair: PemPair, from: Place, kept: Place): void {
  const [waiting, other] = [besides(pair, from), besides(pair, kept)];
  if (!existsSync(other.cert)) {
    placePair(other, { certPem: readIfThere(pair.cert) ?? '', keyPem: readIfThere(pair.key) }, pair);
  }
  const keyPem = readIfThere(waiting.key);
  // Until the certificate follows, a start takes the one that fits the key from beside it.
  if (keyPem !== undefined) writeWhole(pair.key, keyPem, statSync(waiting.key).mode & 0o777);
  giveName(waiting.cert, pair.cert);
  rmSync(waiting.key, { force: true });
}

/** Gives a pair another place. */
export function move(pair: PemPair, from: Place, to: Place): void {
  const [source, target] = [besides(pair, from), besides(pair, to)];
  if (existsSync(source.key)) giveName(source.key, target.key);
  giveName(source.cert, target.cert);
}

export function remove({ cert, key }: PemPair): void {
  rmSync(cert, { force: true });
  rmSync(key, { force: true });
}
