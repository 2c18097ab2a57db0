// Changing the password. The rules are shown as the server tells them, and only the server decides.

import { call, Refusal } from './api.js';
import { announce, element, field, form } from './dom.js';
import { texts, timeText } from './texts.js';

/**
 * @param {{ id: string, username: string } | undefined} password the authenticator; undefined: there is none
 * @param {() => Promise<void>} whenChanged
 */
export async function passwordSection(password, whenChanged) {
  const heading = element('h2', { id: 'password' }, texts.password);
  const attributes = { 'aria-labelledby': 'password' };
  if (password === undefined) {
    return element('section', attributes, heading, element('p', {}, texts.noPassword));
  }
  const { data: rules } = await call('GET', 'current-identity/password-rules');
  const path = `current-identity/authenticators/${password.id}`;
  const change = form({
    id: 'change-password',
    submit: texts.changePassword,
    fields: [
      // Password managers file the new password under this name.
      element('input', {
        class: 'hidden',
        name: 'username',
        value: password.username,
        autocomplete: 'username',
        readonly: true,
        tabindex: '-1',
        'aria-hidden': 'true',
      }),
      passwordField('current-password', texts.currentPassword, { autocomplete: 'current-password' }),
      element('div', { id: 'password-rules' }, element('p', {}, texts.rules), ruleList(rulesOf(rules))),
      passwordField('new-password', texts.newPassword, newPasswordAttributes(rules)),
      passwordField('repeat-password', texts.repeatPassword, { autocomplete: 'new-password' }),
    ],
    async action(values, made) {
      const chosen = values.get('new-password');
      if (chosen !== values.get('repeat-password')) throw new Refusal(0, { code: 'DIFFERENT' });
      const currentPassword = values.get('current-password');
      try {
        await call('PATCH', path, { currentPassword, password: chosen });
      } catch (error) {
        if (error instanceof Refusal && error.field === 'currentPassword') {
          const { data } = await call('GET', path);
          error.lockedUntil = data.lockedUntil;
        }
        throw error;
      }
      made.reset();
      announce(texts.passwordChanged);
      await whenChanged();
    },
    explain(refusal, values) {
      if (refusal.code === 'DIFFERENT') return { field: 'repeat-password', text: texts.passwordsDiffer };
      if (refusal.field === 'currentPassword') {
        const { lockedUntil } = refusal;
        const text = lockedUntil === null ? texts.wrongPassword : texts.lockedUntil(timeText(lockedUntil));
        return { field: 'current-password', text };
      }
      if (refusal.field !== 'password') return null;
      return { field: 'new-password', text: brokenRules(rules, values.get('new-password')) };
    },
  });
  return element('section', attributes, heading, change);
}

function passwordField(id, label, attributes) {
  return field(label, { id, type: 'password', ...attributes });
}

function newPasswordAttributes(rules) {
  return {
    autocomplete: 'new-password',
    'aria-describedby': 'password-rules',
    // For the generators of password managers.
    passwordrules: `minlength: ${rules.minLength};${rules.requireMixedCase ? ' required: upper; required: lower;' : ''}${
      rules.requireNumberChar ? ' required: digit;' : ''
    }`,
  };
}

/** The rules in words, each with a test of what can be told without the server. */
function rulesOf(rules) {
  const all = [
    [true, texts.ruleLength(rules.minLength), (text) => [...text].length >= rules.minLength],
    [rules.requireMixedCase, texts.ruleMixedCase, (text) => /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text)],
    [rules.requireNumberChar, texts.ruleNumber, (text) => /\p{Nd}/u.test(text)],
    [rules.requireSpecialChar, texts.ruleSpecial, (text) => /[^\p{L}\p{Nd}\s]/u.test(text)],
  ];
  const applying = all.filter(([applies]) => applies).map(([, text, isMet]) => ({ text, isMet }));
  return [...applying, { text: texts.ruleCommon, isMet: () => true }];
}

/** What the refused password lacks; when that cannot be told here, it is the rule that only the server checks. */
function brokenRules(rules, text) {
  const all = rulesOf(rules);
  const broken = all.filter(({ isMet }) => !isMet(text));
  const shown = broken.length === 0 ? all.slice(-1) : broken;
  return element('div', {}, element('p', {}, texts.passwordRefused), ruleList(shown));
}

function ruleList(rules) {
  return element('ul', {}, ...rules.map(({ text }) => element('li', {}, text)));
}
