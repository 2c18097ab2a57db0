// Calls of the client API as the person who is signed in.

import { accessToken, forget, renew, SignedOut } from './oidc.js';

const root = '/edge/client/v1/';

/** A refusal in the envelope of the API. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, message?: string, requestId?: string, cause?: { field?: string } }} error
   */
  constructor(status, error) {
    super(error.message ?? String(status));
    this.status = status;
    this.code = error.code ?? '';
    /** The reference id, for an administrator. */
    this.reference = error.requestId ?? '';
    /** The field that was refused, if one was. */
    this.field = error.cause?.field ?? '';
    /** For a password that is locked: until when (RFC 3339). @type {string | null} */
    this.lockedUntil = null;
  }
}

/** Each call has to show a token of another provider as well, which no page can get. */
export class SecondTokenNeeded extends Error {
  /** @param {string} reference the reference id, for an administrator */
  constructor(reference) {
    super('a token of another provider is missing');
    this.reference = reference;
  }
}

/** The change asks who it is anew: the current password, or a new sign-in, has to come with it. */
export class FreshProofNeeded extends Error {}

/**
 * The answer to a call: `data` and `meta`.
 * @throws Refusal, SignedOut, SecondTokenNeeded, FreshProofNeeded
 */
export async function call(method, path, body) {
  const response = await send(method, path, 'application/json', body);
  return response.json();
}

/** The text of a document that is not JSON. @throws Refusal, SignedOut */
export async function read(path, type) {
  const response = await send('GET', path, type);
  return response.text();
}

async function send(method, path, accept, body) {
  let response = await once(method, path, accept, body);
  if (asksForSecondToken(response)) {
    const { requestId = '' } = await errorOf(response);
    throw new SecondTokenNeeded(requestId);
  }
  if (asksForFreshProof(response)) throw new FreshProofNeeded('a fresh proof is needed');
  if (response.status === 401) {
    // The token may have ended before its time, such as by new signing keys. Once is enough to find out.
    await renew();
    response = await once(method, path, accept, body);
  }
  if (response.ok) return response;
  if (response.status === 401) {
    forget();
    throw new SignedOut('the session has ended');
  }
  throw new Refusal(response.status, await errorOf(response));
}

async function errorOf(response) {
  const answer = await response.json().catch(() => ({}));
  return answer.error ?? {};
}

/** The realm of the challenge says which token is missing. */
function asksForSecondToken(response) {
  const challenge = response.headers.get('www-authenticate') ?? '';
  return response.status === 401 && challenge.includes('realm="overlay-secondary-ext-jwt"');
}

/** RFC 9470. The token is as good as before. */
function asksForFreshProof(response) {
  const challenge = response.headers.get('www-authenticate') ?? '';
  return response.status === 401 && challenge.includes('error="insufficient_user_authentication"');
}

async function once(method, path, accept, body) {
  const headers = { authorization: `Bearer ${await accessToken()}`, accept };
  if (body === undefined) return fetch(`${root}${path}`, { method, headers, credentials: 'omit' });
  return fetch(`${root}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
  });
}
