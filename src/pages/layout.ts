import { type Html, html } from './html.ts';
import { stylesheet } from './stylesheet.ts';

export interface Layout {
  /** Says the state first: "Error: wrong code - Sign in". */
  readonly title: string;
  readonly heading: string;
  readonly content: Html;
  /** BCP 47 tag of the page's language. */
  readonly language?: string;
}

/** The frame of every page: one heading, one main landmark, no script. */
export function layout({ title, heading, content, language = 'en' }: Layout): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${stylesheet.path}">
<link rel="icon" href="data:,">
</head>
<body>
<main>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`;
}
