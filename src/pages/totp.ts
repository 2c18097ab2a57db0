import { type Html, html } from './html.ts';
import { describedBy, type Failure, failureSummary, layout, type View } from './layout.ts';
import { type LoginInProgress, loginForm, loginPaths, startOverLink } from './login-forms.ts';

/** Asks for a code of the authenticator app, or for a recovery code. Works without scripts. */
export function totpPage(view: View, login: LoginInProgress): Html {
  const { code, signIn, errorTitle } = view.texts;
  const { failure } = login;
  return layout(view, {
    title: `${failure === null ? code.title : errorTitle(code.failedTitle)} - ${signIn.title}`,
    heading: code.heading,
    hasHelp: true,
    content: html`${failure !== null && wrongCode(view, failure)}
${loginForm(
  login,
  loginPaths.totp,
  html`${codeField(view, failure === null, failure !== null)}
<button id="submit-code" type="submit">${code.submit}</button>`,
)}
<details>
<summary>${code.useRecovery}</summary>
${loginForm(
  login,
  loginPaths.totp,
  html`${recoveryField(code.recoveryLabel, code.recoveryHint)}
<button id="submit-recovery-code" class="second" type="submit">${code.recoverySubmit}</button>
<button id="set-up-app" class="quiet" type="submit" name="setUpApp" value="yes">${code.recoveryNewApp}</button>
<p>${code.neither}</p>`,
)}
</details>
${startOverLink(view, login)}`,
  });
}

/** The one field for a code; it does not cut off what is pasted with spaces. */
export function codeField({ texts }: View, hasFocus: boolean, isRefused: boolean): Html {
  return html`<div class="field"><label for="code">${texts.code.label}</label>
<input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" required${hasFocus && html` autofocus`}${describedBy(isRefused, 'code-hint')}>
<p id="code-hint" class="hint">${texts.code.hint}</p></div>`;
}

/** The field for a recovery code. @param hint what may be entered, and why */
export function recoveryField(label: string, hint: string): Html {
  return html`<div class="field"><label for="recovery-code">${label}</label>
<input id="recovery-code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required aria-describedby="recovery-hint">
<p id="recovery-hint" class="hint">${hint}</p></div>`;
}

export function wrongCode(view: View, failure: Failure): Html {
  const { code } = view.texts;
  return failureSummary(view, failure, { what: code.wrong, next: code.whatNext });
}
