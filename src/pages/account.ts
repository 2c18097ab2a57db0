import { accountFiles } from './account-files.ts';
import { type Html, html } from './html.ts';
import type { View } from './view.ts';

/** The languages that the script of the page speaks; `web/account/texts.js` has the words. */
export const accountLanguages = ['en', 'de'] as const;
export type AccountLanguage = (typeof accountLanguages)[number];

const words: Readonly<Record<AccountLanguage, { readonly title: string; readonly withoutScripts: string }>> =
  {
    en: {
      title: 'Your account',
      withoutScripts:
        'This page needs JavaScript. Allow it for this site, or ask an administrator to change your password, remove your authenticator app or end your sessions.',
    },
    de: {
      title: 'Ihr Konto',
      withoutScripts:
        'Diese Seite braucht JavaScript. Erlauben Sie es für diese Adresse, oder bitten Sie die Systemverwaltung, Ihr Passwort zu ändern, Ihre Authenticator-App zu entfernen oder Ihre Sitzungen zu beenden.',
    },
  };

/** The shell of the account page. It holds nothing of anybody: the script logs in and fills it. */
export function accountPage({ look }: View, language: AccountLanguage): Html {
  const { title, withoutScripts } = words[language];
  return html`<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${look.stylesheetPath}">
<link rel="stylesheet" href="${accountFiles.base}/account.css">
<link rel="icon" href="data:,">
<script src="${accountFiles.base}/main.js" type="module"></script>
</head>
<body>
<main aria-busy="true">
<h1>${title}</h1>
<p id="status" role="status" aria-live="polite"></p>
<noscript><p>${withoutScripts}</p></noscript>
</main>
</body>
</html>
`;
}
