import { type Html, html } from './html.ts';
import { describedBy, type Failure, failureSummary, layout, type View } from './layout.ts';
import { type LoginInProgress, loginForm, loginPaths } from './login-forms.ts';
import { type PasskeyAddresses, passkeyFirst } from './passkey.ts';
import { destination, otherWays, type SignInWays } from './sign-in-ways.ts';

interface LoginPage {
  /** The user name typed before, shown again after a refusal so that it need not be typed twice (WCAG 3.3.7). */
  readonly username: string;
  readonly ways: SignInWays;
  /** Where people who have forgotten the password ask for a mail; null: nowhere. */
  readonly forgottenPath: string | null;
  /** Null where no policy allows passkeys. */
  readonly passkey: PasskeyAddresses | null;
  /** The refused proof, if there is one. */
  readonly refused: 'password' | 'passkey';
}

/** Signs in with user name and password, or with a passkey if scripts run. Works without scripts. */
export function loginPage(view: View, login: LoginInProgress, page: LoginPage): Html {
  const { authRequestId, failure } = login;
  const { username } = page;
  const { signIn, passkey, forgotten, errorTitle } = view.texts;
  const isRefused = failure !== null && page.refused === 'password';
  return layout(view, {
    title: failure !== null ? `${errorTitle(signIn.failedTitle)} - ${signIn.title}` : signIn.title,
    heading: signIn.title,
    lead: destination(view, login.application),
    hasHelp: true,
    content: html`${failure !== null && failureSummary(view, failure, isRefused ? { what: signIn.wrongPassword } : { what: passkey.refused, next: passkey.another })}
${page.passkey !== null && passkeyFirst(view, page.passkey)}
<form id="with-password" method="post" action="${loginPaths.password}">
<input type="hidden" name="authRequestId" value="${authRequestId}">
<div class="field"><label for="username">${signIn.username}</label>
<input id="username" name="username" value="${username}" autocomplete="username${page.passkey !== null && ' webauthn'}" autocapitalize="none" spellcheck="false" required${describedBy(isRefused, null)}></div>
${passwordField(view, { id: 'password', label: signIn.password, autocomplete: 'current-password', attributes: describedBy(isRefused, null) })}
<button id="login" type="submit">${signIn.submit}</button>
</form>
${page.forgottenPath !== null && html`<p id="forgotten" class="elsewhere"><a href="${page.forgottenPath}">${forgotten.link}</a></p>`}
${otherWays(view, page.ways)}`,
  });
}

/** A password field, with a button that shows the password if scripts run. */
export function passwordField(
  { texts }: View,
  field: {
    readonly id: string;
    readonly label: string;
    readonly autocomplete: 'current-password' | 'new-password';
    /** Further attributes of the input. */
    readonly attributes: Html;
    /** Below the input. */
    readonly hint?: Html;
  },
): Html {
  const { id, label, autocomplete, attributes, hint } = field;
  return html`<div class="field"><label for="${id}">${label}</label>
<input id="${id}" name="${id}" type="password" autocomplete="${autocomplete}" required${attributes}>
${hint}
<p class="hint" data-caps-lock="${id}" role="status" hidden>${texts.signIn.capsLock}</p>
<button type="button" class="link" data-shows="${id}" aria-pressed="false" hidden>${texts.signIn.showPassword}</button></div>`;
}

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
