// The fields for choosing a password, and the reasons why one was refused: the same on every page.

import type { PasswordPolicy } from '../model/entities/auth-policy.ts';
import { type Html, html } from './html.ts';
import { describedBy, layout, referenceLine, type View } from './layout.ts';
import { passwordField } from './login.ts';
import { type LoginInProgress, loginForm, loginPaths, startOverLink } from './login-forms.ts';
import type { Texts } from './texts/languages.ts';

/** Why a password was refused. */
export type PasswordProblem = keyof Texts['newPassword']['problems'] | 'too-short';

/** The rules for the password. */
export interface ShownPasswordRules {
  readonly policy: PasswordPolicy;
  /** In characters. */
  readonly shortest: number;
}

/** Whose password it is, also for password managers. */
export function usernameShown({ texts }: View, username: string): Html {
  return html`<div class="field"><label for="username">${texts.signIn.username}</label>
<input id="username" name="username" value="${username}" autocomplete="username" readonly></div>`;
}

/** A new password, typed twice. @param problems of the last attempt; empty at first */
export function newPasswordFields(
  view: View,
  { label, rules }: { label: string; rules: ShownPasswordRules },
  problems: readonly PasswordProblem[],
): Html {
  const { newPassword } = view.texts;
  const isAboutRepetition = problems.includes('repeated');
  const isAboutPassword = problems.length > 0 && !isAboutRepetition;
  return html`${passwordField(view, {
    id: 'password',
    label,
    autocomplete: 'new-password',
    attributes: html` minlength="${rules.shortest}"${describedBy(isAboutPassword, 'password-hint')}`,
    hint: html`<p id="password-hint" class="hint">${rulesText(view, rules)} ${newPassword.advice}</p>`,
  })}
${passwordField(view, {
  id: 'repeated',
  label: newPassword.repeated,
  autocomplete: 'new-password',
  attributes: describedBy(isAboutRepetition, null),
})}`;
}

/** The reasons of a refusal, before everything else on the page. */
export function refusedForm(
  view: View,
  { what, reasons, referenceId }: { what: string; reasons: readonly string[]; referenceId: string },
): Html {
  return html`<div id="failure" class="failure" role="alert" tabindex="-1" autofocus>
<p><strong>${what}</strong></p>
<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
${referenceLine(view, referenceId)}
</div>`;
}

/** @param shortest minimum length of the password, in characters */
export function passwordProblemText({ texts }: View, problem: PasswordProblem, shortest: number): string {
  const { newPassword } = texts;
  return problem === 'too-short' ? newPassword.tooShort(shortest) : newPassword.problems[problem];
}

function rulesText({ texts: { newPassword } }: View, { policy, shortest }: ShownPasswordRules): string {
  return newPassword.atLeast(shortest, [
    ...(policy.requireMixedCase ? [newPassword.mixedCase] : []),
    ...(policy.requireNumberChar ? [newPassword.digit] : []),
    ...(policy.requireSpecialChar ? [newPassword.special] : []),
  ]);
}

/**
 * Asks for a new password, without which the login cannot be completed. Works without scripts.
 * @param problems why the last one was refused; empty at first
 */
export function passwordChangePage(
  view: View,
  login: LoginInProgress,
  {
    username,
    rules,
    problems,
  }: { username: string; rules: ShownPasswordRules; problems: readonly PasswordProblem[] },
): Html {
  const { referenceId } = login;
  const { passwordChange, invite, signIn, errorTitle } = view.texts;
  const isRefused = problems.length > 0;
  const { heading } = passwordChange;
  const reasons = problems.map((problem) => passwordProblemText(view, problem, rules.shortest));
  return layout(view, {
    title: isRefused ? `${errorTitle(invite.failedTitle)} - ${heading}` : `${heading} - ${signIn.title}`,
    heading,
    lead: passwordChange.lead,
    content: html`${isRefused && refusedForm(view, { what: invite.notSet, reasons, referenceId })}
${loginForm(
  login,
  loginPaths.passwordChange,
  html`${usernameShown(view, username)}
${newPasswordFields(view, { label: invite.password, rules }, problems)}
<button id="change-password" type="submit">${passwordChange.submit}</button>`,
)}
${startOverLink(view, login)}`,
  });
}
