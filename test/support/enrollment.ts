// Identities that enroll on a running test server, as existing SDKs do.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { compactVerify } from 'jose';
import { csrPem, ecKeys, type KeyPair, keyPemOf } from './csr.ts';
import type { Answer, HttpsClient, RequestInit } from './https-client.ts';
import { type Caller, createdId } from './management.ts';

export const clientApi = '/edge/client/v1';

let count = 0;
export function uniqueName(prefix = 'device'): string {
  count += 1;
  return `${prefix} ${count}`;
}

export interface Invited {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly jwt: string;
  readonly enrollmentId: string;
}

/** Creates an identity with an enrollment, such as `{ ott: true }`, and returns what the device receives. */
export async function invited(
  admin: Caller,
  enrollment: Readonly<Record<string, unknown>> = { ott: true },
  more: object = {},
): Promise<Invited> {
  const name = uniqueName();
  const id = createdId(await admin.call('POST', 'identities', { name, enrollment, ...more }));
  const [method = ''] = Object.keys(enrollment);
  const { token, jwt, id: enrollmentId } = (await admin.get(`identities/${id}`)).json.data.enrollment[method];
  return { id, name, token, jwt, enrollmentId };
}

/** Sends a request for a certificate with a token, as the body. */
export function enroll(
  client: HttpsClient,
  token: string,
  csr: string,
  contentType = 'application/x-pem-file',
): Promise<Answer> {
  return client.post(`${clientApi}/enroll?method=ott&token=${encodeURIComponent(token)}`, {
    body: csr,
    headers: { 'content-type': contentType },
  });
}

/** Sends JSON, or nothing, to the address of a method. */
export function enrollBy(
  client: HttpsClient,
  method: string,
  token: string | null,
  init: RequestInit = {},
): Promise<Answer> {
  const query = token === null ? '' : `&token=${encodeURIComponent(token)}`;
  return client.post(`${clientApi}/enroll?method=${method}${query}`, init);
}

export interface EnrolledDevice {
  readonly keys: KeyPair;
  readonly keyPem: string;
  /** With the certificates that lead towards the root. */
  readonly certPem: string;
}

export async function enrolledDevice(client: HttpsClient, token: string): Promise<EnrolledDevice> {
  const keys = ecKeys();
  const answer = await enroll(client, token, csrPem(keys));
  assert.equal(answer.status, 200, answer.text);
  return { keys, keyPem: keyPemOf(keys), certPem: answer.json.data.cert };
}

/** The certificate that a server presents, seen without verifying it. */
export async function presentedLeaf(url: string): Promise<X509Certificate> {
  const { hostname, port } = new URL(url);
  return new Promise((fulfil, fail) => {
    const options = {
      host: '127.0.0.1',
      port: Number(port),
      servername: hostname,
      rejectUnauthorized: false,
    };
    const socket = connect(options, () => {
      const { raw } = socket.getPeerCertificate(true);
      socket.destroy();
      fulfil(new X509Certificate(raw));
    });
    socket.once('error', fail);
  });
}

/** The claims of an enrollment JWT, verified with the key of the certificate that the server at `url` presents. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary claims
export async function verifiedClaims(url: string, jwt: string): Promise<any> {
  const leaf = await presentedLeaf(url);
  const { payload } = await compactVerify(jwt, leaf.publicKey);
  return JSON.parse(Buffer.from(payload).toString());
}
