/**
 * One allowed redirect URI, in a form that is matched structurally against the raw string that a client
 * sends: no glob, no regular expression, no URL parsing, no case folding.
 *
 * - `exact`: the client's string equals `uri`.
 * - `any-port`: the client's string is `prefix`, then optionally `:` and a decimal port 1..65535
 *   without leading zero, then `suffix`. `prefix` is the scheme and host without the colon before the port
 *   (`http://localhost`, `https://[::1]`), `suffix` the path with its leading slash (`/auth/callback`).
 *
 * @see RFC 8252 section 7.3 (a native app cannot choose its port), RFC 9700 section 2.1 (exact string matching)
 */
export type RedirectUriPattern =
  | { readonly kind: 'exact'; readonly uri: string }
  | { readonly kind: 'any-port'; readonly prefix: string; readonly suffix: string };

/** A pattern as a person writes it; `*` stands for any port. */
export function formatRedirectUri(pattern: RedirectUriPattern): string {
  return pattern.kind === 'exact' ? pattern.uri : `${pattern.prefix}:*${pattern.suffix}`;
}
