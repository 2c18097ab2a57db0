// Passkeys (WebAuthn) for the pages of web/pages.js, which get this file before theirs, and for the account page. The
// conversion between JSON and bytes is done here: browsers that have passkeys do not all have it.

const knownHere = 'overlay-auth passkey';

/** Whether this browser has passkeys. It has none at addresses without TLS. */
export function hasPasskeys() {
  return typeof PublicKeyCredential === 'function';
}

/** Whether a passkey was used or added in this browser before: then it is offered first. */
export function knowsPasskey() {
  return remembered() !== null;
}

/** Whether the last one was a security key that was found by a user name. */
export function isFoundByName() {
  return remembered() === 'by name';
}

function remembered() {
  try {
    return localStorage.getItem(knownHere);
  } catch {
    // The browser denies storage to this site.
    return null;
  }
}

/** @param {boolean} isByName */
export function rememberPasskey(isByName) {
  try {
    localStorage.setItem(knownHere, isByName ? 'by name' : 'yes');
  } catch {
    // Full, or denied. What the person has done with the passkey goes on without it.
  }
}

/**
 * Signs the server's challenge with a passkey.
 * @param {any} options PublicKeyCredentialRequestOptionsJSON
 * @param {{ mediation?: 'conditional', signal?: AbortSignal }} [how] conditional: when the person chooses a passkey in
 * the user name field
 * @returns {Promise<any>} AuthenticationResponseJSON
 */
export async function provePasskey(options, how = {}) {
  const publicKey = { ...options, challenge: bytesOf(options.challenge) };
  publicKey.allowCredentials = options.allowCredentials?.map(withBytes);
  return answerOf(await navigator.credentials.get({ ...how, publicKey }));
}

/**
 * Makes a passkey.
 * @param {any} options PublicKeyCredentialCreationOptionsJSON
 * @returns {Promise<any>} RegistrationResponseJSON
 */
export async function makePasskey(options) {
  const publicKey = { ...options, challenge: bytesOf(options.challenge), user: withBytes(options.user) };
  publicKey.excludeCredentials = options.excludeCredentials?.map(withBytes);
  return answerOf(await navigator.credentials.create({ publicKey }));
}

/**
 * Why the browser gave no answer. A person who cancels, waits too long or has no passkey that fits looks the same to a
 * page, on purpose.
 * @param {unknown} error
 * @returns {'cancelled' | 'known' | 'insecure' | 'failed'}
 */
export function passkeyProblem(error) {
  const { name, message } = /** @type {Error} */ (error);
  // A certificate that the person accepted despite the browser's warning.
  if (name === 'SecurityError' || /certificate/i.test(message)) return 'insecure';
  if (name === 'InvalidStateError') return 'known';
  return name === 'NotAllowedError' || name === 'AbortError' ? 'cancelled' : 'failed';
}

/** A name for a passkey of this device, such as `Pixel 9` or `Windows`; empty when the browser does not say. */
export async function deviceName() {
  const { userAgentData, platform } = /** @type {any} */ (navigator);
  const told = await userAgentData?.getHighEntropyValues(['model']).catch(() => undefined);
  if (told?.model) return told.model;
  const system = userAgentData?.platform || platform || '';
  if (/^(?:Mac|Win)/.test(system)) return system.startsWith('Mac') ? 'Mac' : 'Windows';
  return system.replace(/ (?:x86|i\d|arm|aarch).*/, '');
}

/** @param {any} credential */
function answerOf(credential) {
  const { id, type, response, authenticatorAttachment } = credential;
  return {
    id,
    rawId: id,
    type,
    authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      authenticatorData: textOf(response.authenticatorData ?? response.getAuthenticatorData?.()),
      signature: textOf(response.signature),
      userHandle: textOf(response.userHandle),
      transports: response.getTransports?.(),
    },
  };
}

/** @template {{ id: string }} Of @param {Of} of */
function withBytes(of) {
  return { ...of, id: bytesOf(of.id) };
}

/** @param {string} text base64url */
function bytesOf(text) {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );
}

/** @param {ArrayBuffer | null | undefined} bytes @returns {string | undefined} base64url */
function textOf(bytes) {
  if (bytes === null || bytes === undefined) return undefined;
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
