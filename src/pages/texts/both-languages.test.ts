import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setApart, textsIn } from './both-languages.ts';

const sessions = (name: string, count: number) =>
  [`${name} 3: ${count} sessions`, `${name} 3: ${count} Sitzungen`] as const;

test('a name that is written from right to left is set apart from the text', () => {
  for (const name of ['\u05d3\u05e0\u05d4', '\u0633\u0627\u0631\u0627', 'Dana \u05d3', '\u202eana']) {
    assert.equal(textsIn('en', { sessions }).sessions(name, 2), `\u2068${name}\u2069 3: 2 sessions`);
    assert.equal(textsIn('de', { sessions }).sessions(name, 2), `\u2068${name}\u2069 3: 2 Sitzungen`);
  }
});

test('other names are in the text as they are', () => {
  for (const name of ['Ana', '', 'J\u00fcrgen \u00d8', '\u6797\u6728', 'a(b) <c> 3']) {
    assert.equal(textsIn('en', { sessions }).sessions(name, 2), `${name} 3: 2 sessions`);
  }
});

test('a sentence that contains such names has them set apart, each with its number', () => {
  const dana = '\u05d3\u05e0\u05d4';
  const sara = '\u0633\u0627\u0631\u0627';
  const set = (name: string) => `\u2068${name}\u2069`;
  for (const [text, expected] of [
    [`rule of ${dana}: "12@corp"`, `rule of ${set(dana)}: "12@corp"`],
    [`policy ${dana} 3 allows 2`, `policy ${set(`${dana} 3`)} allows 2`],
    [`${dana} (3) until 2026`, `${set(`${dana} (3)`)} until 2026`],
    [`${dana}, ${sara}, 10 more`, `${set(dana)}, ${set(sara)}, 10 more`],
    [`${dana} - ${sara} \u00b7 28.11.2026`, `${set(`${dana} - ${sara}`)} \u00b7 28.11.2026`],
    [`${dana} Cohen ${sara}`, `${set(dana)} Cohen ${set(sara)}`],
    ['Ana \u6797 3 (4): "5"', 'Ana \u6797 3 (4): "5"'],
    ['', ''],
  ] as const) {
    assert.equal(setApart(text), expected);
  }
});
