// Rules and verdicts as people say them.

import { alternatives, texts } from './texts/texts.ts';
import type { AuthPolicy, LoginExplanation, Method } from './types.ts';

/** "with a password, then a code from an authenticator app" */
export function wayText(method: Method, asks: LoginExplanation['asks']): string {
  const { person } = texts;
  const factors = {
    totp: person.thenTotp,
    passkey: person.thenPasskey,
    'ext-jwt': person.thenJwt,
    'password-change': person.thenChange,
  };
  const then = asks.map((factor) => factors[factor]);
  return [person.with[method], ...then].join(person.comma);
}

/** What a policy requires, one sentence per rule. @param signers names by id */
export function policySentences(
  policy: Pick<AuthPolicy, 'primary' | 'secondary'>,
  signers: Readonly<Record<string, string>>,
): readonly string[] {
  const { person, policy: words } = texts;
  const { cert, extJwt, passkey, updb } = policy.primary;
  const { requireTotp, requirePasskey, requireExtJwt } = policy.secondary;
  // As `mayPasskeyOpen` and `outstandingFactors` of the server.
  const opensByPasskey = passkey.allowed && (!requirePasskey || passkey.satisfiesSecondary);
  const usesPasskeys = opensByPasskey || requirePasskey;
  const models = passkey.allowedAuthenticators;
  const isTwofold = opensByPasskey && passkey.satisfiesSecondary && (requireTotp || requirePasskey);
  const from = extJwt.allowedSigners.map((id) => signers[id] ?? id);
  const methods = [
    updb.allowed ? words.means.password : null,
    cert.allowed ? words.means.cert : null,
    extJwt.allowed
      ? `${words.means.extJwt} ${from.length === 0 ? words.anySigner : words.signers(from.join(', '))}`
      : null,
    opensByPasskey && !isTwofold ? words.means.passkey : null,
  ].filter((way) => way !== null);
  if (methods.length === 0 && !isTwofold) return [words.noWay];
  const thenJwt = requireExtJwt === null ? [] : [person.thenJwt];
  const then = [
    ...(requireTotp ? [person.thenTotp] : []),
    ...(requirePasskey ? [person.thenPasskey] : []),
    ...thenJwt,
  ];
  return [
    ...(methods.length === 0 ? [] : [words.ways([alternatives.format(methods), ...then].join(person.comma))]),
    ...(isTwofold
      ? [words.ways([words.means.passkey, ...thenJwt].join(person.comma)), words.passkeyTwofold]
      : []),
    ...(usesPasskeys && !passkey.satisfiesSecondary && passkey.userVerification !== 'required'
      ? [words.passkeyUnverified]
      : []),
    ...(usesPasskeys && models.length > 0 ? [words.passkeyModels(models.length)] : []),
    ...(cert.allowed && cert.allowExpiredCerts ? [words.certExpired] : []),
    ...(updb.allowed ? passwordSentences(updb) : []),
  ];
}

function passwordSentences(updb: AuthPolicy['primary']['updb']): readonly string[] {
  const { policy: words } = texts;
  const rules = [
    updb.requireMixedCase ? words.mixed : null,
    updb.requireNumberChar ? words.number : null,
    updb.requireSpecialChar ? words.special : null,
  ].filter((rule) => rule !== null);
  const last = rules.pop();
  const joined = [rules.join(', '), last].filter(Boolean).join(words.and);
  return [
    words.password(updb.minPasswordLength, joined === '' ? '' : words.withRules(joined)),
    updb.maxAttempts === 0 ? words.neverLocked : words.lock(updb.maxAttempts, updb.lockoutDurationMinutes),
  ];
}
