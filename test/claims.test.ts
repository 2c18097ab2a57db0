// SECURITY.md and the decisions say what cannot happen. Each such sentence names the test that tries exactly it:
// `[test][code]` behind the sentence, and at the end of the document `[code]: test/oidc/code.test.ts "name of the test"`.
// What no test tries is a known limit.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`);
const documents = ['SECURITY.md', ...decisions];
const read = (document: string) => readFileSync(join(root, document), 'utf8');

/** Words that make a sentence absolute. */
const absolute = /\b(cannot|never|no|nobody|nothing|none|only|every|all|always|any|worthless|bounded)\b/i;
/**
 * In decisions, `every`, `only` or `no` mostly says how something is built ("one file for every table"). There, these
 * words count in a sentence about an attacker or what is refused; the first line counts in any.
 */
const absoluteAnywhere =
  /\b(cannot|never|nobody|nothing|worthless|bounded|no (further|other|person|identity|client|caller|source|node))\b/i;
const aboutAttacks =
  /\b(strangers?|attackers?|thie(f|ves)|victims?|another (person|identity)|whoever|somebody else|foreign pages?|other sites?|guess(es|ing)?|forge[sd]?|revoked?|revives?|reuse|refuse[sd]?)\b/i;

function isAbsolute(document: string, sentence: string): boolean {
  if (document === 'SECURITY.md') return absolute.test(sentence);
  return absoluteAnywhere.test(sentence) || (absolute.test(sentence) && aboutAttacks.test(sentence));
}
const reference = /\[test\]\[([\w-]+)\]/g;
const definition = /^\[([\w-]+)\]: (\S+) "(.+)"$/gm;
/** Behind a sentence that gives a reason or describes the world, and promises no behaviour that an attacker could break. */
const fact = '<!-- a fact -->';

test('a sentence that promises something absolute names the test that tries it', () => {
  const bare = documents.flatMap((document) => {
    return sentencesOf(promisesOf(document))
      .filter((sentence) => isAbsolute(document, sentence.replaceAll(reference, '')))
      .filter((sentence) => sentence.search(reference) < 0 && !sentence.includes(fact))
      .map((sentence) => `${document}: ${sentence}`);
  });
  assert.deepEqual(bare, [], 'name the test, or move the sentence to the known limits');
});

test('the tests that promises name exist', () => {
  const lost = documents.flatMap((document) => {
    const text = read(document);
    const named = new Set([...text.matchAll(reference)].map(([, id = '']) => id));
    const defined = [...text.matchAll(definition)];
    const problems = defined.flatMap(([line, id = '', path = '', name = '']) => {
      const file = join(root, dirname(document), path);
      return named.delete(id) && existsSync(file) && testsOf(file).has(name) ? [] : [line];
    });
    return [...problems, ...named].map((problem) => `${document}: ${problem}`);
  });
  assert.deepEqual(lost, []);
});

/** A document without its definitions, its admitted limits and what it rejected. */
function promisesOf(document: string): string {
  const text = read(document).replaceAll(definition, '');
  if (document !== 'SECURITY.md') return text.replace(/^(\*\*|## )?Rejected\b[\s\S]*$/m, '');
  return text.replace(/^## Report a weakness[\s\S]*?(?=^## )/m, '').replace(/^## Known limits[\s\S]*$/m, '');
}

/** Sentences and rows of tables, each with the references behind it. */
function sentencesOf(text: string): readonly string[] {
  const blocks = text.split(/\n\s*\n|\n(?=\s*(?:[-|]|\d+\.) )/).filter((block) => !block.startsWith('#'));
  return blocks.flatMap((block) => {
    const line = block.replaceAll(/\s+/g, ' ').trim();
    const end = /(?<=[.?!](?: ?\[test\]\[[\w-]+\]| ?<!-- a fact -->)*)\s+(?=[A-Z*"`])/;
    return line.startsWith('|') ? [line] : line.split(end);
  });
}

/** The names of tests and groups as the file writes them, so that `${…}` stays. */
function testsOf(file: string): ReadonlySet<string> {
  const calls = readFileSync(file, 'utf8').matchAll(/\b(?:test|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs);
  return new Set([...calls].map(([, , name = '']) => name.replaceAll(/\\(['"`])/g, '$1')));
}
