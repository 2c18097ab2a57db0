import { type Html, html } from './html.ts';
import type { View } from './layout.ts';

interface Shell {
  /** Of the element that the script fills. */
  readonly id: string;
  readonly files: string;
  readonly script: string;
  readonly title: string;
  readonly withoutScripts: string;
  /** Path of the console, for those who may use it. */
  readonly console?: string | null;
}

/** The shell of the console. @param files path of the folder with the bundled files */
export function consolePage(view: View, files: string): Html {
  return shell(view, { id: 'console', script: `${files}/main.js`, files, ...view.texts.console });
}

/**
 * The shell of the account page.
 * @param paths `files`: the folder with the bundled files; `console`: null where this listener has none
 */
export function accountPage(view: View, paths: { files: string; console: string | null }): Html {
  return shell(view, { id: 'account', script: `${paths.files}/account.js`, ...paths, ...view.texts.account });
}

/** It contains nothing about anybody: the script signs in and fills it. */
function shell({ look, language }: View, page: Shell): Html {
  const { id, files, script, title, withoutScripts } = page;
  return html`<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<title>${title} · ${look.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${look.baseStylesPath}">
<link rel="stylesheet" href="${files}/${id}.css">
<link rel="icon" href="${look.iconPath}">
<script src="${script}" type="module"></script>
</head>
<body>
<div id="${id}" class="app" data-name="${look.name}" data-logo="${look.logoPath ?? ''}" data-logo-dark="${look.logoDarkPath ?? ''}" data-console="${page.console ?? ''}"></div>
<noscript><p>${withoutScripts}</p></noscript>
</body>
</html>
`;
}
