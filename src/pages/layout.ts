import { type Html, html } from './html.ts';
import type { View } from './view.ts';

export interface Layout {
  /** Begins with the state: "Error: wrong code - Sign in". */
  readonly title: string;
  readonly heading: string;
  readonly content: Html;
  /** Between heading and content. */
  readonly lead?: Html | string | undefined;
  /** Whether scripts of ours improve the page; it works without them. */
  readonly scripts?: boolean;
  /** For pages to read rather than to fill in. */
  readonly wide?: boolean;
  /** A script for this page only, in addition to that of all pages. */
  readonly furtherScriptPath?: string;
  /** Whether it asks for a proof, which somebody may have lost: the operator's help is below. */
  readonly hasHelp?: boolean;
}

/** The frame of every page: the operator's name, one main landmark with one heading. */
export function layout({ look, language }: View, page: Layout): Html {
  const {
    title,
    heading,
    content,
    lead,
    scripts = false,
    wide = false,
    furtherScriptPath,
    hasHelp = false,
  } = page;
  return html`<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<title>${title} · ${look.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${look.stylesheetPath}">
<link rel="icon" href="${look.iconPath}">
${scripts && html`<script src="${look.scriptPath}" type="module"></script>`}
${furtherScriptPath !== undefined && html`<script src="${furtherScriptPath}" type="module"></script>`}
</head>
<body>
<header>${brand(look)}</header>
<main${wide && html` class="wide"`}>
<h1>${heading}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${content}
${hasHelp && help(look)}
</main>
</body>
</html>
`;
}

/** In the operator's words, so its language is not known. */
function help({ help }: View['look']): Html | null {
  if (help === null) return null;
  const text = help.url === null ? help.text : html`<a href="${help.url}">${help.text}</a>`;
  return html`<p id="help" class="elsewhere">${text}</p>`;
}

function brand({ name, logoPath, logoDarkPath }: View['look']): Html {
  if (logoPath === null) return html`<span class="name">${name}</span>`;
  const logo = html`<img class="logo" src="${logoPath}" alt="${name}">`;
  if (logoDarkPath === null) return logo;
  return html`<picture><source srcset="${logoDarkPath}" media="(prefers-color-scheme: dark)">${logo}</picture>`;
}
