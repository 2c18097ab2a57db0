import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';

/** What this server is, and where to continue: the same page for everybody. Works without scripts. */
export function homePage(
  view: View,
  paths: { readonly account: string; readonly console: string | null },
): Html {
  const { home } = view.texts;
  const { name } = view.look;
  return layout(view, {
    title: home.title,
    heading: home.heading,
    content: html`<p>${home.text(name)}</p>
<p><a id="to-account" class="button" href="${paths.account}">${home.toAccount}</a></p>
<p><a id="to-applications" href="${paths.account}#applications">${home.toApplications}</a></p>
${paths.console !== null && html`<p>${home.forAdministrators} <a id="to-console" href="${paths.console}">${home.toConsole}</a></p>`}`,
  });
}
