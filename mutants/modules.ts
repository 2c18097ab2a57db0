// The modules that decide, and the tests that must notice when one of them decides otherwise. The quickest tests that
// can: each mutant costs a run of all of them.

export interface DecidingModule {
  readonly name: string;
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

export const decidingModules: readonly DecidingModule[] = [
  {
    name: 'redirect URI',
    files: ['src/oidc/redirect-uri.ts', 'src/model/redirect-uri-pattern.ts'],
    tests: ['src/oidc/redirect-uri.test.ts', 'src/config/redirect-uris.test.ts'],
  },
  { name: 'PKCE', files: ['src/oidc/pkce.ts'], tests: ['src/oidc/pkce.test.ts'] },
  {
    name: 'names',
    files: ['src/model/names.ts', 'src/store/sql/names.ts'],
    tests: ['src/model/names.test.ts', 'test/management/names.test.ts'],
  },
  {
    name: 'policy',
    files: ['src/login/outstanding-factors.ts'],
    tests: ['src/login/outstanding-factors.test.ts'],
  },
  {
    name: 'throttle',
    files: ['src/login/throttle.ts'],
    tests: ['src/login/throttle.test.ts', 'test/login/throttle.test.ts'],
  },
  {
    name: 'TOTP',
    files: ['src/platform/secrets/totp-code.ts', 'src/login/totp/totp.ts'],
    tests: ['src/platform/secrets/totp-code.test.ts', 'test/login/totp.test.ts'],
  },
  {
    name: 'code',
    files: ['src/oidc/grants/grant-authorization-code.ts'],
    // The quick one first: the other one costs four times as much.
    tests: ['test/oidc/code.test.ts', 'test/oidc/token.test.ts'],
  },
  {
    name: 'way back',
    files: ['src/oidc/flow/callback.ts'],
    tests: ['src/oidc/flow/callback.test.ts'],
  },
  {
    name: 'refresh token',
    files: ['src/tokens/refresh-token.ts'],
    tests: ['src/tokens/refresh-token.test.ts'],
  },
  {
    name: 'refresh',
    files: ['src/oidc/grants/use-refresh-token.ts'],
    tests: [
      'src/oidc/grants/use-refresh-token.test.ts',
      'test/oidc/refresh-retry.test.ts',
      'test/oidc/refresh-standing.test.ts',
      'test/oidc/cert-sessions.test.ts',
      'test/compatibility/token-exchange.test.ts',
    ],
  },
  {
    name: 'tokens',
    files: ['src/tokens/opaque-token.ts', 'src/tokens/access-token.ts', 'src/tokens/jws.ts'],
    tests: ['src/tokens/opaque-token.test.ts', 'src/tokens/access-token.test.ts', 'src/tokens/jws.test.ts'],
  },
  {
    name: 'certificate path',
    files: [
      'src/platform/x509/path-validation.ts',
      'src/platform/x509/path-rules.ts',
      'src/platform/x509/path-search.ts',
    ],
    tests: [
      'test/certificates/path-rules.test.ts',
      'test/certificates/path-building.test.ts',
      'test/certificates/name-constraints.test.ts',
    ],
  },
  {
    name: 'guard',
    files: ['src/http/request/guard.ts'],
    tests: ['src/http/request/guard.test.ts'],
  },
  {
    name: 'browser binding',
    files: ['src/http/oidc/browser-binding.ts', 'src/oidc/flow/open-auth-request.ts'],
    tests: ['src/http/oidc/browser-binding.test.ts', 'src/oidc/flow/open-auth-request.test.ts'],
  },
  {
    name: 'beginning of a request',
    files: ['src/http/request/begin-request.ts', 'src/http/request/sender.ts'],
    tests: [
      'src/http/request/sender.test.ts',
      'test/http/host.test.ts',
      'test/http/cors.test.ts',
      'test/http/foreign-pages.test.ts',
    ],
  },
  {
    name: 'fresh proof',
    files: ['src/login/fresh-proof.ts'],
    tests: ['test/edge/fresh-proof.test.ts'],
  },
  {
    name: 'standing',
    files: ['src/login/standing.ts'],
    tests: ['src/login/standing.test.ts', 'test/oidc/refresh-standing.test.ts'],
  },
  {
    name: 'browser session',
    files: ['src/oidc/flow/browser-session.ts', 'src/oidc/flow/continue-signed-in.ts'],
    tests: ['src/oidc/flow/browser-session.test.ts', 'test/oidc/browser-session.test.ts'],
  },
  {
    name: 'permission',
    files: ['src/model/permission.ts'],
    tests: ['src/model/permission.test.ts', 'test/management/permissions.test.ts'],
  },
  {
    name: 'revocation',
    files: ['src/oidc/revocation.ts', 'src/sessions/deny-set.ts'],
    tests: [
      'src/sessions/deny-set.test.ts',
      'test/oidc/session-end.test.ts',
      'test/oidc/browser-session.test.ts',
      'test/oidc/registered-clients.test.ts',
    ],
  },
  {
    name: 'caller',
    files: ['src/sessions/authenticate-request.ts', 'src/sessions/secondary-tokens.ts'],
    tests: [
      'test/http/guard.test.ts',
      'test/edge/current.test.ts',
      'test/edge/verify.test.ts',
      'test/edge/secondary-ext-jwt.test.ts',
      'test/oidc/change-feed.test.ts',
      'test/edge/session-certificates.test.ts',
      'test/oidc/registered-clients.test.ts',
      'test/oidc/cert-sessions.test.ts',
      'test/sessions/ends.test.ts',
      'test/edge/fresh-proof.test.ts',
    ],
  },
];
