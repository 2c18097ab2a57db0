import type { PasswordPolicy } from '../model/auth-policy.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

export interface SetupForm {
  /** Path that the form posts to. */
  readonly action: string;
  /** The one-time token of the link; whoever has it may set up, so it is what protects the form too. */
  readonly token: string;
  /** What was typed before; shown again after a refusal, so that nobody types it twice (WCAG 3.3.7). */
  readonly username: string;
  /** What the password must be. */
  readonly rules: { readonly policy: PasswordPolicy; readonly shortest: number };
  /** Why the last attempt was refused; empty at first. */
  readonly problems: readonly string[];
}

/** Chooses name and password of the first administrator. Works without scripts. */
export function setupPage({ action, token, username, rules, problems }: SetupForm): Html {
  const isRefused = problems.length > 0;
  return layout({
    title: isRefused ? 'Error: not created - Set up an administrator' : 'Set up an administrator',
    heading: 'Set up an administrator',
    content: html`${isRefused && refusal(problems)}
<form method="post" action="${action}">
<input type="hidden" name="t" value="${token}">
<p><label for="username">User name</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required${describedBy(isRefused, '')}></p>
<p><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${rules.shortest}" required${describedBy(isRefused, 'password-hint')}></p>
<p id="password-hint" class="hint">${rulesText(rules)} A few words together are easy to remember and hard to guess.</p>
<p><label for="repeated">The same password again</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required${describedBy(isRefused, '')}></p>
<p><button id="create" type="submit">Create the administrator</button></p>
</form>`,
  });
}

function rulesText({ policy, shortest }: SetupForm['rules']): string {
  const contents = [
    ...(policy.requireMixedCase ? ['an upper-case and a lower-case letter'] : []),
    ...(policy.requireNumberChar ? ['a digit'] : []),
    ...(policy.requireSpecialChar ? ['a special character'] : []),
  ];
  return `At least ${shortest} characters${contents.length > 0 ? `, with ${contents.join(', ')}` : ''}.`;
}

function refusal(problems: readonly string[]): Html {
  return html`<div id="failure" class="failure" role="alert">
<p>The administrator was not created:</p>
<ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul>
</div>`;
}

function describedBy(isRefused: boolean, hint: string): Html {
  const ids = [...(isRefused ? ['failure'] : []), ...(hint === '' ? [] : [hint])];
  return html`${isRefused && html` aria-invalid="true"`}${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}`;
}

/** The administrator exists: what to do with it. */
export function setupDonePage(done: { readonly username: string; readonly url: string }): Html {
  return layout({
    title: 'Administrator created',
    heading: 'The administrator is ready',
    content: html`<p>You can sign in as <strong>${done.username}</strong> now. This link has done its work and cannot be used again.</p>
<p>Next, in a terminal:</p>
<pre><code>overlay-auth login ${done.url} -u ${shellWord(done.username)}
overlay-auth whoami</code></pre>`,
  });
}

/** The command can be pasted whatever the name is. */
function shellWord(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export type DeadLink = 'used' | 'expired' | 'unknown';

const deadLinks: Readonly<Record<DeadLink, { readonly heading: string; readonly text: string }>> = {
  used: {
    heading: 'This link was used already',
    text: 'An administrator was created with it. If that was not you, tell whoever looks after this server.',
  },
  expired: {
    heading: 'This link is no longer valid',
    text: 'A set-up link works for 30 minutes and stops working when a newer one is made.',
  },
  unknown: {
    heading: 'This is not a set-up link',
    text: 'Check that the whole address was copied, or that it is from this server.',
  },
};

/** A link that cannot be used, why, and how to get another. */
export function deadSetupLinkPage(state: DeadLink): Html {
  const { heading, text } = deadLinks[state];
  return layout({
    title: `Error: ${heading}`,
    heading,
    content: html`<p role="alert">${text}</p>
<p>On the server, make a new link or create an administrator at once:</p>
<pre><code>overlay-auth admin create NAME --link
overlay-auth admin create NAME</code></pre>`,
  });
}
