import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

export interface ErrorPage {
  readonly status: number;
  /** The text for the person at the door. */
  readonly description: string;
  /** What an administrator looks up. */
  readonly referenceId: string;
  readonly problems: readonly { readonly field: string; readonly reason: string }[];
  readonly retryAfterSeconds?: number | undefined;
}

/** The page of a failure: what happened, what to do next, and the reference id. */
export function errorPage(failure: ErrorPage): Html {
  const heading = headingOf(failure.status);
  return layout({
    title: `Error: ${heading}`,
    heading,
    content: html`<p role="alert">${failure.description}.</p>
${failure.problems.length > 0 && html`<ul>${failure.problems.map(problemItem)}</ul>`}
<p>${nextStep(failure)}</p>
<p class="reference">Reference: <code>${failure.referenceId}</code></p>`,
  });
}

function problemItem({ field, reason }: { field: string; reason: string }): Html {
  return html`<li><code>${field}</code> ${reason}</li>`;
}

function headingOf(status: number): string {
  if (status === 404) return 'Not found';
  if (status === 401 || status === 403) return 'Not allowed';
  if (status === 429 || status === 503) return 'Please try again later';
  if (status >= 500) return 'Something went wrong';
  return 'This request cannot be completed';
}

function nextStep({ status, retryAfterSeconds }: ErrorPage): string {
  if (status === 429 || status === 503) {
    return retryAfterSeconds === undefined
      ? 'Wait a moment, then try again.'
      : `Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`;
  }
  if (status >= 500) return 'Try again. If it happens again, give the reference below to an administrator.';
  return 'Go back to the application and start again. If it happens again, give the reference below to an administrator.';
}
