import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';
import { type Application, destination } from './sign-in-ways.ts';

export interface SignedInPage {
  /** Path that the form posts to. */
  readonly action: string;
  readonly authRequestId: string;
  /** Which session the page is about: another one may have replaced it by the time the form is sent. */
  readonly sessionId: string;
  readonly name: string;
  readonly application: Application | null;
  /** Where to sign in with another account. */
  readonly otherAccount: string;
}

/** Says who is signed in, and asks whether to continue. Works without scripts. */
export function signedInPage(view: View, page: SignedInPage): Html {
  const { signedIn } = view.texts;
  return layout(view, {
    title: signedIn.heading,
    heading: signedIn.heading,
    lead: destination(view, page.application),
    content: html`<p>${signedIn.as(html`<strong id="signed-in-as">${page.name}</strong>`)}</p>
<form method="post" action="${page.action}">
<input type="hidden" name="authRequestId" value="${page.authRequestId}">
<input type="hidden" name="session" value="${page.sessionId}">
<button id="continue" type="submit">${signedIn.submit}</button>
</form>
<ul class="ways"><li><a id="other-account" class="button second" href="${page.otherAccount}">${signedIn.other}</a></li></ul>`,
  });
}
