/**
 * On every answer of the legacy mechanism: deprecated since 2026-01-01, OIDC replaces it.
 * @see RFC 9745, RFC 5829 section 3.2
 */
export const deprecationHeaders: Readonly<Record<string, string>> = {
  deprecation: '@1767225600',
  link: '</oidc/.well-known/openid-configuration>; rel="deprecation successor-version"',
};
