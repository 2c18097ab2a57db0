import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

export interface TotpPage {
  /** Path that the form posts to. */
  readonly action: string;
  readonly authRequestId: string;
  /** Address of the first step of this login. */
  readonly startOver: string;
  readonly failure: { readonly referenceId: string } | null;
}

/** Asks for a code of the authenticator app, or for a recovery code. Works without scripts. */
export function totpPage({ action, authRequestId, startOver, failure }: TotpPage): Html {
  return layout({
    title: failure === null ? 'One-time code - Sign in' : 'Error: wrong code - Sign in',
    heading: 'Enter your one-time code',
    content: html`${failure !== null && wrongCode(failure.referenceId)}
<form method="post" action="${action}">
<input type="hidden" name="authRequestId" value="${authRequestId}">
${codeField(failure !== null)}
<p><button id="submit-code" type="submit">Continue</button></p>
</form>
<details>
<summary>Use a recovery code instead</summary>
<form method="post" action="${action}">
<input type="hidden" name="authRequestId" value="${authRequestId}">
<p><label for="recovery-code">Recovery code</label>
<input id="recovery-code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required aria-describedby="recovery-hint"></p>
<p id="recovery-hint" class="hint">One of the codes that you saved when you set up the app, such as ABCDE-FGHIJ. Each works once.</p>
<p><button id="submit-recovery-code" type="submit">Continue with a recovery code</button></p>
</form>
</details>
<p><a href="${startOver}">Sign in as someone else</a></p>`,
  });
}

/** The one field for a code; nothing cuts off what is pasted with spaces. */
export function codeField(isRefused: boolean): Html {
  return html`<p><label for="code">Code from your authenticator app</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" required autofocus${isRefused && html` aria-invalid="true"`} aria-describedby="${isRefused && 'failure '}code-hint"></p>
<p id="code-hint" class="hint">Six digits, new every half minute. Each code works once.</p>`;
}

export function wrongCode(referenceId: string): Html {
  return html`<div id="failure" class="failure" role="alert">
<p>That code was not accepted. It may be mistyped, used before or too old, or there were too many tries.</p>
<p>Wait for the next code and try again. If it happens again, check the clock of your phone, or give this reference to an administrator: <code>${referenceId}</code></p>
</div>`;
}
