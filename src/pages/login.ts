import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

export interface LoginPage {
  /** Path that the form posts to. */
  readonly action: string;
  readonly authRequestId: string;
  /** What was typed before; shown again after a refusal, so that nobody types it twice (WCAG 3.3.7). */
  readonly username: string;
  readonly failure: { readonly referenceId: string } | null;
}

/** Sign in with user name and password. Works without scripts. */
export function loginPage({ action, authRequestId, username, failure }: LoginPage): Html {
  return layout({
    title: failure === null ? 'Sign in' : 'Error: not signed in - Sign in',
    heading: 'Sign in',
    content: html`${failure !== null && refusal(failure.referenceId)}
<form method="post" action="${action}">
<input type="hidden" name="authRequestId" value="${authRequestId}">
<p><label for="username">User name</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required${describedBy(failure)}></p>
<p><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${describedBy(failure)}></p>
<p><button id="login" type="submit">Sign in</button></p>
</form>`,
  });
}

function refusal(referenceId: string): Html {
  return html`<div id="failure" class="failure" role="alert">
<p>The user name or the password is not right, or this account cannot sign in this way.</p>
<p>Try again. If it happens again, give this reference to an administrator: <code>${referenceId}</code></p>
</div>`;
}

function describedBy(failure: LoginPage['failure']): Html {
  return failure === null ? html`` : html` aria-invalid="true" aria-describedby="failure"`;
}
