import { referenceLine } from './failure.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import {
  newPasswordFields,
  type PasswordProblem,
  passwordProblemText,
  refusedForm,
  type ShownPasswordRules,
} from './new-password.ts';
import type { Texts } from './texts/en.ts';
import type { View } from './view.ts';

export interface InviteForm {
  /** Path that the form posts to. */
  readonly action: string;
  /** The one-time token of the link. Whoever has it may choose the password, so it also protects the form. */
  readonly token: string;
  /** The user name that the person will sign in with. */
  readonly username: string;
  /** Whether it replaces an existing password. */
  readonly isReset: boolean;
  /** Path of the script that then signs the person in to the account page; null if that page is not served. */
  readonly scriptPath: string | null;
  readonly rules: ShownPasswordRules;
  /** Why the last attempt was refused; empty at first. */
  readonly problems: readonly PasswordProblem[];
  readonly referenceId: string;
}

/**
 * Chooses a password. Works without scripts; with them the person is signed in afterwards: the script begins the login
 * of the account page, and the form includes what the server needs to finish it.
 */
export function invitePage(view: View, form: InviteForm): Html {
  const { action, token, username, isReset, scriptPath, rules, problems, referenceId } = form;
  const { invite, signIn, errorTitle } = view.texts;
  const { heading, lead } = isReset ? invite.reset : invite.first;
  const isRefused = problems.length > 0;
  const reasons = problems.map((problem) => passwordProblemText(view, problem, rules.shortest));
  return layout(view, {
    title: isRefused ? `${errorTitle(invite.failedTitle)} - ${heading}` : heading,
    heading,
    lead: lead(view.look.name),
    scripts: true,
    ...(scriptPath === null ? {} : { furtherScriptPath: scriptPath }),
    content: html`${isRefused && refusedForm(view, { what: invite.notSet, reasons, referenceId })}
<form id="choose-password" method="post" action="${action}">
<input type="hidden" name="t" value="${token}">
<div class="field"><label for="username">${signIn.username}</label>
<input id="username" name="username" value="${username}" autocomplete="username" readonly></div>
${newPasswordFields(view, { label: invite.password, rules }, problems)}
<button id="choose" type="submit">${scriptPath === null ? invite.submitOnly : invite.submit}</button>
</form>`,
  });
}

/** The password is set, and nobody is signed in. @param accountPath null if the account page is not served */
export function invitedPage(
  view: View,
  { username, accountPath }: { readonly username: string; readonly accountPath: string | null },
): Html {
  const { invite } = view.texts;
  return layout(view, {
    title: invite.doneHeading,
    heading: invite.doneHeading,
    content: html`<p>${invite.done(html`<strong>${username}</strong>`)}</p>
${accountPath === null ? html`<p>${invite.goOn}</p>` : html`<p><a id="to-account" class="button" href="${accountPath}">${invite.toAccount}</a></p>`}`,
  });
}

export type DeadInvite = keyof Texts['invite']['dead'];

/** A link that does not work, why, and what to do. */
export function deadInvitePage(view: View, state: DeadInvite, referenceId: string): Html {
  const { invite, errorTitle } = view.texts;
  const { heading, text } = invite.dead[state];
  return layout(view, {
    title: errorTitle(heading),
    heading,
    content: html`<p role="alert">${text}</p>
<p>${invite.another}</p>
${referenceLine(view, referenceId)}`,
  });
}
