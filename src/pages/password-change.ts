import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';
import { type LoginInProgress, loginForm, loginPaths, startOverLink } from './login-forms.ts';
import {
  newPasswordFields,
  type PasswordProblem,
  passwordProblemText,
  refusedForm,
  type ShownPasswordRules,
} from './new-password.ts';

/**
 * Asks for a new password, without which the login cannot be completed. Works without scripts.
 * @param problems why the last one was refused; empty at first
 */
export function passwordChangePage(
  view: View,
  login: LoginInProgress,
  { rules, problems }: { rules: ShownPasswordRules; problems: readonly PasswordProblem[] },
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
  html`${newPasswordFields(view, { label: invite.password, rules }, problems)}
<button id="change-password" type="submit">${passwordChange.submit}</button>`,
)}
${startOverLink(view, login)}`,
  });
}
