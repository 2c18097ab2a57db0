import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';

/** Asks for the name of a person who has forgotten the password. Works without scripts. @param action path of the form */
export function forgottenPage(view: View, action: string): Html {
  const { forgotten } = view.texts;
  return layout(view, {
    title: forgotten.heading,
    heading: forgotten.heading,
    lead: forgotten.lead,
    hasHelp: true,
    content: html`<form method="post" action="${action}">
<div class="field"><label for="name">${forgotten.name}</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required></div>
<button id="send" type="submit">${forgotten.submit}</button>
</form>`,
  });
}

/** The same for every typed name. */
export function forgottenDonePage(view: View): Html {
  const { forgotten } = view.texts;
  return layout(view, {
    title: forgotten.doneHeading,
    heading: forgotten.doneHeading,
    hasHelp: true,
    content: html`<p role="status">${forgotten.done}</p>
<p>${forgotten.notThere}</p>`,
  });
}
