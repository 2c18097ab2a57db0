import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';
import { type LoginInProgress, loginForm, loginPaths } from './login-forms.ts';
import { destination } from './sign-in-ways.ts';

/**
 * Names the signed-in person, and asks whether to continue. Works without scripts.
 * @param sessionId which session it is about: another one may have replaced it by the time the form is sent
 */
export function signedInPage(
  view: View,
  login: LoginInProgress,
  { sessionId, name }: { sessionId: string; name: string },
): Html {
  const { signedIn } = view.texts;
  return layout(view, {
    title: signedIn.heading,
    heading: signedIn.heading,
    lead: destination(view, login.application),
    content: html`<p>${signedIn.as(html`<strong id="signed-in-as">${name}</strong>`)}</p>
${loginForm(
  login,
  loginPaths.continue,
  html`<input type="hidden" name="session" value="${sessionId}">
<button id="continue" type="submit">${signedIn.submit}</button>`,
)}
<ul class="ways"><li><a id="other-account" class="button second" href="${login.startOver}">${signedIn.other}</a></li></ul>`,
  });
}
