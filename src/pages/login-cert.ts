import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

export interface CertificateLoginPage {
  /** Path that the form posts to. */
  readonly action: string;
  readonly authRequestId: string;
  /** Address of the page for user name and password, in the same login. */
  readonly otherWay: string;
  readonly failure: { readonly referenceId: string } | null;
}

/** Sign in with the certificate that the browser presents. Works without scripts. */
export function certificateLoginPage({
  action,
  authRequestId,
  otherWay,
  failure,
}: CertificateLoginPage): Html {
  return layout({
    title: failure === null ? 'Sign in' : 'Error: not signed in - Sign in',
    heading: 'Sign in',
    content: html`${failure !== null && refusal(failure.referenceId)}
<p>Your browser proves who you are with a certificate.</p>
<form method="post" action="${action}">
<input type="hidden" name="authRequestId" value="${authRequestId}">
<p><button id="login" type="submit">Continue with your certificate</button></p>
</form>
<p><a href="${otherWay}">Sign in with user name and password</a></p>`,
  });
}

function refusal(referenceId: string): Html {
  return html`<div id="failure" class="failure" role="alert">
<p>Your browser has no certificate for this service, or it was not accepted.</p>
<p>To choose another certificate, close the browser and open it again. If it happens again, give this reference to an administrator: <code>${referenceId}</code></p>
</div>`;
}
