import { type Html, html } from './html.ts';
import type { View } from './view.ts';

/**
 * The shell of the console. It holds nothing of anybody: the script signs in and fills it.
 * @param files path of the folder of the console's files
 */
export function consolePage({ look, language, texts }: View, files: string): Html {
  return html`<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<title>${texts.console.title} · ${look.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${look.tokensPath}">
<link rel="stylesheet" href="${files}/console.css">
<link rel="icon" href="${look.logoPath ?? 'data:,'}">
<script src="${files}/main.js" type="module"></script>
</head>
<body>
<div id="console" data-name="${look.name}" data-logo="${look.logoPath ?? ''}"></div>
<noscript><p>${texts.console.withoutScripts}</p></noscript>
</body>
</html>
`;
}
