import type { X509Certificate } from 'node:crypto';
import { Agent, get } from 'node:https';
import { SECOND } from '../../../platform/clock.ts';
import { readCertificateBundle } from '../../../platform/x509/certificate-bundle.ts';

const largestList = 256 * 1024;
const mostSteps = 8;

/**
 * The root that a server names as its own (RFC 7030 section 4.1), if its certificate leads to it. Read over an
 * unverified connection: use it only to show it to a person, who compares it with what the operator says.
 */
export async function publishedRoot(
  origin: string,
  certificate: X509Certificate,
): Promise<X509Certificate | undefined> {
  let authorities: readonly X509Certificate[];
  try {
    const text = await unprovenAnswer(new URL('/.well-known/est/cacerts', origin));
    authorities = readCertificateBundle(Buffer.from(text, 'base64'));
  } catch {
    // Other kinds of servers have no such list. Then the certificate itself is shown.
    return undefined;
  }
  let top = certificate;
  for (let step = 0; step < mostSteps && !isSelfSigned(top); step += 1) {
    const issuer = authorities.find((each) => each.ca && top.checkIssued(each) && top.verify(each.publicKey));
    if (issuer === undefined) break;
    top = issuer;
  }
  return top.ca ? top : undefined;
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
}

function unprovenAnswer(url: URL): Promise<string> {
  return new Promise((fulfil, fail) => {
    const agent = new Agent({ minVersion: 'TLSv1.2', rejectUnauthorized: false });
    const request = get(url, { agent, timeout: 10 * SECOND }, (answer) => {
      let text = '';
      answer.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > largestList) request.destroy(new Error('too long'));
      });
      answer.on('error', fail);
      answer.on('end', () => {
        if (answer.statusCode === 200) fulfil(text);
        else fail(new Error('no list'));
      });
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', fail);
  });
}
