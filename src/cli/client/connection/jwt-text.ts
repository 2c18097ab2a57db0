import { parseJson } from '../../../platform/formats/json-shape.ts';

/** Header and payload of a JWT, to show and compare; nothing is verified. Undefined for other text. */
export function readJwt(token: string): { readonly header: unknown; readonly payload: unknown } | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const [header, payload] = parts.map((part) => parseJson(Buffer.from(part, 'base64url').toString('utf8')));
  return header === undefined || payload === undefined ? undefined : { header, payload };
}
