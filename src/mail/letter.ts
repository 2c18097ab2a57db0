// A mail in words: plain text, and the same in HTML with the operator's name and colour. Names come from people and
// tokens, so nothing of them becomes markup, a header or an address that leads elsewhere.

import type { Branding } from '../model/branding.ts';
import type { ClientProgram } from '../model/client-info.ts';
import type { LanguageTag } from '../model/languages.ts';
import type { MailMatter } from '../model/mail.ts';
import { html } from '../pages/html.ts';
import { type TextsOf, textsIn } from '../pages/texts/both-languages.ts';
import type { Millis } from '../platform/clock.ts';
import type { OutgoingMail } from '../platform/network/smtp.ts';
import { mailTexts } from './texts.ts';

export type Letter = Pick<OutgoingMail, 'subject' | 'text' | 'html'>;

/** The contents of a mail; a link comes with the time until which it works. */
export type LetterMatter =
  | { readonly kind: 'test' }
  | Extract<MailMatter, { readonly kind: 'notice' }>
  | {
      readonly kind: 'invitation' | 'reset';
      readonly username: string;
      readonly link: { readonly url: string; readonly expiresAt: Millis };
    };

type MailTexts = TextsOf<typeof mailTexts>;

const texts: Readonly<Record<LanguageTag, MailTexts>> = {
  en: textsIn('en', mailTexts),
  de: textsIn('de', mailTexts),
};
const longestName = 100;

/** @param person the name of the identity; null: the mail addresses no person by name */
export function letterOf(
  look: Pick<Branding, 'name' | 'colors'>,
  { person, language }: { readonly person: string | null; readonly language: LanguageTag },
  matter: LetterMatter,
): Letter {
  const words = texts[language];
  const { subject, paragraphs, link, after } = contentsOf(look.name, { words, language }, matter);
  const hello = person === null ? null : words.hello(plain(person));
  const lines = [
    ...(hello === null ? [] : [hello]),
    ...paragraphs,
    ...(link === null ? [] : [link.url, words.linkUntil(timeIn(language, link.expiresAt))]),
    ...after,
    words.sentBy(look.name),
  ];
  return {
    subject: plain(subject),
    text: `${lines.join('\n\n')}\n`,
    html: page(look, { ...{ words, language, hello, link, after }, title: subject, paragraphs }),
  };
}

interface Contents {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link: { readonly url: string; readonly expiresAt: Millis; readonly button: string } | null;
  /** Below the link. */
  readonly after: readonly string[];
}

function contentsOf(
  service: string,
  { words, language }: { readonly words: MailTexts; readonly language: LanguageTag },
  matter: LetterMatter,
): Contents {
  if (matter.kind === 'test')
    return { subject: words.test.subject(service), paragraphs: [words.test.text], link: null, after: [] };
  if (matter.kind === 'notice') {
    const { notice } = words;
    const { subject, text } = notice.byKind[matter.notice];
    const facts = [
      ...(matter.program === undefined ? [] : [programIn(words, matter.program)]),
      notice.when(timeIn(language, matter.at)),
      ...(matter.ipAddress === null ? [] : [notice.from(plain(matter.ipAddress))]),
    ];
    return {
      subject: notice.subject(service, subject),
      paragraphs: [text, ...facts],
      link: null,
      after: [notice.notYou],
    };
  }
  const { subject, text, button, ignore } = words[matter.kind];
  return {
    subject: subject(service),
    paragraphs: [text(service, plain(matter.username))],
    link: { ...matter.link, button },
    after: [ignore],
  };
}

/**
 * Words of a stranger in a mail that people trust: only letters, with a number behind a name. They lead nowhere, neither
 * to a page nor to a telephone.
 */
function programIn({ notice }: MailTexts, { program, operatingSystem }: ClientProgram): string {
  const [named, system] = [program, operatingSystem].map((text) => (isPlainName(text) ? text : null));
  if (named == null) return notice.unnamedProgram;
  return notice.program(system == null ? named : notice.programOn(named, system));
}

function isPlainName(text: string | null): boolean {
  const word = /^[A-Za-z][A-Za-z_+-]{0,30}\d{0,2}$/;
  const version = /^\d{1,4}(?:\.\d{1,4})?$/;
  const words = text?.split(' ') ?? [];
  const names = version.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  return names.length > 0 && names.every((one) => word.test(one));
}

/** Styles are in the elements: many programs drop everything else. */
function page(
  { name, colors }: Pick<Branding, 'name' | 'colors'>,
  {
    words,
    language,
    title,
    hello,
    paragraphs,
    link,
    after,
  }: Omit<Contents, 'subject'> & {
    readonly words: MailTexts;
    readonly language: LanguageTag;
    readonly title: string;
    readonly hello: string | null;
  },
): string {
  const { accent, on } = colors.light;
  const paragraph = (text: string) => html`<p style="margin:0 0 16px">${text}</p>
`;
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1a1a1a;font:16px/1.5 sans-serif">
<main style="display:block;max-width:560px;margin:0 auto">
<h1 style="margin:0 0 24px;padding:0 0 8px;border-bottom:3px solid ${accent};font-size:20px;font-weight:bold">${name}</h1>
${hello !== null && paragraph(hello)}${paragraphs.map(paragraph)}${
  link !== null &&
  html`<p style="margin:24px 0"><a href="${link.url}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:${accent};color:${on};text-decoration:none">${link.button}</a></p>
<p style="margin:0 0 16px;overflow-wrap:anywhere">${words.orCopy}<br>${link.url}</p>
${paragraph(words.linkUntil(timeIn(language, link.expiresAt)))}`
}${after.map(paragraph)}<p style="margin:24px 0 0;color:#595959;font-size:14px">${words.sentBy(name)}</p>
</main></body></html>
`.text;
}

function timeIn(language: LanguageTag, at: Millis): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, format).format(at)} UTC`;
}

/**
 * A name on one line, without what reverses or hides text, and without what programs turn into a link: a person could
 * be named after an address that an attacker wants others to open.
 */
function plain(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, longestName);
  return line.replace(/:\/\//g, ': //').replace(/\bwww\./gi, 'www .');
}
