import { accountFiles } from './account-files.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import type { View } from './view.ts';

/** The shell of the account page. It holds nothing of anybody: the script logs in and fills it. */
export function accountPage(view: View): Html {
  const { title, withoutScripts } = view.texts.account;
  return layout(view, {
    title,
    heading: title,
    files: {
      stylesheetPath: `${accountFiles.base}/account.css`,
      scriptPath: `${accountFiles.base}/main.js`,
    },
    content: html`<p id="status" role="status" aria-live="polite"></p>
<noscript><p>${withoutScripts}</p></noscript>`,
  });
}
