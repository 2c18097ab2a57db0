// Common parts of the pages of a login: the login that they belong to, and the targets of their forms.

import { type Html, html } from './html.ts';
import type { Failure, View } from './layout.ts';
import type { Application } from './sign-in-ways.ts';

/** Where the steps of a login are answered, by forms and by programs. */
export const loginPaths = {
  password: '/oidc/login/username',
  certificate: '/oidc/login/cert',
  passwordChange: '/oidc/login/password-change',
  totp: '/oidc/login/totp',
  enroll: '/oidc/login/totp/enroll',
  verify: '/oidc/login/totp/enroll/verify',
  /** For forms, which cannot send DELETE. */
  cancelEnrollment: '/oidc/login/totp/enroll/cancel',
  continue: '/oidc/login/continue',
} as const;

/** The login that a page is part of. */
export interface LoginInProgress {
  readonly authRequestId: string;
  /** Where it leads. */
  readonly application: Application | null;
  /** Address of its first step. */
  readonly startOver: string;
  readonly referenceId: string;
  /** Of the last input; null: there was none yet, or it was accepted. */
  readonly failure: Failure | null;
}

/** A form that takes a step of the login. It works without scripts. */
export function loginForm(
  { authRequestId }: LoginInProgress,
  action: (typeof loginPaths)[keyof typeof loginPaths],
  content: Html,
): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="authRequestId" value="${authRequestId}">
${content}
</form>`;
}

/** The way back to the first step, for another account. */
export function startOverLink({ texts }: View, { startOver }: LoginInProgress): Html {
  return html`<p class="elsewhere"><a href="${startOver}">${texts.signInAsSomeoneElse}</a></p>`;
}
