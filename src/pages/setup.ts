import { shellWord } from '../platform/formats/shell-word.ts';
import { type Html, html } from './html.ts';
import { describedBy, layout, referenceLine, type View } from './layout.ts';
import {
  newPasswordFields,
  type PasswordProblem,
  passwordProblemText,
  refusedForm,
  type ShownPasswordRules,
} from './new-password.ts';
import type { Texts } from './texts/languages.ts';

type NameProblem = keyof Texts['setup']['problems'];

/** Why an administrator was not created. */
export type SetupProblem = NameProblem | PasswordProblem;

export interface SetupForm {
  /** Path that the form posts to. */
  readonly action: string;
  /** The one-time token of the link. Its holder may set up, so it also protects the form. */
  readonly token: string;
  /** The user name typed before, shown again after a refusal so that it need not be typed twice (WCAG 3.3.7). */
  readonly username: string;
  readonly rules: ShownPasswordRules;
  /** Why the last attempt was refused; empty at first. */
  readonly problems: readonly SetupProblem[];
  readonly referenceId: string;
}

/** Chooses name and password of the first administrator. Works without scripts. */
export function setupPage(view: View, form: SetupForm): Html {
  const { action, token, username, rules, problems, referenceId } = form;
  const { setup, signIn, errorTitle } = view.texts;
  const isRefused = problems.length > 0;
  const ofPassword = problems.filter((problem): problem is PasswordProblem => !isAboutName(problem));
  const reasons = problems.map((problem) =>
    isAboutName(problem) ? setup.problems[problem] : passwordProblemText(view, problem, rules.shortest),
  );
  return layout(view, {
    title: isRefused ? `${errorTitle(setup.failedTitle)} - ${setup.heading}` : setup.heading,
    heading: setup.heading,
    content: html`${isRefused && refusedForm(view, { what: setup.notCreated, reasons, referenceId })}
<form method="post" action="${action}">
<input type="hidden" name="t" value="${token}">
<div class="field"><label for="username">${signIn.username}</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required${describedBy(problems.some(isAboutName), null)}></div>
${newPasswordFields(view, { label: signIn.password, rules }, ofPassword)}
<button id="create" type="submit">${setup.submit}</button>
</form>`,
  });
}

function isAboutName(problem: SetupProblem): problem is NameProblem {
  return problem === 'username' || problem === 'taken' || problem === 'policy';
}

/** The administrator exists; the page names the next step. @param done with the console's address, if there is one */
export function setupDonePage(
  view: View,
  done: { readonly username: string; readonly url: string; readonly console: string | null },
): Html {
  const { setup } = view.texts;
  return layout(view, {
    title: setup.doneTitle,
    heading: setup.doneHeading,
    content: html`<p>${setup.done(html`<strong>${done.username}</strong>`)}</p>
${done.console !== null && html`<p><a id="to-console" class="button" href="${done.console}">${setup.toConsole}</a></p>`}
<p>${done.console === null ? setup.nextInTerminal : setup.orInTerminal}</p>
<pre tabindex="0"><code>overlay-auth login ${done.url} -u ${shellWord(done.username)}
overlay-auth whoami</code></pre>`,
  });
}

export type DeadLink = keyof Texts['setup']['dead'];

/** A link that does not work, why, and how to get another. */
export function deadSetupLinkPage(view: View, state: DeadLink, referenceId: string): Html {
  const { setup, errorTitle } = view.texts;
  const { heading, text } = setup.dead[state];
  return layout(view, {
    title: errorTitle(heading),
    heading,
    content: html`<p role="alert">${text}</p>
<p>${setup.another}</p>
<pre tabindex="0"><code>overlay-auth admin create NAME --link
overlay-auth admin create NAME</code></pre>
${referenceLine(view, referenceId)}`,
  });
}
