// Rules and verdicts as people say them.

import { parseDuration } from '../../src/platform/formats/durations.ts';
import { language } from '../parts/language.ts';
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

/** As `mayPasskeyOpen` of the server. */
export function opensByPasskey({ primary, secondary }: Pick<AuthPolicy, 'primary' | 'secondary'>): boolean {
  return primary.passkey.allowed && (!secondary.requirePasskey || primary.passkey.satisfiesSecondary);
}

/** The requirements of a policy, one sentence per rule. @param signers names by id */
export function policySentences(
  policy: Pick<AuthPolicy, 'primary' | 'secondary' | 'requireDpop'>,
  signers: Readonly<Record<string, string>>,
): readonly string[] {
  const { person, policy: words } = texts;
  const { cert, extJwt, passkey, updb } = policy.primary;
  const { requireTotp, requirePasskey, requireExtJwt } = policy.secondary;
  const byPasskey = opensByPasskey(policy);
  // As `outstandingFactors` of the server.
  const usesPasskeys = byPasskey || requirePasskey;
  const models = passkey.allowedAuthenticators;
  const isTwofold = byPasskey && passkey.satisfiesSecondary && (requireTotp || requirePasskey);
  const from = extJwt.allowedSigners.map((id) => signers[id] ?? id);
  const methods = [
    updb.allowed ? words.means.password : null,
    cert.allowed ? words.means.cert : null,
    extJwt.allowed
      ? `${words.means.extJwt} ${from.length === 0 ? words.anySigner : words.signers(from.join(', '))}`
      : null,
    byPasskey && !isTwofold ? words.means.passkey : null,
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
    ...(policy.requireDpop ? [words.bound] : []),
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
    ...ageText(updb.mustChangeAfter ?? null).map(words.oldest),
  ];
}

/** A duration as people say it, in days if it is some. Nothing for what is none, as while it is typed. */
function ageText(duration: string | null): readonly string[] {
  try {
    const hours = duration === null || duration === '' ? 0 : parseDuration(duration) / 3_600_000;
    if (hours === 0) return [];
    const [value, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
    return [new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)];
  } catch {
    return [];
  }
}

/** Whom a caller claimed to be, as it is shown. The server has a mark in place of a user name that it does not know. */
export function subjectText(subject: string): string {
  return subject.replace(/^unknown name (#[\da-f]+)$/, (_all, mark: string) =>
    texts.attempts.unknownName(mark),
  );
}
