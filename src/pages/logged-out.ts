import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import type { View } from './view.ts';

/** The page at the end of a logout that leads nowhere else. */
export function loggedOutPage(view: View, { isSignedOut }: { readonly isSignedOut: boolean }): Html {
  const { signedOut } = view.texts;
  const heading = isSignedOut ? signedOut.heading : signedOut.nothingHeading;
  const content = html`<p>${isSignedOut ? signedOut.text : signedOut.nothing}</p>`;
  return layout(view, { title: heading, heading, content });
}
