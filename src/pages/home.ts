import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';

/**
 * The server's start page, the same for every visitor. Works without scripts; a script shows signed-in people the
 * applications that they may open (web/account/home.ts).
 */
export function homePage(
  view: View,
  paths: { readonly account: string; readonly console: string | null; readonly script: string },
): Html {
  const { home } = view.texts;
  const { name } = view.look;
  return layout(view, {
    title: home.title,
    heading: home.heading,
    furtherScriptPath: paths.script,
    content: html`<div id="applications" hidden>
<h2>${home.toApplications}</h2>
<ul class="applications"></ul>
<p><a class="button" href="${paths.account}">${home.yourAccount}</a></p>
</div>
<div id="to-sign-in"><p>${home.text(name)}</p>
<p><a id="to-account" class="button" href="${paths.account}">${home.toAccount}</a></p>
<p><a id="to-applications" href="${paths.account}#applications">${home.toApplications}</a></p></div>
${paths.console !== null && html`<p>${home.forAdministrators} <a id="to-console" href="${paths.console}">${home.toConsole}</a></p>`}`,
  });
}
