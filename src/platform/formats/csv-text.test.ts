import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './csv-text.ts';

/** The rule as a pattern, which takes quadratic time. */
const formula = /(?<=^|[;\t\r\n])(?=[\s"']*[=+\-@|%\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

/** The cell as a spreadsheet reads it. */
function cellOf(text: string): string {
  const cell = csvOf([[text]]).slice(0, -2);
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

test('each place where a formula may begin has an apostrophe, in every text of up to five such characters', () => {
  const characters = ['=', '\uff20', ' ', '"', "'", ';', '\t', '\n', 'a'];
  let texts = [''];
  for (let length = 0; length <= 5; length += 1) {
    for (const text of texts) assert.equal(cellOf(text), text.replace(formula, "'"), JSON.stringify(text));
    texts = texts.flatMap((text) => characters.map((character) => text + character));
  }
});

test('a long text of line breaks, spaces or quotes is read once', () => {
  for (const character of ['\n', ' ', '; ']) {
    const text = character.repeat(200_000);
    assert.ok(cellOf(`${text}=`).endsWith('='));
    assert.ok(cellOf(text).length >= text.length);
  }
});
