// Why a change of a module that decides may go unnoticed. A reason is for a text of a file and what may stand instead.

interface Reason {
  readonly file: string;
  /** How the text that was replaced begins, in one line. */
  readonly original: string;
  /** Whatever stands instead, unless it says what. */
  readonly replacement?: string;
  readonly why: string;
}

const reasons: readonly Reason[] = [
  {
    file: 'src/http/oidc/browser-binding.ts',
    original: "''",
    why: 'the same: no cookie at all, and a text that is none of ours, have no binding',
  },
  {
    file: 'src/tokens/access-token.ts',
    original: "'base64url'",
    why: 'the same: the hash is the key of a map, however it is written',
  },
  {
    file: 'src/tokens/access-token.ts',
    original: '50_000 / threads',
    why: 'the same verdicts: the number bounds the memory for tokens that were seen before',
  },
  {
    file: 'src/tokens/access-token.ts',
    original: 'value === null',
    replacement: 'false',
    why: 'the same: what was read of a signed token is an object, or undefined',
  },
  {
    file: 'src/tokens/access-token.ts',
    original: 'false',
    replacement: 'true',
    why: 'the same: what is no object here is undefined, and is refused as that',
  },
  {
    file: 'src/tokens/jws.ts',
    original: 'signature.length === 64',
    why: 'the same with this OpenSSL, which refuses other lengths too; it is said here so that no other one decides',
  },
  {
    file: 'src/tokens/jws.ts',
    original: "{ return alg === 'RS256'",
    why: 'the same: without a digest OpenSSL takes SHA-256 for RSA, and none for Ed25519',
  },
  {
    file: 'src/tokens/jws.ts',
    original: "alg === 'RS256'",
    why: 'the same: without a digest OpenSSL takes SHA-256 for RSA',
  },
  {
    file: 'src/tokens/jws.ts',
    original: "'RS256'",
    why: 'the same: without a digest OpenSSL takes SHA-256 for RSA',
  },
  {
    file: 'src/tokens/opaque-token.ts',
    original: "'\\0'",
    why: 'the same: no kind of token is the beginning of another, and what follows has one length',
  },
  {
    file: 'src/oidc/flow/open-auth-request.ts',
    original: "'auth-request'",
    why: 'the same: any label does that no other sealer has, and the empty one is free',
  },
  {
    file: 'src/oidc/grants/grant-authorization-code.ts',
    original: 'resources.length === 0',
    replacement: 'false',
    why: 'the same answer, after a reading that nobody has asked for',
  },
  {
    file: 'src/oidc/grants/use-refresh-token.ts',
    original: "'replaced'",
    why: 'the same: all that is asked is whether it is a duplicate',
  },
  {
    file: 'src/oidc/grants/use-refresh-token.ts',
    original: 'told === undefined',
    replacement: 'false',
    why: 'the same: no description and no reason are looked up, and none is sent',
  },
  {
    file: 'src/oidc/grants/use-refresh-token.ts',
    original: "outcome.outcome === 'rotated'",
    replacement: 'true',
    why: 'the same: a repeated one brings no news of the session',
  },
  {
    file: 'src/login/throttle.ts',
    original: 'keys.length > 0',
    why: 'the same, with a commit that gives nothing back',
  },
  {
    file: 'src/oidc/flow/callback.ts',
    original: "'callback'",
    why: 'the same: any label does that no other sealer has, and the empty one is free',
  },
  {
    file: 'src/platform/x509/path-rules.ts',
    original: '[]',
    why: 'the same: the first of those below is the leaf, which no path length counts',
  },
  {
    file: 'src/platform/x509/path-rules.ts',
    original: 'false',
    replacement: 'true',
    why: 'the same: only a leaf is forgiven, and this is an anchor',
  },
  {
    file: 'src/platform/x509/path-rules.ts',
    original: 'pathLength !== undefined',
    replacement: 'true',
    why: 'the same: no number is greater than undefined',
  },
  {
    file: 'src/platform/x509/path-search.ts',
    original: 'ground.intermediates.filter',
    why: 'the same path, found among the anchors first; an anchor that was sent would only be tried again',
  },
  {
    file: 'src/platform/x509/path-search.ts',
    original: 'steps',
    why: 'a second net: for eight certificates no mesh is known that takes 48 steps with twelve checked signatures',
  },
  {
    file: 'src/platform/x509/path-search.ts',
    original: "{ reason: 'too-much-work' }",
    replacement: '{}',
    why: 'never given: a search that finds nothing has noted a miss',
  },
  {
    file: 'src/platform/x509/path-search.ts',
    original: "'too-much-work'",
    why: 'never given: a search that finds nothing has noted a miss',
  },
  {
    file: 'src/platform/x509/path-search.ts',
    original: 'issuers.length < 2',
    replacement: 'false',
    why: 'the same: one issuer has one order',
  },
  {
    file: 'src/platform/x509/path-search.ts',
    original: '{ return false; }',
    why: 'the same: undefined is no confirmation either',
  },
  {
    file: 'src/platform/x509/path-search.ts',
    original: 'false',
    replacement: 'true',
    why: 'OpenSSL is not known to throw for keys and algorithms that were accepted before; if it does, nothing was proven',
  },
  {
    file: 'src/platform/x509/path-validation.ts',
    original: '!(error instanceof MalformedInput)',
    replacement: 'false',
    why: 'only a defect of our own is thrown on, and none is known',
  },
  {
    file: 'src/platform/x509/path-validation.ts',
    original: 'anchor ===',
    why: 'never so: a path that is found ends in an anchor, and an anchor is no leaf; it is said so that a defect is noticed',
  },
  {
    file: 'src/platform/x509/path-validation.ts',
    original: "'a path has at least two certificates'",
    why: 'the text of an error that no test can cause',
  },
  {
    file: 'src/oidc/redirect-uri.ts',
    original: '/^:[1-9][0-9]{0,4}$/',
    replacement: '/:[1-9][0-9]{0,4}$/',
    why: 'the same: what stands before the last colon makes the number below it none',
  },
  {
    file: 'src/login/fresh-proof.ts',
    original: '(await store.apiSessions.find(apiSessionId))?.certThumbprint',
    why: 'a second net: a session that is deleted while its own call is answered has no certificate to compare with',
  },
  {
    file: 'src/login/standing.ts',
    original: 'signerId === null',
    replacement: 'false',
    why: 'the same: no signer is found for null',
  },
  {
    file: 'src/model/permission.ts',
    original: "asked === 'read'",
    replacement: 'true',
    why: 'the same for two permissions: whoever has the other one has what is asked for',
  },
  {
    file: 'src/oidc/flow/continue-signed-in.ts',
    original: 'browserSession === undefined',
    replacement: 'false',
    why: 'a second net for a login that began before a reload allowed browser sessions',
  },
  {
    file: 'src/oidc/flow/continue-signed-in.ts',
    original: 'verdict.account.identity.id === account.identity.id',
    why: 'a second net: a certificate stays with its identity, and the session ends with the authenticator',
  },
  {
    file: 'src/oidc/flow/continue-signed-in.ts',
    original: '[]',
    why: 'the same: no failures are counted under such a key',
  },
  {
    file: 'src/oidc/flow/continue-signed-in.ts',
    original: "{ detail: 'the login is finished' }",
    why: 'the same answer: the detail is for the log',
  },
  {
    file: 'src/oidc/flow/continue-signed-in.ts',
    original: "'the login is finished'",
    why: 'the same answer: the detail is for the log',
  },
  {
    file: 'src/oidc/revocation.ts',
    original: 'sessionId === undefined',
    replacement: 'false',
    why: 'the same: no session is found without an id',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: 'needs.clockWatch.isWrong',
    replacement: 'false',
    why: 'test/oidc/freshness.test.ts notices, which takes a minute',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: 'presented.bearers.length === 0',
    replacement: 'false',
    why: 'the same challenges',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: "'the token is bound to a certificate",
    why: 'the same answer: the detail is for the log',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: "{ detail: 'what has ended",
    why: 'the same answer: the detail is for the log',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: "'what has ended",
    why: 'the same answer: the detail is for the log',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: 'account === null',
    replacement: 'false',
    why: 'a second net: disabling or deleting an identity ends its sessions too',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: "'invalid'",
    why: 'a second net: disabling or deleting an identity ends its sessions too',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: '`identity ',
    why: 'the same answer: the detail is for the log',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: '[]',
    why: 'the same: no token has such a proof',
  },
  {
    file: 'src/sessions/authenticate-request.ts',
    original: 'claims.iat * SECOND',
    why: 'the same unless the clock is set back: it bounds how long a session is said to last',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: '10_000 / threads',
    why: 'the same verdicts: the number bounds the memory for tokens that were seen before',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: '{ keys: null, kid: null }',
    replacement: '{}',
    why: 'the same: neither is there for a certificate',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: 'headerOf(token)?.kid ?? null',
    why: 'the same for the keys of this provider: without a kid all of them count',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: 'used.length === 0',
    replacement: 'false',
    why: 'the same: nothing repeats a proof that is not there',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: 'remembered !== undefined',
    replacement: 'true',
    why: 'the same once the key set is read, which each verification does',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: 'Number(claims.exp) + signer.leewaySeconds',
    why: 'the same verdicts: a token that is remembered for less time is verified again',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: '{ // Not a JWT.',
    why: 'the same: nothing is returned either way',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: 'keys === undefined',
    replacement: 'false',
    why: 'the same once the key set is read, which each verification does',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: 'saw === undefined',
    replacement: 'false',
    why: 'the same answer: the detail is for the log',
  },
  {
    file: 'src/sessions/secondary-tokens.ts',
    original: "''",
    why: 'the same answer: the detail is for the log',
  },
];

export function reasonFor(file: string, original: string, replacement: string): string | undefined {
  const text = original.replace(/\s+/g, ' ');
  return reasons.find(
    (reason) =>
      reason.file === file &&
      text.startsWith(reason.original) &&
      (reason.replacement ?? replacement) === replacement,
  )?.why;
}
