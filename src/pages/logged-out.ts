import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import type { View } from './view.ts';

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
