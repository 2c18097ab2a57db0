// Changes of files by the steps of a rotation. Beside certificate and key of an authority are those of its successor
// (`.next`), of the one that it replaced (`.previous`), and of one that is no longer trusted (`.retired`). Of each pair the
// certificate is written last, so every step can be stopped at any place, and is finished by running it again.

import type { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Config } from '../../../config/config.ts';
import type { Clock } from '../../../platform/clock.ts';
import { MalformedInput } from '../../../platform/formats/strict-input.ts';
import { giveName, ownerOnly, readable, readIfThere, writeWhole } from '../../../platform/whole-file.ts';
import { isIssuedBy, isSameKey, parseCertificates } from '../../../platform/x509/x509.ts';
import { CliError } from '../../terminal/output.ts';
import { type HomePaths, hasOwnCertificate, type PemPair } from '../setup/home.ts';
import { distrustIn, renewServerCertificate, trustedIn, trustIn, withCross } from '../setup/pki.ts';
import type { Which } from './new-authority.ts';

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
    throw new CliError(`${file} contains no certificate in PEM form, or a broken one.`, {
      code: 'file',
      cause: error,
    });
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
  if (!existsSync(other.cert))
    placePair(other, { certPem: readIfThere(pair.cert) ?? '', keyPem: readIfThere(pair.key) }, pair);
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

/** An authority of a configuration, and the files that follow from it. */
export interface Rotated {
  readonly which: Which;
  readonly pair: PemPair;
  /** The certificates that the controller trusts as its own PKI. */
  readonly bundle: string;
  readonly paths: HomePaths;
  /** The authority that signs client certificates, if the root of the home has issued it. */
  readonly clientCa: PemPair | null;
}

/** The authorities that can be rotated here, with the progress of each. */
export function rotations(
  config: Config,
  paths: HomePaths,
): readonly (Rotated & { readonly stage: Stage })[] {
  const { signingCert } = config.edge.enrollment;
  const signing = signingCert === null ? null : { cert: signingCert.certFile, key: signingCert.keyFile };
  const bundle = config.identity.caFile;
  const roots = [paths.rootCa, besides(paths.rootCa, 'previous')].map(({ cert }) => certificatesIn(cert)[0]);
  const [signer] = signing === null ? [] : certificatesIn(signing.cert);
  const isOfHome = roots.some(
    (root) => root !== undefined && signer !== undefined && isIssuedBy(signer, root),
  );
  const root = {
    which: 'root',
    pair: paths.rootCa,
    bundle,
    paths,
    clientCa: isOfHome ? signing : null,
  } as const;
  const ofServer = hasOwnCertificate(config, paths) && roots[0] !== undefined ? [root] : [];
  const ofClients =
    signing === null ? [] : [{ which: 'client-ca', pair: signing, bundle, paths, clientCa: null } as const];
  return [...ofServer, ...ofClients].map((one) => ({ ...one, stage: stageOf(one.pair) }));
}

/** The authority at a place, without those above it. @throws CliError there is none */
export function authorityAt({ pair }: Rotated, place: Place | 'present'): X509Certificate {
  const file = place === 'present' ? pair.cert : besides(pair, place).cert;
  const [authority] = certificatesIn(file);
  if (authority === undefined) throw new CliError(`There is no ${file}.`, { code: 'file' });
  return authority;
}

/** The present one makes room for the next one, and stays trusted. */
export async function switchOver(needs: { readonly clock: Clock }, rotated: Rotated): Promise<void> {
  if (stageOf(rotated.pair) !== 'switched') exchange(rotated.pair, 'next', 'previous');
  await settle(needs, rotated);
}

/** The previous one is used again, and the present one becomes the next one. */
export async function switchBack(needs: { readonly clock: Clock }, rotated: Rotated): Promise<void> {
  exchange(rotated.pair, 'previous', 'next');
  await settle(needs, rotated);
}

/** The previous one is no longer trusted. Its files stay at another place. */
export async function retire(needs: { readonly clock: Clock }, rotated: Rotated): Promise<void> {
  const { pair, bundle, paths } = rotated;
  await settle(needs, rotated);
  const previous = besides(pair, 'previous');
  const gone = authorityAt(rotated, 'previous');
  const retired = besides(pair, 'retired');
  const noted = certificatesIn(retired.cert);
  // Made again, the step no longer finds what it has distrusted before.
  const leaving = noted[0]?.raw.equals(gone.raw) ? noted : leavingWith(rotated, gone);
  const certPem = leaving.map(String).join('');
  placePair(retired, { certPem, keyPem: readIfThere(previous.key) }, pair);
  if (rotated.which === 'root' && existsSync(paths.rootCross)) giveName(paths.rootCross, retiredCross(paths));
  distrustIn(bundle, leaving);
  await settle(needs, rotated, ['next']);
  // Last, because it says that the step is not finished.
  remove(previous);
}

/** The one that was retired last is trusted again. */
export async function takeBack(needs: { readonly clock: Clock }, rotated: Rotated): Promise<void> {
  const { pair, bundle } = rotated;
  const retired = besides(pair, 'retired');
  const certificates = certificatesIn(retired.cert);
  trustIn(bundle, certificates);
  const certPem = String(authorityAt(rotated, 'retired'));
  placePair(besides(pair, 'previous'), { certPem, keyPem: readIfThere(retired.key) }, pair);
  remove(retired);
  await settle(needs, rotated);
}

/** The next one is neither trusted nor kept. */
export async function discard(needs: { readonly clock: Clock }, rotated: Rotated): Promise<void> {
  const { pair, bundle, paths } = rotated;
  distrustIn(bundle, leavingWith(rotated, authorityAt(rotated, 'next')));
  if (rotated.which === 'root') rmSync(paths.rootCross, { force: true });
  remove(besides(pair, 'next'));
  await settle(needs, rotated);
}

/** Removes private keys whose certificates an interrupted step has removed. */
export function removeLeftKeys(pair: PemPair): void {
  for (const { cert, key } of [besides(pair, 'next'), besides(pair, 'previous')])
    if (!existsSync(cert)) rmSync(key, { force: true });
}

/** Brings everything in line that follows from the authorities which are there, and stay. */
export async function settle(
  needs: { readonly clock: Clock },
  rotated: Rotated,
  staying: readonly Place[] = ['next', 'previous'],
): Promise<void> {
  const { which, pair, bundle } = rotated;
  removeLeftKeys(pair);
  const besidesIt = staying.map((place) => besides(pair, place));
  const isUnderWay = besidesIt.some(({ cert }) => existsSync(cert));
  if (which === 'root') await settleServer(needs, rotated, isUnderWay);
  const trusted = [pair, ...besidesIt].flatMap(({ cert }) => certificatesIn(cert).slice(0, 1));
  // Last, because a next one that is trusted says that its preparation is finished.
  trustIn(bundle, trusted);
}

/** What the server presents follows from the roots. */
async function settleServer(
  needs: { readonly clock: Clock },
  rotated: Rotated,
  isUnderWay: boolean,
): Promise<void> {
  const { paths } = rotated;
  if (isUnderWay && !existsSync(paths.rootCross) && existsSync(retiredCross(paths)))
    giveName(retiredCross(paths), paths.rootCross);
  const root = authorityAt(rotated, 'present');
  certifyClientAuthority(rotated, root);
  const text = readFileSync(paths.server.cert, 'utf8');
  const [leaf] = certificatesIn(paths.server.cert);
  if (leaf === undefined || !isIssuedBy(leaf, root))
    await renewServerCertificate(needs, paths, { more: [], newKey: false });
  else if (withCross(paths, text) !== text) writeWhole(paths.server.cert, withCross(paths, text), readable);
}

/** The authority of clients gets its certificate by this root, which was made together with the root. */
function certifyClientAuthority({ clientCa, bundle, paths }: Rotated, root: X509Certificate): void {
  if (clientCa === null) return;
  const [present] = certificatesIn(clientCa.cert);
  if (present === undefined || isIssuedBy(present, root)) return;
  const known = [...trustedIn(bundle), ...certificatesIn(paths.rootCross)];
  const fitting = known.find((one) => one.ca && isSameKey(one, present) && isIssuedBy(one, root));
  if (fitting === undefined) return;
  trustIn(bundle, [fitting]);
  writeWhole(clientCa.cert, String(fitting), statSync(clientCa.cert).mode & 0o777);
}

/** An authority, and the certificates by it for which there are others by the authority that stays. */
function leavingWith(rotated: Rotated, gone: X509Certificate): readonly X509Certificate[] {
  const stays = authorityAt(rotated, 'present');
  const trusted = trustedIn(rotated.bundle);
  const hasOther = (one: X509Certificate) =>
    trusted.some((other) => isSameKey(other, one) && isIssuedBy(other, stays));
  const replaced = trusted.filter(
    (one) => isIssuedBy(one, gone) && !isIssuedBy(one, stays) && !one.raw.equals(gone.raw) && hasOther(one),
  );
  return [gone, ...replaced];
}

function retiredCross({ rootCross }: HomePaths): string {
  return `${rootCross}.retired`;
}
