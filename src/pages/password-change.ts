import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';
import {
  newPasswordFields,
  type PasswordProblem,
  passwordProblemText,
  refusedForm,
  type ShownPasswordRules,
} from './new-password.ts';

export interface PasswordChangePage {
  /** Path that the form posts to. */
  readonly action: string;
  readonly authRequestId: string;
  /** Address of the first step of this login. */
  readonly startOver: string;
  readonly rules: ShownPasswordRules;
  /** Why the last one was refused; empty at first. */
  readonly problems: readonly PasswordProblem[];
  readonly referenceId: string;
}

/** Asks for a new password, without which the login cannot be completed. Works without scripts. */
export function passwordChangePage(view: View, page: PasswordChangePage): Html {
  const { action, authRequestId, startOver, rules, problems, referenceId } = page;
  const { passwordChange, invite, signIn, errorTitle, signInAsSomeoneElse } = view.texts;
  const isRefused = problems.length > 0;
  const { heading } = passwordChange;
  const reasons = problems.map((problem) => passwordProblemText(view, problem, rules.shortest));
  return layout(view, {
    title: isRefused ? `${errorTitle(invite.failedTitle)} - ${heading}` : `${heading} - ${signIn.title}`,
    heading,
    lead: passwordChange.lead,
    scripts: true,
    content: html`${isRefused && refusedForm(view, { what: invite.notSet, reasons, referenceId })}
<form method="post" action="${action}">
<input type="hidden" name="authRequestId" value="${authRequestId}">
${newPasswordFields(view, { label: invite.password, rules }, problems)}
<button id="change-password" type="submit">${passwordChange.submit}</button>
</form>
<p class="elsewhere"><a href="${startOver}">${signInAsSomeoneElse}</a></p>`,
  });
}
