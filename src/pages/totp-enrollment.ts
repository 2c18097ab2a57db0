import { type Html, html } from './html.ts';
import { failureSummary, layout, type View } from './layout.ts';
import { type LoginInProgress, loginForm, loginPaths, startOverLink } from './login-forms.ts';
import { qrCode } from './qr-code.ts';
import { codeField, recoveryField, wrongCode } from './totp.ts';

/** Says that an authenticator app must be set up, and begins that. */
export function enrollmentIntroPage(view: View, login: LoginInProgress): Html {
  const { enrollment, signIn, errorTitle } = view.texts;
  const { failure } = login;
  return layout(view, {
    title:
      failure === null
        ? `${enrollment.heading} - ${signIn.title}`
        : `${errorTitle(enrollment.goneTitle)} - ${enrollment.heading}`,
    heading: enrollment.heading,
    lead: enrollment.step(1),
    content: html`${failure !== null && failureSummary(view, failure, { what: enrollment.gone })}
<p>${enrollment.why}</p>
<p>${enrollment.install}</p>
${loginForm(login, loginPaths.enroll, html`<button id="start-enrollment" type="submit">${enrollment.start}</button>`)}
${startOverLink(view, login)}`,
  });
}

/**
 * Offers to set up the app anew to a person who has used a recovery code, and begins that with another one. Without
 * another one it says who can help.
 */
export function newAppPage(view: View, login: LoginInProgress, recoveryCodesLeft: number): Html {
  const { enrollment, newApp, code, signIn, errorTitle } = view.texts;
  const { failure } = login;
  const isPossible = recoveryCodesLeft > 0;
  return layout(view, {
    title:
      failure === null
        ? `${newApp.heading} - ${signIn.title}`
        : `${errorTitle(code.failedTitle)} - ${newApp.heading}`,
    heading: newApp.heading,
    hasHelp: true,
    content: html`${failure !== null && failureSummary(view, failure, { what: newApp.wrong })}
${
  isPossible
    ? html`<p class="lead">${enrollment.step(1)}</p>
<p>${newApp.why}</p>
<p>${enrollment.install}</p>
${loginForm(
  login,
  loginPaths.enroll,
  html`${recoveryField(newApp.another, newApp.anotherHint)}
<button id="start-enrollment" type="submit">${newApp.start}</button>`,
)}`
    : html`<p>${newApp.noneLeft}</p>`
}
${cancelForm(login, isPossible ? newApp.later : code.submit)}`,
  });
}

/**
 * Shows the secret, which is shown again only if it replaces another app: QR code, the same in letters, recovery codes,
 * and the form for the first code.
 */
export function enrollmentPage(
  view: View,
  login: LoginInProgress,
  page: {
    readonly provisioningUrl: string;
    readonly recoveryCodes: readonly string[];
    /** In place of another app. */
    readonly replaces: boolean;
  },
): Html {
  const { enrollment, newApp, keep, signIn, code, errorTitle } = view.texts;
  const { provisioningUrl, recoveryCodes, replaces } = page;
  const { failure } = login;
  const heading = replaces ? newApp.heading : enrollment.heading;
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  const codesWhy = enrollment.codesWhy(...namesIn(provisioningUrl));
  const picture = qrCode(provisioningUrl, enrollment.picture);
  return layout(view, {
    title: `${failure === null ? heading : errorTitle(code.failedTitle)} - ${failure === null ? signIn.title : heading}`,
    heading,
    content: html`${failure !== null && wrongCode(view, failure)}
<p class="lead">${enrollment.step(2)}</p>
<h2>${enrollment.add}</h2>
${
  picture !== null &&
  html`<p>${enrollment.scan}</p>
${picture}`
}
<p>${picture === null ? enrollment.type : enrollment.orType} <code id="secret" class="secret">${groupsOfFour(secret)}</code></p>
<p class="tools"><a id="open-app" href="${provisioningUrl}">${enrollment.openApp}</a>
${copyButton(view, secret, enrollment.copyKey)}</p>
<section class="print">
<h2>${enrollment.saveCodes}</h2>
<p>${codesWhy}</p>
<ul id="recovery-codes" class="codes">${recoveryCodes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="tools">${copyButton(view, recoveryCodes.join('\n'), keep.copy)}
<a id="download-codes" href="${codesFile(codesWhy, recoveryCodes)}" download="${enrollment.fileName}">${keep.download}</a>
<button type="button" class="link" data-prints hidden>${keep.print}</button></p>
</section>
<p class="lead">${enrollment.step(3)}</p>
<h2>${enrollment.confirm}</h2>
${loginForm(
  login,
  loginPaths.verify,
  html`<p class="check"><label><input id="saved" name="saved" type="checkbox" value="yes" required> ${enrollment.saved}</label></p>
${codeField(view, false, failure !== null)}
<button id="verify" type="submit">${enrollment.verify}</button>`,
)}
${cancelForm(login, replaces ? newApp.later : enrollment.cancel)}`,
  });
}

/** Asks for the first code again. The secret was shown only once, so a person who did not keep it starts again. */
export function enrollmentConfirmPage(view: View, login: LoginInProgress): Html {
  const { enrollment, code, errorTitle, startAgain } = view.texts;
  const { failure } = login;
  return layout(view, {
    title: `${failure === null ? enrollment.confirm : errorTitle(code.failedTitle)} - ${enrollment.heading}`,
    heading: enrollment.confirmHeading,
    content: html`${failure !== null && wrongCode(view, failure)}
<p>${enrollment.confirmLead}</p>
${loginForm(
  login,
  loginPaths.verify,
  html`${codeField(view, failure === null, failure !== null)}
<button id="verify" type="submit">${enrollment.verify}</button>`,
)}
<p>${enrollment.confirmElse}</p>
${cancelForm(login, startAgain)}`,
  });
}

function cancelForm(login: LoginInProgress, label: string): Html {
  const button = html`<button id="cancel-enrollment" class="quiet" type="submit">${label}</button>`;
  return loginForm(login, loginPaths.cancelEnrollment, button);
}

/** Only with scripts. */
function copyButton({ texts }: View, text: string, label: string): Html {
  return html`<button type="button" class="link" data-copies="${text}" data-done="${texts.keep.copied}" data-refused="${texts.keep.notCopied}" hidden>${label}</button>`;
}

/** The account and the server, as the app lists them: several sheets of codes stay apart. */
function namesIn(provisioningUrl: string): [account: string, server: string] {
  const label = decodeURIComponent(new URL(provisioningUrl).pathname.replace(/^\/*(?:totp\/)?/, ''));
  const end = label.indexOf(':');
  return [label.slice(end + 1), label.slice(0, end)];
}

/** The codes as a file, without a script, and without a request that a proxy could store. */
function codesFile(codesWhy: string, codes: readonly string[]): string {
  const text = `${codesWhy}\n\n${codes.join('\n')}\n`;
  return `data:text/plain;charset=utf-8,${encodeURIComponent(text.toWellFormed())}`;
}

function groupsOfFour(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}
