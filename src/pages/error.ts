import { type ErrorCode, errorCodes } from '../errors/codes.ts';
import { type Html, html } from './html.ts';
import { layout, referenceLine, type View } from './layout.ts';

export interface ErrorPage {
  readonly code: ErrorCode;
  /** Administrators look the failure up with it. */
  readonly referenceId: string;
  /** The description for programs, in the language of the page: shown below, for administrators only. */
  readonly description: string;
  readonly problems: readonly { readonly field: string; readonly reason: string }[];
  readonly retryAfterSeconds?: number | undefined;
  /** Path at which the person can begin again, if there is one. */
  readonly startAgain?: string | undefined;
  /** Path at which the person continues with the same login; null if there is none, or it would not help. */
  readonly goOn: string | null;
}

/** The page of a failure: what happened, what to do next, and the reference id. */
export function errorPage(view: View, failure: ErrorPage): Html {
  const { error, errorTitle, startAgain, backToLogin } = view.texts;
  const { heading, text, next } = error.byKind[errorCodes[failure.code].page];
  const { retryAfterSeconds: seconds } = failure;
  return layout(view, {
    title: errorTitle(heading),
    heading,
    content: html`<p role="alert">${text}</p>
<p>${seconds === undefined ? next : error.retryIn(seconds)}</p>
${failure.startAgain !== undefined && html`<p><a id="start-again" class="button" href="${failure.startAgain}">${startAgain}</a></p>`}
${failure.goOn !== null && html`<p><a id="go-on" class="button" href="${failure.goOn}">${backToLogin}</a></p>`}
${referenceLine(view, failure.referenceId)}
<details>
<summary>${error.details}</summary>
<div><p>${failure.description}.</p>
${failure.problems.length > 0 && html`<ul>${failure.problems.map(({ field, reason }) => html`<li><code>${field}</code> ${reason}</li>`)}</ul>`}</div>
</details>`,
  });
}
