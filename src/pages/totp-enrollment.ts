import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import { qrCode } from './qr-code.ts';
import { codeField, wrongCode } from './totp.ts';

/** Where the forms of an enrolment post to. */
export interface EnrollmentActions {
  readonly authRequestId: string;
  readonly start: string;
  readonly verify: string;
  readonly cancel: string;
  /** Address of the first step of this login. */
  readonly startOver: string;
}

const heading = 'Set up an authenticator app';

/** Says that an app has to be set up, and begins it. */
export function enrollmentIntroPage(
  actions: EnrollmentActions,
  failure: { readonly referenceId: string } | null,
): Html {
  return layout({
    title: failure === null ? `${heading} - Sign in` : `Error: start again - ${heading}`,
    heading,
    content: html`${failure !== null && nothingBegun(failure.referenceId)}
<p>Your account needs a second step when you sign in: a code that an app on your phone shows.</p>
<p>Step 1 of 3: install an authenticator app, if you have none. Any app that shows one-time codes will do.</p>
<form method="post" action="${actions.start}">
${hiddenId(actions)}
<p><button id="start-enrollment" type="submit">I have an app: continue</button></p>
</form>
<p><a href="${actions.startOver}">Sign in as someone else</a></p>`,
  });
}

/** The secret, this once: QR code, the same in letters, recovery codes, and the form for the first code. */
export function enrollmentPage(
  actions: EnrollmentActions,
  provisioning: { readonly provisioningUrl: string; readonly recoveryCodes: readonly string[] },
): Html {
  const { provisioningUrl, recoveryCodes } = provisioning;
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  const picture = qrCode(provisioningUrl, 'QR code for your authenticator app; the key below says the same');
  return layout({
    title: `${heading} - Sign in`,
    heading,
    content: html`<h2>Step 2 of 3: add this account to the app</h2>
${
  picture !== null &&
  html`<p>Scan this picture with the app:</p>
${picture}`
}
<p>${picture === null ? 'Type' : 'Or type'} this key into the app: <code id="secret" class="secret">${groupsOfFour(secret)}</code></p>
<p><a id="open-app" href="${provisioningUrl}">Open the app on this device</a></p>
<h2>Save your recovery codes</h2>
<p>Each of them replaces the app once, if you lose it. They are not shown again.</p>
<ul id="recovery-codes" class="codes">${recoveryCodes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<h2>Step 3 of 3: confirm</h2>
<form method="post" action="${actions.verify}">
${hiddenId(actions)}
<p><label><input id="saved" name="saved" type="checkbox" value="yes" required> I have saved the recovery codes</label></p>
${codeField(false)}
<p><button id="verify" type="submit">Confirm and sign in</button></p>
</form>
${cancelForm(actions, 'Cancel')}`,
  });
}

/** Asks for the first code again. The secret was shown once, so whoever did not keep it starts again. */
export function enrollmentConfirmPage(
  actions: EnrollmentActions,
  failure: { readonly referenceId: string } | null,
): Html {
  return layout({
    title: failure === null ? `Confirm - ${heading}` : `Error: wrong code - ${heading}`,
    heading: 'Confirm the authenticator app',
    content: html`${failure !== null && wrongCode(failure.referenceId)}
<p>You have begun to set up an app. If the account is in the app, enter the code that it shows now.</p>
<form method="post" action="${actions.verify}">
${hiddenId(actions)}
${codeField(failure !== null)}
<p><button id="verify" type="submit">Confirm and sign in</button></p>
</form>
<p>If it is not, or if you did not save the recovery codes, start again: you get a new picture and new codes.</p>
${cancelForm(actions, 'Start again')}`,
  });
}

function hiddenId({ authRequestId }: EnrollmentActions): Html {
  return html`<input type="hidden" name="authRequestId" value="${authRequestId}">`;
}

function cancelForm(actions: EnrollmentActions, label: string): Html {
  return html`<form method="post" action="${actions.cancel}">
${hiddenId(actions)}
<p><button id="cancel-enrollment" class="quiet" type="submit">${label}</button></p>
</form>`;
}

function nothingBegun(referenceId: string): Html {
  return html`<div id="failure" class="failure" role="alert">
<p>This set-up is not open any more: it was cancelled, or finished in another window.</p>
<p>Start again. If it happens again, give this reference to an administrator: <code>${referenceId}</code></p>
</div>`;
}

function groupsOfFour(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}
