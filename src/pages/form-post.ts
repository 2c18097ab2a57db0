import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';

/**
 * Sends the form (OAuth 2.0 Form Post Response Mode 2) by its button, once web/pages.js is there to see that the person
 * does not send it again. Nothing in it needs escaping.
 */
export const formPostScript =
  'addEventListener(`DOMContentLoaded`, function () { document.querySelector(`form button`).click() })';

/** Posts the answer to the application: automatically, or without scripts by a button. */
export function formPostPage(
  view: View,
  { action, fields }: { readonly action: string; readonly fields: readonly (readonly [string, string])[] },
): Html {
  const { formPost } = view.texts;
  return layout(view, {
    title: formPost.heading,
    heading: formPost.heading,
    content: html`<p>${formPost.text}</p>
<form method="post" action="${action}">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">${formPost.submit}</button>
</form>
<script>${formPostScript}</script>`,
  });
}
