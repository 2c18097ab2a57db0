import { type Html, html } from './html.ts';
import { type Failure, failureSummary, layout, type View } from './layout.ts';
import { type Application, destination, otherWays, type SignInWays } from './sign-in-ways.ts';

export interface CertificateLoginPage {
  /** Path that the form posts to. */
  readonly action: string;
  readonly authRequestId: string;
  readonly application: Application | null;
  /** Whether the server asks browsers for a certificate at this address at all. */
  readonly isAskedFor: boolean;
  readonly ways: SignInWays;
  readonly failure: Failure | null;
}

/** Signs in with the certificate that the browser presents. Works without scripts. */
export function certificateLoginPage(view: View, page: CertificateLoginPage): Html {
  const { signIn, certificate, errorTitle } = view.texts;
  const { failure, isAskedFor } = page;
  return layout(view, {
    title: failure === null ? signIn.title : `${errorTitle(signIn.failedTitle)} - ${signIn.title}`,
    heading: signIn.title,
    lead: destination(view, page.application),
    hasHelp: true,
    content: html`${failure !== null && refusal(view, failure, isAskedFor)}
${
  isAskedFor
    ? html`<p>${certificate.lead}</p>
<form method="post" action="${page.action}">
<input type="hidden" name="authRequestId" value="${page.authRequestId}">
<button id="login" type="submit">${certificate.submit}</button>
</form>`
    : failure === null && html`<p>${certificate.notAskedFor} ${certificate.elsewhere}</p>`
}
${otherWays(view, page.ways)}`,
  });
}

function refusal(view: View, failure: Failure, isAskedFor: boolean): Html {
  const { certificate } = view.texts;
  return isAskedFor
    ? failureSummary(view, failure, { what: certificate.refused, next: certificate.another })
    : failureSummary(view, failure, { what: certificate.notAskedFor, next: certificate.elsewhere });
}
