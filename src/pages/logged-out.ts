import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

/** The page at the end of a logout that leads nowhere else. */
export function loggedOutPage({ isSignedOut }: { readonly isSignedOut: boolean }): Html {
  if (isSignedOut) {
    return layout({
      title: 'Signed out',
      heading: 'You are signed out',
      content: html`<p>The session has ended. You can close this window.</p>`,
    });
  }
  return layout({
    title: 'Nothing to sign out of',
    heading: 'Nothing to sign out of',
    content: html`<p>The application did not say which session to end, and this server keeps none in your browser. Sign out in the application.</p>`,
  });
}
