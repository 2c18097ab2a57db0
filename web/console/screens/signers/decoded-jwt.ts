/** The parts of a JWT for people to read; null for other text. Nothing is verified. */
export function decodedJwt(token: string): { readonly header: string; readonly payload: string } | null {
  const parts = token.trim().split('.');
  if (parts.length !== 3) return null;
  try {
    const [header, payload] = parts
      .slice(0, 2)
      .map((part) => JSON.stringify(JSON.parse(textOf(part)), null, 2));
    return header === undefined || payload === undefined ? null : { header, payload };
  } catch {
    return null;
  }
}

function textOf(base64url: string): string {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
