// Revocation lists and answers of OCSP responders, right or wrong as a test needs it, and a server for them.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import { extension, type Made, type SignatureKind, signed } from './chains.ts';
import { stopServing } from './closable.ts';
import { element, integer, octetString, oid, sequence, text, time } from './der-writer.ts';

export interface ListRecipe {
  readonly issuer: Pick<Made, 'name' | 'keys'>;
  readonly number?: number | null;
  /** The certificates, or whole entries. */
  readonly revoked?: readonly (Pick<Made, 'der'> | Buffer)[];
  readonly reason?: number;
  /** Millis relative to the system's clock. */
  readonly from?: number;
  readonly until?: number | null;
  readonly extensions?: readonly Buffer[];
  readonly signature?: SignatureKind;
  /** Who signs in the place of the issuer. */
  readonly signer?: Pick<Made, 'keys'>;
}

export const listOids = {
  number: '2.5.29.20',
  reason: '2.5.29.21',
  deltaIndicator: '2.5.29.27',
  issuingPoint: '2.5.29.28',
  entryIssuer: '2.5.29.29',
  freshest: '2.5.29.46',
} as const;

const longAgo = Date.UTC(2026, 0, 2, 3, 4, 5);

/** DER. */
export function revocationList(recipe: ListRecipe): Buffer {
  const { issuer, number = 1, revoked = [], reason, until = HOUR, extensions = [] } = recipe;
  const now = systemClock.now();
  const all = [
    ...(number === null ? [] : [extension(listOids.number, false, integer(number))]),
    ...extensions,
  ];
  const entries = revoked.map((each) => (Buffer.isBuffer(each) ? each : entry(each, reason)));
  return signed((recipe.signer ?? issuer).keys, recipe.signature, (algorithm) =>
    sequence(
      integer(1),
      algorithm,
      issuer.name,
      time(now + (recipe.from ?? -HOUR)),
      ...(until === null ? [] : [time(now + until)]),
      ...(entries.length === 0 ? [] : [sequence(...entries)]),
      ...(all.length === 0 ? [] : [element(0xa0, sequence(...all))]),
    ),
  );
}

/** An entry of a list, revoked on 2 January 2026. */
export function entry({ der }: Pick<Made, 'der'>, reason?: number, ...more: readonly Buffer[]): Buffer {
  const code =
    reason === undefined ? [] : [extension(listOids.reason, false, element(0x0a, Buffer.from([reason])))];
  const extensions = [...code, ...more];
  return sequence(
    integer(serialOf(der)),
    time(longAgo),
    ...(extensions.length === 0 ? [] : [sequence(...extensions)]),
  );
}

export function listPem(der: Buffer): string {
  return `-----BEGIN X509 CRL-----\n${der.toString('base64')}\n-----END X509 CRL-----\n`;
}

function serialOf(der: Buffer): Buffer {
  return Buffer.from(readPathCertificate(der).serialNumber, 'hex');
}

export interface AnswerRecipe {
  /** Whose status is answered. */
  readonly about: Pick<Made, 'der'>;
  readonly issuer: Pick<Made, 'name' | 'keys'>;
  readonly status: 'good' | 'revoked' | 'unknown';
  readonly signer?: Pick<Made, 'name' | 'keys' | 'der'>;
  /** Millis of the service; default: of the system. */
  readonly now?: number;
  /** The nonce of the question; left out: none. */
  readonly nonce?: Buffer;
  readonly from?: number;
  readonly until?: number | null;
  readonly signature?: SignatureKind;
}

/** DER. */
export function ocspAnswer(recipe: AnswerRecipe): Buffer {
  const { about, issuer, status, signer, nonce, until = HOUR } = recipe;
  const now = recipe.now ?? systemClock.now();
  const spki = issuer.keys.publicKey.export({ type: 'spki', format: 'der' });
  const keyBits = readPathKey(spki);
  const id = sequence(
    sequence(oid('1.3.14.3.2.26'), element(0x05)),
    octetString(sha1(issuer.name)),
    octetString(sha1(keyBits)),
    integer(serialOf(about.der)),
  );
  const words = {
    good: element(0x80),
    revoked: element(0xa1, longTime(longAgo), element(0xa0, element(0x0a, Buffer.from([1])))),
    unknown: element(0x82),
  };
  const single = sequence(
    id,
    words[status],
    longTime(now + (recipe.from ?? -1000)),
    ...(until === null ? [] : [element(0xa0, longTime(now + until))]),
  );
  const nonceValue = nonce && extension('1.3.6.1.5.5.7.48.1.2', false, octetString(nonce));
  const basic = signed(
    (signer ?? issuer).keys,
    recipe.signature,
    () =>
      sequence(
        element(0xa1, (signer ?? issuer).name),
        longTime(now),
        sequence(single),
        ...(nonceValue ? [element(0xa1, sequence(nonceValue))] : []),
      ),
    ...(signer ? [element(0xa0, sequence(signer.der))] : []),
  );
  const bytes = sequence(oid('1.3.6.1.5.5.7.48.1.1'), octetString(basic));
  return sequence(element(0x0a, Buffer.from([0])), element(0xa0, bytes));
}

/** The nonce in a question, which is at its end. */
export function nonceOf(question: Buffer): Buffer {
  return question.subarray(-16);
}

function readPathKey(spki: Buffer): Buffer {
  // A P-256 key: 26 bytes stand before its point.
  return spki.subarray(26);
}

function sha1(bytes: Buffer): Buffer {
  return createHash('sha1').update(bytes).digest();
}

function longTime(at: number): Buffer {
  const digits = new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return text(0x18, digits);
}

export type Served = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export interface RevocationServer {
  readonly url: string;
  /** What it answers under a path: bytes, or the result of the function. */
  readonly serves: Map<string, Buffer | Served>;
  /** The paths that were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Without TLS, as lists and responders are reached. */
export async function startRevocationServer(): Promise<RevocationServer> {
  const serves = new Map<string, Buffer | Served>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const path = request.url ?? '';
      asked.push(path);
      const served = serves.get(path);
      if (typeof served === 'function') served(request, response, Buffer.concat(parts));
      else response.writeHead(served === undefined ? 404 : 200).end(served);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serves,
    asked,
    close: () => stopServing(server),
  };
}
