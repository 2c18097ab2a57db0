import { type Html, html } from './html.ts';
import { failureSummary, layout, referenceLine, type View } from './layout.ts';
import {
  newPasswordFields,
  type PasswordProblem,
  passwordProblemText,
  refusedForm,
  type ShownPasswordRules,
  usernameShown,
} from './new-password.ts';
import { needsScript, newPasskeyForm, type PasskeyAddresses } from './passkey.ts';
import type { Texts } from './texts/languages.ts';

export interface InviteForm {
  /** Path that the form posts to. */
  readonly action: string;
  /** The one-time token of the link. Its holder may choose the password, so it also protects the form. */
  readonly token: string;
  /** The user name that the person will sign in with. */
  readonly username: string;
  /** Whether it replaces an existing password, and whether the person has asked for that. */
  readonly purpose: 'first' | 'reset' | 'forgotten';
  /** Path of the script that then signs the person in to the account page; null if that page is not served. */
  readonly scriptPath: string | null;
  /** Null: the policy allows no passwords. */
  readonly rules: ShownPasswordRules | null;
  /** Null: it allows no passkeys, or none works at this address. */
  readonly passkey: PasskeyAddresses | null;
  /** Whether a passkey was refused. */
  readonly isPasskeyRefused: boolean;
  /** Why the last password was refused; empty at first. */
  readonly problems: readonly PasswordProblem[];
  readonly referenceId: string;
}

/**
 * Chooses a password, which works without scripts, or makes a passkey. With scripts the person is signed in with the
 * password afterwards: the script begins the login of the account page, and the form includes what the server needs to
 * finish it.
 */
export function invitePage(view: View, form: InviteForm): Html {
  const { purpose, scriptPath, rules, passkey, isPasskeyRefused, problems, referenceId } = form;
  const { invite, errorTitle, passkey: words } = view.texts;
  const { heading, lead } = rules === null ? invite.onlyPasskey : invite[purpose];
  const isRefused = problems.length > 0;
  const title = isPasskeyRefused ? words.failedTitle : invite.failedTitle;
  return layout(view, {
    title: isRefused || isPasskeyRefused ? `${errorTitle(title)} - ${heading}` : heading,
    heading,
    lead: lead(view.look.name),
    ...(scriptPath === null ? {} : { furtherScriptPath: scriptPath }),
    content: html`${isPasskeyRefused && failureSummary(view, { referenceId }, { what: words.notSetUp })}
${rules !== null && passwordForm(view, form, rules)}
${passkey !== null && passkeyPart(view, form, passkey)}
${rules === null && passkey === null && html`<p role="alert">${words.problems.insecure}</p>`}`,
  });
}

function passwordForm(view: View, form: InviteForm, rules: ShownPasswordRules): Html {
  const { action, token, username, scriptPath, problems, referenceId } = form;
  const { invite } = view.texts;
  const reasons = problems.map((problem) => passwordProblemText(view, problem, rules.shortest));
  return html`${problems.length > 0 && refusedForm(view, { what: invite.notSet, reasons, referenceId })}
<form id="choose-password" method="post" action="${action}">
<input type="hidden" name="t" value="${token}">
${usernameShown(view, username)}
${newPasswordFields(view, { label: invite.password, rules }, problems)}
<button id="choose" type="submit">${scriptPath === null ? invite.submitOnly : invite.submit}</button>
</form>`;
}

/** Below the password, if there is one to choose. */
function passkeyPart(view: View, { rules, purpose }: InviteForm, passkey: PasskeyAddresses): Html {
  const { or, invite } = view.texts;
  return html`${rules === null && needsScript(view)}
<div hidden>
${rules !== null && html`<p class="or"><span>${or}</span></p>`}
<p>${invite.withPasskey}${purpose !== 'first' && html` ${invite.replacesPassword}`}</p>
${newPasskeyForm(view, passkey, rules !== null)}
</div>`;
}

/** The invitation is used; the browser is not signed in. @param done.accountPath null if there is no account page */
export function invitedPage(
  view: View,
  done: { username: string; accountPath: string | null; chosen: 'password' | 'passkey' },
): Html {
  const { username, accountPath, chosen } = done;
  const { invite } = view.texts;
  const heading = invite.doneHeading[chosen];
  return layout(view, {
    title: heading,
    heading,
    content: html`<p>${invite.done(html`<strong>${username}</strong>`)}</p>
${accountPath === null ? html`<p>${invite.goOn}</p>` : toAccount(view, accountPath)}`,
  });
}

function toAccount({ texts: { invite } }: View, path: string): Html {
  return html`<p><a id="to-account" class="button" href="${path}">${invite.toAccount}</a></p>`;
}

export type DeadInvite = keyof Texts['invite']['dead'];

/** A link that does not work, why, and what to do. */
export function deadInvitePage(
  view: View,
  {
    state,
    accountPath,
    forgottenPath,
  }: { state: DeadInvite; accountPath: string | null; forgottenPath: string | null },
  referenceId: string,
): Html {
  const { invite, forgotten, errorTitle } = view.texts;
  const { heading, text } = invite.dead[state];
  return layout(view, {
    title: errorTitle(heading),
    heading,
    content: html`<p role="alert">${text}</p>
${state === 'unknown' && accountPath !== null && html`<p>${invite.usedIt}</p>${toAccount(view, accountPath)}`}
<p>${invite.another}</p>
${forgottenPath !== null && html`<p>${invite.askAgain(html`<a href="${forgottenPath}">${forgotten.askAgain}</a>`)}</p>`}
${referenceLine(view, referenceId)}`,
  });
}
