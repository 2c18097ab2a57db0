import type { Branding } from '../model/branding.ts';
import { type Html, html } from './html.ts';
import type { Language, Texts } from './texts/languages.ts';

export interface Layout {
  /** Begins with the state: "Error: wrong code - Sign in". */
  readonly title: string;
  readonly heading: string;
  readonly content: Html;
  /** Between heading and content. */
  readonly lead?: Html | string | undefined;
  /** For pages to read rather than to fill in. */
  readonly wide?: boolean;
  /** A script for this page only, in addition to that of all pages. */
  readonly furtherScriptPath?: string;
  /** Whether it asks for a proof, which the person may have lost: the operator's help is below. */
  readonly hasHelp?: boolean;
}

/**
 * The frame of every page: the operator's name, one main landmark with one heading. Our script improves each page, which
 * works without it.
 */
export function layout({ look, language }: View, page: Layout): Html {
  const { title, heading, content, lead, wide = false, furtherScriptPath, hasHelp = false } = page;
  return html`<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<title>${title} · ${look.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${look.stylesheetPath}">
<link rel="icon" href="${look.iconPath}">
<script src="${look.scriptPath}" type="module"></script>
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

// The surroundings of a page's content: the texts in the visitor's language, and the look of the operator's pages.

export interface Look {
  /** The operator's name. */
  readonly name: string;
  /** Path of the operator's logo; null: only the name is shown. */
  readonly logoPath: string | null;
  /** The same for the dark theme; null: one logo for both. */
  readonly logoDarkPath: string | null;
  /** Path of the icon that browsers show beside the title. */
  readonly iconPath: string;
  readonly stylesheetPath: string;
  /** Colours and the styles of every page, for pages with styles of their own. */
  readonly baseStylesPath: string;
  readonly scriptPath: string;
  readonly help: Branding['help'];
}

export interface View {
  readonly look: Look;
  readonly language: Language;
  readonly texts: Texts;
}

/** A refusal, which the page shows before everything else. */
export interface Failure {
  readonly referenceId: string;
}

/**
 * The summary of a refusal, which gets the focus and is announced (WCAG 3.3.1, 4.1.3). The affected fields refer to
 * it by its id, `failure`.
 */
export function failureSummary(
  { texts }: View,
  { referenceId }: Failure,
  { what, next = null }: { readonly what: string; readonly next?: string | null },
): Html {
  return html`<div id="failure" class="failure" role="alert" tabindex="-1" autofocus>
<p><strong>${what}</strong></p>
<p>${next !== null && html`${next} `}${texts.again(html`<code>${referenceId}</code>`)}</p>
</div>`;
}

/** The reference id of a page without such a summary. */
export function referenceLine({ texts }: View, referenceId: string): Html {
  return html`<p class="reference">${texts.reference(html`<code>${referenceId}</code>`)}</p>`;
}

/** Marks a refused field, with the ids of the texts that describe it. */
export function describedBy(isRefused: boolean, hint: string | null): Html {
  const ids = [...(isRefused ? ['failure'] : []), ...(hint === null ? [] : [hint])];
  return html`${isRefused && html` aria-invalid="true"`}${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}`;
}
