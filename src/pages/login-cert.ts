import { type Html, html } from './html.ts';
import { type Failure, failureSummary, layout, type View } from './layout.ts';
import { type LoginInProgress, loginForm, loginPaths } from './login-forms.ts';
import { destination, otherWays, type SignInWays } from './sign-in-ways.ts';

/**
 * Signs in with the certificate that the browser presents. Works without scripts.
 * @param isAskedFor whether the server asks browsers for a certificate at this address at all
 */
export function certificateLoginPage(
  view: View,
  login: LoginInProgress,
  { isAskedFor, ways }: { isAskedFor: boolean; ways: SignInWays },
): Html {
  const { signIn, certificate, errorTitle } = view.texts;
  const { failure } = login;
  return layout(view, {
    title: failure === null ? signIn.title : `${errorTitle(signIn.failedTitle)} - ${signIn.title}`,
    heading: signIn.title,
    lead: destination(view, login.application),
    hasHelp: true,
    content: html`${failure !== null && refusal(view, failure, isAskedFor)}
${
  isAskedFor
    ? html`<p>${certificate.lead}</p>
${loginForm(login, loginPaths.certificate, html`<button id="login" type="submit">${certificate.submit}</button>`)}`
    : failure === null && html`<p>${certificate.notAskedFor} ${certificate.elsewhere}</p>`
}
${otherWays(view, ways)}`,
  });
}

function refusal(view: View, failure: Failure, isAskedFor: boolean): Html {
  const { certificate } = view.texts;
  return isAskedFor
    ? failureSummary(view, failure, { what: certificate.refused, next: certificate.another })
    : failureSummary(view, failure, { what: certificate.notAskedFor, next: certificate.elsewhere });
}
