// A client of ACME authorities (RFC 8555): it orders a certificate for names whose control it proves with the TLS-ALPN
// challenge (RFC 8737), the only one that needs no port beside the service's own.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { exportJWK, FlattenedSign, type JWK } from 'jose';
import * as z from 'zod';
import { type Clock, MINUTE, type Millis, SECOND } from '../clock.ts';
import { encodeBase64url, sha256Bytes } from '../digest.ts';
import { parseJson } from '../formats/json-shape.ts';
import { quoted } from '../formats/quoted.ts';
import { thumbprintOf } from '../jwk/jwk-set.ts';
import type { Exchanger, OutboundAnswer } from '../network/outbound-client.ts';

/** The authority refused, or its answer broke the protocol; the message is a sentence for operators. */
export class AcmeError extends Error {
  override readonly name = 'AcmeError';
}

export interface CertificateOrder {
  /** URL of the authority's directory. */
  readonly directory: string;
  /** Null: the authority learns no address. */
  readonly email: string | null;
  /** P-256, of the account. An authority knows the account by it, and makes one for a key that it does not know. */
  readonly accountKey: KeyObject;
  /** Binds a new account to that of a customer (RFC 8555 section 7.3.4); null: the authority does not ask for that. */
  readonly externalAccount: { readonly keyId: string; readonly hmacKey: Buffer } | null;
  readonly hosts: readonly string[];
  /** PKCS #10, DER, for exactly these hosts. */
  readonly request: Buffer;
}

export interface AcmeNeeds {
  readonly client: Exchanger;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly pause: (time: Millis) => Promise<void>;
  /**
   * Presents the answer to a challenge until the returned function is called.
   * @param authorization SHA-256 of the key authorization, for the extension of RFC 8737 section 3
   */
  readonly present: (host: string, authorization: Buffer) => Promise<() => void>;
}

/** How long an authority may take for one step. */
const longestStep: Millis = 2 * MINUTE;
const mostBytes = 256 * 1024;

const url = z.url({ protocol: /^https$/ });
const directoryShape = z.object({ newNonce: url, newAccount: url, newOrder: url });
const problemShape = z.object({ type: z.string().default('about:blank'), detail: z.string().default('') });
const status = z.enum([
  'pending',
  'processing',
  'ready',
  'valid',
  'invalid',
  'deactivated',
  'expired',
  'revoked',
]);
const orderShape = z.object({
  status,
  authorizations: z.array(url),
  finalize: url,
  certificate: url.optional(),
  error: problemShape.optional(),
});
const authorizationShape = z.object({
  status,
  identifier: z.object({ value: z.string() }),
  challenges: z.array(
    z.object({
      type: z.string(),
      url,
      token: z
        .string()
        .regex(/^[\w-]+$/)
        .optional(),
      error: problemShape.optional(),
    }),
  ),
});

/**
 * Orders a certificate.
 * @returns the chain, PEM, the certificate first
 * @throws AcmeError, FetchRefused
 */
export async function orderCertificate(needs: AcmeNeeds, wanted: CertificateOrder): Promise<string> {
  const account = await openAccount(needs, wanted);
  const identifiers = wanted.hosts.map((value) => ({ type: 'dns', value }));
  const placed = await account.post(account.newOrder, { identifiers });
  const { authorizations, finalize } = read(orderShape, placed);
  if (authorizations.length > wanted.hosts.length)
    throw new AcmeError('The authority wants more proofs than names were ordered.');
  const orderUrl = locationOf(placed);
  const until = (wantedStatus: 'ready' | 'valid') =>
    settled(needs, async () => {
      const seen = read(orderShape, await account.post(orderUrl, null));
      if (seen.status === 'invalid') throw refused('the order', seen.error);
      return seen.status === wantedStatus || seen.status === 'valid' ? seen : undefined;
    });
  for (const authorization of authorizations) await authorize(needs, { account, wanted }, authorization);
  await until('ready');
  await account.post(finalize, { csr: encodeBase64url(wanted.request) });
  const { certificate } = await until('valid');
  if (certificate === undefined) throw new AcmeError('The authority says no address of the certificate.');
  return (await account.post(certificate, null)).body.toString('utf8');
}

/** Proves control of one host, unless the authority remembers an earlier proof. */
async function authorize(
  needs: AcmeNeeds,
  { account, wanted }: { readonly account: Account; readonly wanted: CertificateOrder },
  authorization: string,
): Promise<void> {
  const look = async () => read(authorizationShape, await account.post(authorization, null));
  const { status: now, identifier, challenges } = await look();
  const host = identifier.value;
  // Only names of the configuration are proved here.
  if (!wanted.hosts.includes(host.toLowerCase()))
    throw new AcmeError(`The authority wants a proof about ${quoted(host)}, which was not ordered.`);
  if (now === 'valid') return;
  const challenge = challenges.find(({ type }) => type === 'tls-alpn-01');
  if (challenge?.token === undefined) {
    const offered = challenges.map(({ type }) => type).join(', ');
    throw new AcmeError(`The authority offers no tls-alpn-01 challenge for ${host}, only: ${offered}.`);
  }
  const proof = sha256Bytes(`${challenge.token}.${account.thumbprint}`);
  const withdraw = await needs.present(host, proof);
  try {
    await account.post(challenge.url, {});
    await settled(needs, async () => {
      const seen = await look();
      if (seen.status === 'valid') return true;
      if (seen.status === 'pending' || seen.status === 'processing') return undefined;
      throw refused(host, seen.challenges.find(({ url: at }) => at === challenge.url)?.error);
    });
  } finally {
    withdraw();
  }
}

type Account = Awaited<ReturnType<typeof openAccount>>;

async function openAccount({ client }: AcmeNeeds, wanted: CertificateOrder) {
  const get = (from: string) =>
    client.exchange(from, null, { accept: 'application/json', maxBytes: mostBytes });
  const directory = directoryShape.safeParse(parseJson((await get(wanted.directory)).body.toString()));
  if (!directory.success)
    throw new AcmeError(`${wanted.directory} is not the directory of an ACME authority.`);
  const { newNonce, newAccount, newOrder } = directory.data;
  const jwk: JWK = await exportJWK(createPublicKey(wanted.accountKey));
  let key: { readonly jwk: JWK } | { readonly kid: string } = { jwk };
  let nonce: string | undefined;
  /** A signed request; null reads (RFC 8555 section 6.3). @throws AcmeError the authority refused it */
  const post = async (to: string, payload: object | null, attempt = 1): Promise<OutboundAnswer> => {
    nonce ??= nonceOf(await get(newNonce));
    const text = new TextEncoder().encode(payload === null ? '' : JSON.stringify(payload));
    const signed = await new FlattenedSign(text)
      .setProtectedHeader({ alg: 'ES256', nonce, url: to, ...key })
      .sign(wanted.accountKey);
    const message = { contentType: 'application/jose+json', body: JSON.stringify(signed) };
    const answer = await client.exchange(to, message, { accept: '*/*', maxBytes: mostBytes });
    nonce = nonceOf(answer);
    if (answer.status < 400) return answer;
    const problem = problemShape.safeParse(parseJson(answer.body.toString())).data;
    // The authority has forgotten the nonce, and sent another (RFC 8555 section 6.5).
    if (problem?.type === 'urn:ietf:params:acme:error:badNonce' && attempt < 4)
      return post(to, payload, attempt + 1);
    throw refused(`a request (${answer.status})`, problem);
  };
  const contact = wanted.email === null ? [] : [`mailto:${wanted.email}`];
  const bound = await bindingOf(wanted, jwk, newAccount);
  key = { kid: locationOf(await post(newAccount, { termsOfServiceAgreed: true, contact, ...bound })) };
  return { newOrder, thumbprint: thumbprintOf({ ...jwk }), post };
}

/** Shows the authority that the customer to whom it gave the HMAC key wants this account. */
async function bindingOf({ externalAccount }: CertificateOrder, jwk: JWK, newAccount: string) {
  if (externalAccount === null) return {};
  const { keyId, hmacKey } = externalAccount;
  const externalAccountBinding = await new FlattenedSign(new TextEncoder().encode(JSON.stringify(jwk)))
    .setProtectedHeader({ alg: 'HS256', kid: keyId, url: newAccount })
    .sign(hmacKey);
  return { externalAccountBinding };
}

/** Asks each second until there is an answer. @throws AcmeError it takes too long */
async function settled<T>({ clock, pause }: AcmeNeeds, ask: () => Promise<T | undefined>): Promise<T> {
  const end = clock.monotonic() + longestStep;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (clock.monotonic() > end) throw new AcmeError('The authority has not finished within two minutes.');
    await pause(SECOND);
  }
}

function refused(what: string, problem: z.output<typeof problemShape> | undefined): AcmeError {
  const { type = '', detail = '' } = problem ?? {};
  const reason = `${detail} (${type.replace('urn:ietf:params:acme:error:', '')})`.slice(0, 1000);
  return new AcmeError(
    `The authority refused ${what}: ${problem === undefined ? 'without a reason' : reason}.`,
  );
}

/** @throws AcmeError it is another document */
function read<S extends z.ZodType>(shape: S, answer: OutboundAnswer): z.output<S> {
  const { success, data } = shape.safeParse(parseJson(answer.body.toString()));
  if (!success) throw new AcmeError("The authority's answer does not follow RFC 8555.");
  return data;
}

function nonceOf({ headers }: OutboundAnswer): string | undefined {
  const given = headers['replay-nonce'];
  return typeof given === 'string' ? given : undefined;
}

function locationOf({ headers }: OutboundAnswer): string {
  const { location } = headers;
  if (location === undefined) throw new AcmeError('The authority answered without a Location header.');
  return location;
}
