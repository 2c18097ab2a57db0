import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import { destination } from './sign-in-ways.ts';
import type { View } from './view.ts';

export interface LogOutQuestion {
  /** Path that the form posts to. */
  readonly action: string;
  /** Host of the application that asks; null for one on the visitor's own device. */
  readonly application: string | null;
  /** Hidden fields, by name. */
  readonly fields: readonly (readonly [string, string])[];
}

/** Asks whether to sign out and go on to the application. Works without scripts. */
export function logOutQuestionPage(view: View, { action, application, fields }: LogOutQuestion): Html {
  const { signOutQuestion } = view.texts;
  return layout(view, {
    title: signOutQuestion.heading,
    heading: signOutQuestion.heading,
    lead: destination(view, application),
    content: html`<p>${signOutQuestion.text}</p>
<form method="post" action="${action}">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button id="sign-out" type="submit">${signOutQuestion.submit}</button>
</form>`,
  });
}

interface LoggedOut {
  readonly isSignedOut: boolean;
  /** Where people see their other sessions; null where that is not served. */
  readonly accountPath: string | null;
}

/** The page at the end of a logout that leads nowhere else. */
export function loggedOutPage(view: View, { isSignedOut, accountPath }: LoggedOut): Html {
  const { signedOut } = view.texts;
  const heading = isSignedOut ? signedOut.heading : signedOut.nothingHeading;
  const content = html`<p>${isSignedOut ? signedOut.text : signedOut.nothing}</p>
${accountPath !== null && html`<p><a id="to-account" href="${accountPath}">${signedOut.toAccount}</a></p>`}`;
  return layout(view, { title: heading, heading, content });
}
