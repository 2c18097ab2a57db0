import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';
import { type Application, destination } from './sign-in-ways.ts';

export interface LogOutQuestion {
  /** Path that the form posts to. */
  readonly action: string;
  /** Where it leads; `none` if it leads nowhere. */
  readonly application: Application | null | 'none';
  /** Hidden fields, by name. */
  readonly fields: readonly (readonly [string, string])[];
}

/** Asks whether to sign out, and to continue to the application that wants it. Works without scripts. */
export function logOutQuestionPage(view: View, { action, application, fields }: LogOutQuestion): Html {
  const { signOutQuestion } = view.texts;
  const isPlain = application === 'none';
  return layout(view, {
    title: signOutQuestion.heading,
    heading: signOutQuestion.heading,
    lead: isPlain ? undefined : destination(view, application),
    content: html`<p>${isPlain ? signOutQuestion.plainText : signOutQuestion.text}</p>
<form method="post" action="${action}">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button id="sign-out" type="submit">${isPlain ? signOutQuestion.plainSubmit : signOutQuestion.submit}</button>
</form>`,
  });
}

interface LoggedOut {
  readonly isSignedOut: boolean;
  /** Where people see their other sessions; null if that page is not served. */
  readonly accountPath: string | null;
}

/** The page after a logout that leads nowhere else. */
export function loggedOutPage(view: View, { isSignedOut, accountPath }: LoggedOut): Html {
  const { signedOut } = view.texts;
  const heading = isSignedOut ? signedOut.heading : signedOut.nothingHeading;
  const content = html`<p>${isSignedOut ? signedOut.text : signedOut.nothing}</p>
${accountPath !== null && html`<p><a id="to-account" href="${accountPath}">${signedOut.toAccount}</a></p>`}`;
  return layout(view, { title: heading, heading, content });
}
