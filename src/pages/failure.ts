import { type Html, html } from './html.ts';
import type { View } from './view.ts';

/** A refusal, which the page shows before everything else. */
export interface Failure {
  readonly referenceId: string;
}

/**
 * The summary of a refusal, which gets the focus and is announced (WCAG 3.3.1, 4.1.3). The affected fields refer to
 * it by its id, `failure`.
 */
export function failureSummary(
  { texts }: View,
  { referenceId }: Failure,
  { what, next = null }: { readonly what: string; readonly next?: string | null },
): Html {
  return html`<div id="failure" class="failure" role="alert" tabindex="-1" autofocus>
<p><strong>${what}</strong></p>
<p>${next !== null && html`${next} `}${texts.again(html`<code>${referenceId}</code>`)}</p>
</div>`;
}

/** The reference id of a page without such a summary. */
export function referenceLine({ texts }: View, referenceId: string): Html {
  return html`<p class="reference">${texts.reference(html`<code>${referenceId}</code>`)}</p>`;
}

/** Marks a refused field, with the ids of the texts that describe it. */
export function describedBy(isRefused: boolean, hint: string | null): Html {
  const ids = [...(isRefused ? ['failure'] : []), ...(hint === null ? [] : [hint])];
  return html`${isRefused && html` aria-invalid="true"`}${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}`;
}
