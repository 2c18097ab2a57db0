// The faults that planted-faults.ts plants in a copy of the source: each admits a client wrongly, or refuses one wrongly.

export interface Edit {
  readonly file: string;
  /** Must occur exactly once. */
  readonly from: string;
  readonly to: string;
}

/** One edit, or several. */
export type Fault = {
  readonly name: string;
  /** The file of tests that looks for it; without one, the model of the login does. */
  readonly soughtBy?: string;
} & (Edit | { readonly edits: readonly Edit[] });

const sql = 'src/store/sql/auth-requests.ts';
const row = 'src/store/sql/login-row.ts';
const flow = 'src/oidc/flow/login-flow.ts';
const next = 'src/oidc/flow/next-step.ts';
const totp = 'src/store/sql/totp.ts';
const bound =
  "'auth_requests.browser_binding IS NULL OR auth_requests.browser_binding = excluded.browser_binding'";

export const faults: readonly Fault[] = [
  {
    name: 'a primary login leaves the stored request, and with it the binding, of the login before',
    edits: [
      { file: row, from: "'request client_id", to: "'client_id" },
      { file: row, from: 'browser_binding identity_id', to: 'identity_id' },
    ],
  },
  {
    name: 'pages of other sites may send what changes something',
    file: 'src/http/request/begin-request.ts',
    from: "if (sender.kind !== 'foreign-page' || !mayChangeSomething(method)) return;",
    to: 'if (method !== null) return;',
  },
  {
    name: 'another browser takes over a login that is bound',
    edits: [
      { file: sql, from: bound, to: "'1 = 1'" },
      {
        file: flow,
        from: 'requireSameBrowser(login.authRequest.browserBinding, browserBinding === null ? [] : [browserBinding]);',
        to: '',
      },
    ],
  },
  {
    name: 'a browser continues with the login of a program',
    file: flow,
    from: 'requireSamePlace(login.authRequest.browserBinding, authRequest.browserBinding);',
    to: "requireSameBrowser(login.authRequest.browserBinding, [authRequest.browserBinding ?? '']);",
  },
  {
    name: 'steps after the primary one are accepted from any browser',
    file: flow,
    from: '  if (login !== null) requireSamePlace(login.authRequest.browserBinding, authRequest.browserBinding);\n',
    to: '',
  },
  {
    name: 'the code of a login by certificate is redeemed without the certificate',
    file: sql,
    from: 'AND (cert_thumbprint IS NULL OR cert_thumbprint',
    to: 'AND (1 = 1 OR cert_thumbprint',
  },
  {
    name: 'a repeated primary login keeps the factors that were passed before',
    edits: [
      {
        file: flow,
        from: 'const progress = { ...(secondary ?? primary).progress, ...certified, ...said, place };',
        to: `const kept = await needs.store.authRequests.findLogin(authRequest.key, needs.clock.now());
    const passed = [...new Set([...(kept?.progress.passed ?? []), ...(secondary ?? primary).progress.passed])];
    const progress = { ...(secondary ?? primary).progress, ...certified, ...said, place, passed };`,
      },
    ],
  },
  {
    name: 'a factor counts for whichever login is there when it is recorded',
    edits: [
      {
        file: sql,
        from: 'const { key, generation, now } = factor;\n      const isOpen',
        to: 'const { key, now } = factor;\n  const generation = sql`generation`;\n      const isOpen',
      },
      {
        file: sql,
        from: '{isOpen} AND progress = ',
        to: "{isOpen} AND '' <> ",
      },
    ],
  },
  {
    name: 'one factor may be lacking when the code is given',
    file: next,
    from: 'isComplete ? mintOpaqueToken',
    to: 'outstanding.length <= Math.min(1, progress.passed.length - 1) ? mintOpaqueToken',
  },
  {
    name: 'TOTP is not asked of a person who enrolled it without being told to',
    file: 'src/login/outstanding-factors.ts',
    from: '(secondary.requireTotp || isEnrolled)',
    to: 'secondary.requireTotp',
  },
  {
    name: 'a new password is taken before the second factor',
    file: flow,
    from: 'const [first] = await outstandingNow(needs, login.progress);',
    to: "const first = (await outstandingNow(needs, login.progress)).find(({ type }) => type === 'password-change');",
  },
  {
    name: 'the old password may be the new one',
    file: flow,
    from: 'if (await needs.hasher.matches(present.passwordHash, password, identity.id)) throw samePassword();',
    to: '',
  },
  {
    name: 'what the old password opened goes on after it was replaced',
    file: 'src/store/sql/auth-requests.ts',
    from: "yield* endSessionsOf({ identityId, reason: 'credential-changed', now, exceptLogin: key });",
    to: '',
  },
  {
    name: 'a legacy session opens although the password must change',
    file: 'src/legacy/authenticate.ts',
    from: 'await requireNothingUnknown(needs, primary, origin);',
    to: '',
  },
  {
    name: 'a TOTP code works twice',
    file: totp,
    from: 'AND last_step < $',
    to: 'AND last_step <= $',
  },
  {
    name: 'a recovery code works twice',
    file: totp,
    from: 'AND code_hash = ? AND used_at IS NULL\n',
    to: 'AND code_hash = ?\n',
  },
  {
    name: 'an authorization code works twice',
    file: sql,
    from: 'AND (code_used_at IS NULL OR session_id = $',
    to: 'AND (1 = 1 OR session_id = $',
  },
  {
    name: 'an authorization code works after its end',
    file: sql,
    from: 'AND code_expires_at > ',
    to: 'AND 1 < ',
  },
  {
    name: 'the external JWT of another person counts as the second proof',
    file: 'src/login/external-jwt/secondary-jwt.ts',
    from: 'namesIdentity(signer, verdict.claim, identity)) {',
    to: "namesIdentity(signer, verdict.claim, identity) || verdict.claim !== '') {",
  },
  {
    name: 'two tokens of one signer are two factors',
    file: 'src/model/account.ts',
    from: 'return one.id !== other.id && one.issuer !== other.issuer;',
    to: 'return one.id !== other.id || one.issuer === other.issuer;',
  },
  {
    name: 'the tokens of two signers of one issuer are two factors',
    file: 'src/model/account.ts',
    from: 'return one.id !== other.id && one.issuer !== other.issuer;',
    to: 'return one.id !== other.id;',
  },
  {
    name: 'an app is set up before the external JWT that the policy requires',
    file: 'src/login/outstanding-factors.ts',
    from: "factor.type === 'password-change' || isMissing",
    to: "factor.type !== 'totp' || isMissing",
  },
  {
    name: 'right passwords of one person at once count as failures',
    file: 'src/login/throttle.ts',
    from: 'isRight ? 0 : 1, now',
    to: '1, now',
  },
  {
    name: 'a right password passes although the wrong ones before it have locked it',
    edits: [
      {
        file: 'src/store/sql/attempts.ts',
        from: 'const refusedAt = found.findLastIndex(',
        to: 'const refusedAt = failures === 0 ? -1 : found.findLastIndex(',
      },
      {
        file: 'src/login/password/password.ts',
        from: 'const isLocked = own',
        to: 'const isLocked = needs.clock.now() < 0 && own',
      },
    ],
  },
  {
    name: 'the code of an enrollment that was shown to another person completes it',
    edits: [
      {
        file: 'src/login/totp/totp-enrollment.ts',
        from: "if (pending === null || pending.identityId !== identityId) {\n    attempt.failed('enrollment started'",
        to: "if (pending === null) {\n    attempt.failed('enrollment started'",
      },
      {
        file: sql,
        from: "if (integer(row, 'generation') > 1) yield* run('DELETE FROM pending_totp WHERE flow = ?', key);",
        to: '',
      },
    ],
  },
  {
    name: 'an enrollment that the login before began stays in the way of the next one',
    edits: [
      {
        file: sql,
        from: "if (integer(row, 'generation') > 1) yield* run('DELETE FROM pending_totp WHERE flow = ?', key);",
        to: '',
      },
      {
        file: totp,
        from: "'DELETE FROM pending_totp WHERE flow = ? RETURNING flow'",
        to: "'DELETE FROM pending_totp WHERE flow = ? AND 1 = 0 RETURNING flow'",
      },
    ],
  },
  {
    name: 'after a first step the primary endpoints take no other one',
    file: flow,
    from: 'const isOpen = login === null ? now < authRequest.createdAt + authRequestLifetime : !login.hasCode;',
    to: 'const isOpen = login === null && now < authRequest.createdAt + authRequestLifetime;',
  },
  {
    name: 'a session of the legacy mechanism is let through before its factors are given',
    file: 'src/http/request/guard.ts',
    from: 'if (principal.outstanding.length > 0)',
    to: "if (principal.outstanding.length > 0 && principal.mechanism !== 'legacy')",
  },
  {
    name: 'a refresh token that was used before does not end its session',
    file: 'src/store/sql/api-sessions.ts',
    from: "if (yield* endSession(rotate.sessionId, 'refresh-reuse', rotate.now)) return { outcome: 'reused' };",
    to: "if (rotate.now < 0) return { outcome: 'reused' };",
  },
  {
    name: 'an answer of a passkey works twice',
    file: 'src/login/passkey/question.ts',
    from: 'return useOnce(needs,',
    to: "return Promise.resolve(challenge !== '') || useOnce(needs,",
  },
  {
    name: 'the passkey of another person is the second proof',
    file: 'src/login/passkey/passkey.ts',
    from: 'if (proven.account.identity.id !== identityId)',
    to: "if (proven.account.identity.id === '')",
  },
  {
    name: 'a passkey counts without the user verification that the policy requires',
    edits: [
      {
        file: 'src/login/passkey/passkey.ts',
        from: "if (!isUserVerified && userVerificationOf(policy, proof) === 'required') {",
        to: "if (!isUserVerified && proof === 'second' && userVerificationOf(policy, proof) === 'required') {",
      },
      {
        file: 'src/model/account.ts',
        from: "return passed.includes('user') && userVerificationOf(policy, proof) === 'required';",
        to: "return passed.includes('user') && proof === 'second' && userVerificationOf(policy, proof) === 'required';",
      },
    ],
  },
  {
    name: 'a passkey counts as both factors although the policy does not say so',
    edits: [
      {
        file: 'src/login/passkey/passkey.ts',
        from: 'const isTwofold = isUserVerified && policy.primary.passkey.satisfiesSecondary;',
        to: 'const isTwofold = isUserVerified;',
      },
      {
        file: 'src/login/outstanding-factors.ts',
        from: "const isTwofold = primary.passkey.satisfiesSecondary && proven.includes('uv');",
        to: "const isTwofold = primary.passkey !== undefined && proven.includes('uv');",
      },
    ],
  },
  {
    name: 'a passkey opens a login that requires another one as the second proof',
    file: 'src/model/account.ts',
    from: 'return primary.passkey.allowed && (!secondary.requirePasskey || primary.passkey.satisfiesSecondary);',
    to: 'return primary.passkey.allowed && secondary !== undefined;',
  },
  {
    name: 'a question for one name is answered by another person',
    edits: [
      {
        file: 'src/login/passkey/passkey.ts',
        from: 'isOf?.({ ...question, identityId: found.passkey.identityId })',
        to: 'isOf !== undefined',
      },
      {
        file: 'src/login/passkey/passkey.ts',
        from: 'if (!isOf?.({ ...question, identityId }))',
        to: "if (!isOf?.({ ...question, identityId }) && purpose !== 'primary')",
      },
    ],
  },
];

export function editsOf(fault: Fault): readonly Edit[] {
  return 'edits' in fault ? fault.edits : [fault];
}

/** @returns the text with the edit in it @throws unless there is exactly one place for it */
export function edited(text: string, { file, from, to }: Edit): string {
  if (text.split(from).length !== 2) throw new Error(`${file} does not have exactly once:\n${from}`);
  return text.replace(from, () => to);
}
