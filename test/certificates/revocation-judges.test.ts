// Other makers' authorities: their lists and answers mean here what they mean there.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { outboundClient } from '../../src/platform/network/outbound-client.ts';
import {
  longestAnswer,
  type OcspQuestion,
  ocspRequest,
  ocspTypes,
  readOcspAnswer,
} from '../../src/platform/x509/ocsp.ts';
import { type PathCertificate, readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import { entryOf, listInAnswer } from '../../src/platform/x509/revocation-list.ts';
import { authority, client } from '../support/chains.ts';
import { freePort } from '../support/free-port.ts';
import { noLimits } from '../support/outbound-limits.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const skip = hasOpenssl ? false : 'there is no openssl here';

const configuration = `[ca]
default_ca = own
[own]
dir = .
database = index.txt
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
serial = serial
crlnumber = crlnumber
default_md = sha256
default_days = 30
default_crl_days = 7
policy = any
x509_extensions = leaf
[any]
commonName = supplied
[leaf]
basicConstraints = critical,CA:FALSE
keyUsage = digitalSignature
extendedKeyUsage = clientAuth
[responder]
extendedKeyUsage = OCSPSigning
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = keyCertSign,cRLSign
`;

describe('an authority of openssl', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-openssl-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const certificate = (name: string): PathCertificate =>
    readPathCertificate(readFileSync(join(folder, `${name}.pem`), 'utf8'));
  const issue = (name: string, extensions = 'leaf') => {
    openssl(
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    );
    openssl(
      'ca',
      '-batch',
      '-config',
      'ca.cnf',
      '-extensions',
      extensions,
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
      '-notext',
    );
  };
  let responder: ChildProcess | undefined;
  if (hasOpenssl) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'ca.cnf'), configuration);
    writeFileSync(join(folder, 'index.txt'), '');
    writeFileSync(join(folder, 'serial'), '9000000000000000000000000000000001');
    writeFileSync(join(folder, 'crlnumber'), 'FE');
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-subj',
      '/CN=OpenSSL CA',
      '-config',
      'ca.cnf',
      '-extensions',
      'authority',
      '-days',
      '30',
    );
    for (const name of ['good', 'lost', 'held']) issue(name);
    issue('responder', 'responder');
    openssl('ca', '-config', 'ca.cnf', '-revoke', 'lost.pem', '-crl_reason', 'keyCompromise');
    openssl('ca', '-config', 'ca.cnf', '-revoke', 'held.pem', '-crl_hold', 'holdInstructionReject');
  }
  after(async () => {
    if (responder?.exitCode === null && responder.signalCode === null) {
      responder.kill();
      await once(responder, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test('says in its list what is revoked, and why', async () => {
    const ca = certificate('ca');
    openssl('ca', '-config', 'ca.cnf', '-gencrl', '-out', 'list.pem');
    const list = await listInAnswer(readFileSync(join(folder, 'list.pem'))).verifiedBy(ca, systemClock.now());
    assert.equal(list.listNumber, 'fe');
    assert.equal(list.entries, 2);
    const reasons = ['good', 'lost', 'held'].map(
      (name) => entryOf(list, certificate(name).serialNumber)?.reason,
    );
    assert.deepEqual(reasons, [undefined, 'keyCompromise', 'certificateHold']);
    const judge = ['verify', '-crl_check', '-CAfile', 'ca.pem', '-CRLfile', 'list.pem'];
    const judged = ['good', 'lost', 'held'].map(
      (name) => spawnSync('openssl', [...judge, `${name}.pem`], { cwd: folder }).status === 0,
    );
    assert.deepEqual(judged, [true, false, false]);
  });

  test('answers as a responder, with a delegate and with its own key', async () => {
    const issuer = certificate('ca');
    for (const signer of ['responder', 'ca']) {
      const port = await freePort();
      const running = spawn(
        'openssl',
        [
          'ocsp',
          '-port',
          String(port),
          '-index',
          'index.txt',
          '-CA',
          'ca.pem',
          '-rsigner',
          `${signer}.pem`,
          '-rkey',
          `${signer}.key`,
          '-nmin',
          '5',
        ],
        { cwd: folder, stdio: 'pipe' },
      );
      responder = running;
      await saysItWaits(running);
      for (const [name, reason] of [
        ['good', undefined],
        ['lost', 'keyCompromise'],
        ['held', 'certificateHold'],
      ] as const) {
        const question: OcspQuestion = {
          certificate: certificate(name),
          issuer,
          nonce: Buffer.from('0123456789abcdef'),
        };
        const message = { contentType: ocspTypes.question, body: ocspRequest(question) };
        const wanted = { accept: ocspTypes.answer, maxBytes: longestAnswer, isSigned: true };
        const body = await outboundClient(noLimits).postFor(`http://127.0.0.1:${port}/`, message, wanted);
        const said = await readOcspAnswer(body, question, systemClock.now());
        assert.equal(said.revoked?.reason, reason, name);
        assert.equal(said.authorityName, signer === 'ca' ? 'CN=OpenSSL CA' : 'CN=responder');
        const replayed = readOcspAnswer(body, { ...question, nonce: Buffer.alloc(16, 1) }, systemClock.now());
        await assert.rejects(replayed, /nonce/);
      }
      running.kill();
      await once(running, 'exit');
    }
  });
});

/** It answers one connection after the other, so that none may be made only to see whether it listens. */
async function saysItWaits({ stdout, stderr }: ChildProcess): Promise<void> {
  for await (const said of merged(stdout, stderr)) if (String(said).includes('waiting')) return;
}

function merged(...streams: readonly (Readable | null)[]): AsyncIterable<unknown> {
  const all = new PassThrough();
  for (const stream of streams) stream?.pipe(all, { end: false });
  return all;
}

test('a list of another library means the same', async () => {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const ca = authority();
  const [lost, good] = [client({ issuer: ca }), client({ issuer: ca })].map(({ der }) =>
    readPathCertificate(der),
  ) as [PathCertificate, PathCertificate];
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const crl = await x509.X509CrlGenerator.create({
    issuer: new x509.X509Certificate(new Uint8Array(ca.der)).subjectName,
    thisUpdate: new Date(systemClock.now() - HOUR),
    nextUpdate: new Date(systemClock.now() + HOUR),
    entries: [
      {
        serialNumber: lost.serialNumber,
        revocationDate: new Date(systemClock.now() - HOUR),
        reason: x509.X509CrlReason.cessationOfOperation,
      },
    ],
    signingAlgorithm: algorithm,
    signingKey: ca.keys.privateKey.toCryptoKey(algorithm, false, ['sign']),
  });
  const list = await listInAnswer(Buffer.from(crl.rawData)).verifiedBy(
    readPathCertificate(ca.der),
    systemClock.now(),
  );
  assert.equal(entryOf(list, lost.serialNumber)?.reason, 'cessationOfOperation');
  assert.equal(entryOf(list, good.serialNumber), undefined);
});
