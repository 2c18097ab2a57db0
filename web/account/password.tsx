// Changing the password. The page shows the server's rules, and only the server decides.

import { type ClientSchemas, Refusal } from '@overlay-auth/client';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { announce } from '../parts/announce.tsx';
import { timeText } from '../parts/language.ts';
import { Fault, Form, PasswordField } from './form.tsx';
import { Loaded } from './loaded.tsx';
import { useReading } from './reading.ts';
import { api } from './session.ts';
import { texts } from './texts.ts';

type Rules = ClientSchemas['schemas']['PasswordRules'];

interface PasswordAuthenticator {
  readonly id: string;
  readonly username: string;
}

export function ChangePassword({ password }: { password: PasswordAuthenticator }) {
  const rules = useReading(['password-rules'], (signal) =>
    api.GET('/current-identity/password-rules', { signal }),
  );
  return <Loaded query={rules}>{(found) => <PasswordForm password={password} rules={found} />}</Loaded>;
}

function PasswordForm({
  password: { id, username },
  rules,
}: {
  password: PasswordAuthenticator;
  rules: Rules;
}) {
  const queries = useQueryClient();
  const change = async (values: FormData, form: HTMLFormElement) => {
    const chosen = String(values.get('new-password'));
    if (chosen !== values.get('repeat-password')) throw new Fault('repeat-password', texts.passwordsDiffer);
    const body = { currentPassword: String(values.get('current-password')), password: chosen };
    try {
      await api.PATCH('/current-identity/authenticators/{id}', { params: { path: { id } }, body });
    } catch (error) {
      throw await faultIn(error, id, <BrokenRules rules={rules} text={chosen} />);
    }
    form.reset();
    announce(texts.passwordChanged);
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <Form id="change-password" submit={texts.changePassword} action={change}>
      {/* Password managers file the new password under this name. */}
      <input
        className="hidden-text"
        name="username"
        value={username}
        autoComplete="username"
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <PasswordField id="current-password" label={texts.currentPassword} autoComplete="current-password" />
      <div id="password-rules">
        <p>{texts.rules}</p>
        <RuleList rules={rulesOf(rules)} />
      </div>
      <PasswordField
        id="new-password"
        label={texts.newPassword}
        autoComplete="new-password"
        aria-describedby="password-rules"
        {...{ passwordrules: generatorRules(rules) }}
      />
      <PasswordField id="repeat-password" label={texts.repeatPassword} autoComplete="new-password" />
    </Form>
  );
}

/** The mistake in a field, for a refusal that names one; other errors unchanged. */
async function faultIn(error: unknown, id: string, broken: ReactNode): Promise<unknown> {
  if (!(error instanceof Refusal)) return error;
  if (error.field === 'password') return new Fault('new-password', broken);
  if (error.field !== 'currentPassword') return error;
  const { data } = await api.GET('/current-identity/authenticators/{id}', { params: { path: { id } } });
  const lockedUntil = data.data.method === 'updb' ? data.data.lockedUntil : null;
  const text = lockedUntil === null ? texts.wrongPassword : texts.lockedUntil(timeText(lockedUntil));
  return new Fault('current-password', text);
}

/** For the generators of password managers. */
function generatorRules({ minLength, requireMixedCase, requireNumberChar }: Rules): string {
  const mixed = requireMixedCase ? ' required: upper; required: lower;' : '';
  return `minlength: ${minLength};${mixed}${requireNumberChar ? ' required: digit;' : ''}`;
}

interface Rule {
  readonly text: string;
  readonly isMet: (password: string) => boolean;
}

/** The rules in words, each with a test where the page can apply it itself. */
function rulesOf(rules: Rules): readonly Rule[] {
  const all: readonly (Rule & { readonly applies: boolean })[] = [
    {
      applies: true,
      text: texts.ruleLength(rules.minLength),
      isMet: (text) => [...text].length >= rules.minLength,
    },
    {
      applies: rules.requireMixedCase,
      text: texts.ruleMixedCase,
      isMet: (text) => /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text),
    },
    { applies: rules.requireNumberChar, text: texts.ruleNumber, isMet: (text) => /\p{Nd}/u.test(text) },
    {
      applies: rules.requireSpecialChar,
      text: texts.ruleSpecial,
      isMet: (text) => /[^\p{L}\p{Nd}\s]/u.test(text),
    },
    { applies: true, text: texts.ruleCommon, isMet: () => true },
  ];
  return all.filter(({ applies }) => applies);
}

/** The rules that the refused password breaks. If this page cannot tell, it is the rule that only the server checks. */
function BrokenRules({ rules, text }: { rules: Rules; text: string }) {
  const all = rulesOf(rules);
  const broken = all.filter(({ isMet }) => !isMet(text));
  return (
    <>
      <p>{texts.passwordRefused}</p>
      <RuleList rules={broken.length === 0 ? all.slice(-1) : broken} />
    </>
  );
}

function RuleList({ rules }: { rules: readonly Rule[] }) {
  return (
    <ul>
      {rules.map(({ text }) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
