import { hash } from 'node:crypto';

/** On every answer, errors included. A handler may replace `cache-control` for a public document. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** Browsers open the host, all of its ports, by https only for a year (RFC 6797). */
export const strictTransport = { 'strict-transport-security': 'max-age=31536000' } as const;

/** For documents that rarely change and name no person: discovery, keys. */
export function publicFor(seconds: number): { readonly 'cache-control': string } {
  return { 'cache-control': `public, max-age=${seconds}` };
}

/** For files whose address changes with their content. */
export const immutable = { 'cache-control': 'public, max-age=31536000, immutable' } as const;

export interface ContentSecurity {
  /**
   * Further origins that a form of the page may lead to: browsers apply `form-action` to the redirect that answers the
   * post, so the origin of the client's redirect URI has to be named.
   */
  readonly formTargets?: readonly string[];
  /** The one inline script, allowed by its hash, beside our files. */
  readonly inlineScript?: string;
}

/** The origin (for a private scheme, the scheme) to which the answer to a login's last form will lead. */
export function formTarget(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.origin === 'null' ? url.protocol : url.origin;
}

/**
 * The content security policy of a page: only what our pages use, and only from here.
 * @throws RangeError when a target is neither an origin nor a scheme, because it could inject a directive
 */
export function contentSecurityPolicy({ formTargets = [], inlineScript }: ContentSecurity): string {
  for (const target of formTargets)
    if (!/^[a-z][a-z0-9+.-]*:(?:\/\/[a-zA-Z0-9.:[\]_-]+)?$/.test(target))
      throw new RangeError('a form target must be an origin or a scheme');
  const inline = inlineScript === undefined ? '' : ` 'sha256-${hash('sha256', inlineScript, 'base64')}'`;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `script-src 'self'${inline}`,
    "connect-src 'self'",
  ].join('; ');
}

/**
 * On every answer of the legacy mechanism: deprecated since 2026-01-01. OIDC replaces it, on the same listener or another.
 * @see RFC 9745, RFC 5829 section 3.2
 */
export function deprecationHeaders(hasOidc: boolean): Readonly<Record<string, string>> {
  const deprecation = '@1767225600';
  if (!hasOidc) return { deprecation };
  return {
    deprecation,
    link: '</oidc/.well-known/openid-configuration>; rel="deprecation successor-version"',
  };
}
