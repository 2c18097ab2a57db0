import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';

/**
 * The whole script of the page; its policy allows no other (OAuth 2.0 Form Post Response Mode 2). Nothing in it needs
 * escaping.
 */
export const formPostScript = 'document.forms[0].submit()';

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
