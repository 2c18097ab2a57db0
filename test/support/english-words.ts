// Finds English words on a page in German. What is English is taken from the catalogues: a word that an English text has,
// and no German one.

import { globSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { checksInGerman } from '../../src/explain/checks-de.ts';
import { failuresInGerman } from '../../src/explain/failures-de.ts';
import { refusalsInGerman } from '../../src/explain/refusals-de.ts';
import { reasonLabels } from '../../src/model/refusal-reason.ts';

/** Terms of protocols, names of products, and values of ours, which are the same in German. */
const allowed = new Set(
  'openid connect profile groups scopes redirect claims client clients public secret basic post private key jwt discovery pkce dpop overlay default root user updb cert totp mode soft hard off on true false none null and or not sort by limit skip contains icontains in http https refresh access id token tokens device code codes server service router admin read helpdesk webhook syslog severity standard signing created updated deleted enabled external issuer audience subject sub email name address'.split(
    ' ',
  ),
);

const wordsIn = (text: string) =>
  text.toLowerCase().match(/(?<![\p{L}\p{N}_-])\p{L}{2,}(?![\p{L}\p{N}_-])/gu) ?? [];

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/;

/** The words of the literals of a file, without the values in them. */
function wordsOfSource(source: string): readonly string[] {
  const literals = source.match(new RegExp(literal, 'g')) ?? [];
  return literals.flatMap((one) => wordsIn(one.replaceAll(/\$\{[^}]*\}/g, ' ')));
}

/** The literals of tables with both languages, `[english, german]`. One that stands alone is the same in both. */
function* pairedLiterals(source: string): Generator<readonly [text: string, isEnglish: boolean]> {
  const open: { readonly isPair: boolean; isSecond: boolean }[] = [];
  for (const [token] of source.matchAll(new RegExp(`${literal.source}|[[\\](){},]`, 'g'))) {
    const last = open.at(-1);
    if (/^[[({]$/.test(token)) open.push({ isPair: token === '[', isSecond: false });
    else if (/^[\])}]$/.test(token)) open.pop();
    else if (last === undefined) continue;
    else if (token === ',') last.isSecond = true;
    else yield [token, open.find(({ isPair }) => isPair)?.isSecond === false];
  }
}

function catalogue(): ReadonlySet<string> {
  const english: string[] = [];
  const german: string[] = [];
  for (const file of globSync([
    '{src,web}/**/texts/**/*.ts',
    'src/explain/reasons-*.ts',
    'web/**/*.{ts,tsx}',
    'src/pages/texts/*.ts',
  ])) {
    const source = readFileSync(file, 'utf8')
      .replaceAll(/^import .*$/gm, '')
      .replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, '');
    if (/(?:^|[/-])en\.ts$/.test(file)) english.push(...wordsOfSource(source));
    else if (/(?:^|[/-])de\.ts$/.test(file)) german.push(...wordsOfSource(source));
    else {
      const tables = file.startsWith('web/') ? source.match(/wordsOf\(\{[\s\S]*?\n\s*\}\)/g) : [source];
      for (const [text, isEnglish] of pairedLiterals(tables?.join('\n') ?? ''))
        (isEnglish ? english : german).push(...wordsOfSource(text));
    }
  }
  for (const table of [checksInGerman, refusalsInGerman, failuresInGerman])
    for (const [key, value] of Object.entries(table)) {
      english.push(...wordsIn(key));
      german.push(...wordsIn(value));
    }
  for (const [en, de] of Object.values(reasonLabels)) {
    english.push(...wordsIn(en));
    german.push(...wordsIn(de));
  }
  const known = new Set(german);
  return new Set(english.filter((word) => !known.has(word) && !allowed.has(word)));
}

let found: ReadonlySet<string> | undefined;

/** The words that are English, each with the text that it stands in. Commands, code and addresses do not count. */
export async function englishOn(page: Page): Promise<readonly string[]> {
  found ??= catalogue();
  const english = found;
  const texts = (await page.evaluate(shownTexts)) as readonly string[];
  return texts.flatMap((text) => {
    const words = wordsIn(text.replaceAll(/\S*[/@:_]\S+|\w+\.\w\S*/g, ' ')).filter((word) =>
      english.has(word),
    );
    return words.length === 0 ? [] : [`${words.join(', ')}: ${text.trim().slice(0, 120)}`];
  });
}

const shownTexts = `(() => {
  const all = [document.title];
  const skipped = 'pre, code, kbd, script, style, noscript, [translate=no]';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: text } = walker;
    if (text.data.trim() !== '' && text.parentElement.closest(skipped) === null) all.push(text.data);
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      if (element.hasAttribute(name)) all.push(element.getAttribute(name));
  return all;
})()`;
