// A root, a server certificate and an authority for client certificates, made once for each test process.

import { systemClock } from '../../src/platform/clock.ts';
import { createIntermediateCa, createRootCa, issueServerCertificate } from '../../src/platform/x509/pki.ts';

type CertifiedKey = Awaited<ReturnType<typeof createRootCa>>;

export interface TestPki {
  readonly ca: CertifiedKey;
  readonly server: CertifiedKey;
  /** Issues client certificates for test servers with `signing`. */
  readonly signing: CertifiedKey;
}

let made: Promise<TestPki> | undefined;

/**
 * Names of the server certificate: localhost, other.localhost, 127.0.0.1, ::1. Async, so that a test file that awaits it
 * goes on as itself: the test runner follows a promise to the file that made it.
 */
export async function testPki(): Promise<TestPki> {
  made ??= make();
  return made;
}

async function make(): Promise<TestPki> {
  const needs = { clock: systemClock };
  const ca = await createRootCa(needs, { commonName: 'Test overlay root', days: 30 });
  const server = await issueServerCertificate(needs, {
    dnsNames: ['localhost', 'other.localhost'],
    ips: ['127.0.0.1', '::1'],
    days: 10,
    ca,
  });
  const signing = await createIntermediateCa(needs, { commonName: 'Test client CA', days: 20, ca });
  return { ca, server, signing };
}
