// Passkeys on the pages of a login. The browser gives them to scripts only: without one, the page says what to do, or
// offers the other ways.

import { type Html, html } from './html.ts';
import { describedBy, failureSummary, layout, type View } from './layout.ts';
import { type LoginInProgress, startOverLink } from './login-forms.ts';

/** Where the script gets the challenge for the authenticator, and where the form sends the answer. */
export interface PasskeyAddresses {
  readonly options: string;
  readonly action: string;
  /** The login, or the one-time token of an invitation; it is sent with both requests. */
  readonly of: { readonly name: 'authRequestId' | 't'; readonly value: string };
}

/** "Sign in with a passkey", and a line to the ways below it; web/pages.js shows it, and says where. */
export function passkeyFirst(view: View, addresses: PasskeyAddresses): Html {
  const { or, passkey } = view.texts;
  const button = html`<button id="use-passkey" type="submit">${passkey.use}</button>`;
  return html`<div class="passkey" hidden>
${passkeyForm(view, addresses, { kind: 'first', content: button })}
<p class="or"><span>${or}</span></p>
</div>`;
}

/** Asks for a passkey after another proof. */
export function passkeyPage(view: View, login: LoginInProgress, addresses: PasskeyAddresses): Html {
  const { passkey, signIn, errorTitle } = view.texts;
  const { failure } = login;
  const button = html`<button id="use-passkey" type="submit">${passkey.confirm}</button>`;
  return layout(view, {
    title: `${failure === null ? passkey.title : errorTitle(passkey.failedTitle)} - ${signIn.title}`,
    heading: passkey.heading,
    hasHelp: true,
    content: html`${failure !== null && failureSummary(view, failure, { what: passkey.refused, next: passkey.another })}
<p>${passkey.lead}</p>
${needsScript(view)}
<div hidden>${passkeyForm(view, addresses, { kind: 'second', content: button })}</div>
${startOverLink(view, login)}`,
  });
}

/** Makes the passkey that the policy requires. */
export function passkeySetUpPage(view: View, login: LoginInProgress, addresses: PasskeyAddresses): Html {
  const { passkey, signIn, errorTitle } = view.texts;
  const { failure } = login;
  const heading = passkey.setUpHeading;
  return layout(view, {
    title:
      failure === null ? `${heading} - ${signIn.title}` : `${errorTitle(passkey.failedTitle)} - ${heading}`,
    heading,
    content: html`${failure !== null && failureSummary(view, failure, { what: passkey.notSetUp })}
<p>${passkey.why}</p>
${needsScript(view)}
<div hidden>${newPasskeyForm(view, addresses, false)}</div>
${startOverLink(view, login)}`,
  });
}

/** A name for the new passkey, and the button. @param isSecond whether another way stands above */
export function newPasskeyForm(view: View, addresses: PasskeyAddresses, isSecond: boolean): Html {
  const { passkey } = view.texts;
  return passkeyForm(view, addresses, {
    kind: 'new',
    content: html`<div class="field"><label for="passkey-name">${passkey.name}</label>
<input id="passkey-name" name="name" maxlength="100" autocomplete="off" required${describedBy(false, 'passkey-name-hint')}>
<p id="passkey-name-hint" class="hint">${passkey.nameHint}</p></div>
<button id="create-passkey"${isSecond && html` class="second"`} type="submit">${passkey.create}</button>`,
  });
}

/** @param form `kind`: what web/pages.js does with it; it then fills in `response` */
function passkeyForm(
  { texts }: View,
  { options, action, of }: PasskeyAddresses,
  { kind, content }: { readonly kind: 'first' | 'second' | 'new'; readonly content: Html },
): Html {
  const { cancelledFirst, cancelled, cancelledNew, known, insecure, failed } = texts.passkey.problems;
  const none = { first: cancelledFirst, second: cancelled, new: cancelledNew }[kind];
  return html`<form method="post" action="${action}" data-passkey="${kind}" data-options="${options}" data-cancelled="${none}" data-known="${known}" data-insecure="${insecure}" data-failed="${failed}">
<p class="failure" role="alert" hidden></p>
<input type="hidden" name="${of.name}" value="${of.value}">
<input type="hidden" name="response">
${content}
</form>`;
}

/** Hidden where a script has passkeys to offer. */
export function needsScript({ texts }: View): Html {
  return html`<p data-without-passkey>${texts.passkey.needsScript}</p>`;
}
