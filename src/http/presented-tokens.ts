import type { PresentedTokens } from '../sessions/authenticate-request.ts';
import type { RequestContext } from './request-context.ts';

/** The tokens of a request, as sessions/ wants them. */
export function presentedTokens(context: RequestContext): PresentedTokens {
  return {
    ztSession: context.ztSession ?? null,
    bearers: bearerTokens(context.authorization),
    certThumbprint: () => context.clientCertificates?.leafThumbprint ?? null,
  };
}

/**
 * The tokens of the lines with the Bearer scheme, whose name has no case (RFC 9110 11.1). A proxy may have
 * joined several lines by commas. A line without a token gives an empty one, which is never valid.
 */
export function bearerTokens(lines: readonly string[]): readonly string[] {
  const [first] = lines;
  if (first === undefined) return none;
  // What nearly every caller sends.
  if (lines.length === 1 && PLAIN_BEARER.test(first)) return [first.slice('Bearer '.length)];
  return lines
    .flatMap((line) => line.split(','))
    .map((credentials) => /^\s*bearer(?: +(.*))?$/i.exec(credentials))
    .filter((match) => match !== null)
    .map((match) => match[1]?.trim() ?? '');
}

const none: readonly string[] = [];
/** The scheme, one space and a token (RFC 6750 2.1). */
const PLAIN_BEARER = /^Bearer [\w.~+/=-]+$/;
