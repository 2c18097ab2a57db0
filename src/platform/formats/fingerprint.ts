/** A thumbprint as browsers and OpenSSL show it: SHA-256 in hexadecimal, with colons. @param thumbprint base64url */
export function shownFingerprint(thumbprint: string): string {
  const digits = Buffer.from(thumbprint, 'base64url').toString('hex').toUpperCase();
  return digits.replace(/(..)(?!$)/g, '$1:');
}

/** The thumbprint (base64url) that a person means: with colons, spaces or neither. Other text stays as it is. */
export function meantThumbprint(text: string): string {
  const digits = text.replace(/[:\s]/g, '');
  return /^[0-9a-f]{64}$/i.test(digits) ? Buffer.from(digits, 'hex').toString('base64url') : text;
}
