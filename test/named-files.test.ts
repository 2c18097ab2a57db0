// What the programs beside the tests name has to be there still, long after it was moved: they run at night. So has
// what the documents send people to.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { keptEvents } from '../src/model/kept-events.ts';
import { attemptSteps } from '../src/model/login.ts';
import { edited, editsOf, faults } from './model/faults.ts';
import { faultsOfRequests } from './model/faults-of-requests.ts';

const root = join(import.meta.dirname, '..');

test('every planted fault finds its place in the source', () => {
  for (const fault of [...faults, ...faultsOfRequests]) {
    const { name, soughtBy } = fault;
    assert.ok(
      soughtBy === undefined || existsSync(join(root, soughtBy)),
      `"${name}" is sought by ${soughtBy}`,
    );
    const texts = new Map<string, string>();
    for (const edit of editsOf(fault)) {
      const text = texts.get(edit.file) ?? readFileSync(join(root, edit.file), 'utf8');
      assert.doesNotThrow(() => texts.set(edit.file, edited(text, edit)), `"${name}" cannot be planted`);
    }
  }
});

test('the modules that are mutated, and the tests that the assurance runs, exist', () => {
  for (const page of ['mutants/stryker.json', 'docs/assurance.md']) {
    const text = readFileSync(join(root, page), 'utf8');
    const files = text.match(/\b(?:src|test|assurance)\/[\w./-]+\.ts\b/g) ?? [];
    const folders = [...text.matchAll(/test\/\{([\w,]+)\}/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => `test/${name}`),
    );
    assert.ok(files.length >= 20, page);
    for (const path of [...files, ...folders]) assert.ok(existsSync(join(root, path)), `${page}: ${path}`);
  }
});

test('the files that the documents lead to exist', () => {
  for (const document of ['docs/architecture.md', 'CONTRIBUTING.md', 'SECURITY.md']) {
    const text = readFileSync(join(root, document), 'utf8');
    const named = [...text.matchAll(/`([a-z][\w./-]*\/[\w.-]+\.(?:tsx?|mjs|md))`/g)].map(
      ([, path = '']) => path,
    );
    assert.notEqual(named.length, 0, document);
    const lost = named.filter(
      (path) => !['', 'src', 'docs'].some((base) => existsSync(join(root, base, path))),
    );
    assert.deepEqual(lost, [], document);
  }
});

test('files contain the symbols that the architecture page names', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const named = [...text.matchAll(/`([a-z][\w./-]*\/[\w.-]+\.tsx?)` \(`(\w+)`\)/g)];
  assert.ok(named.length >= 15, String(named.length));
  const lost = named.filter(
    ([, path = '', name = '']) =>
      !new RegExp(`\\b${name}\\b`).test(readFileSync(join(root, 'src', path), 'utf8')),
  );
  assert.deepEqual(
    lost.map(([whole]) => whole),
    [],
  );
});

test('documents start no program of ours with the Node of the system, which may be too old for it', () => {
  const old = /(?<!bin\/)\bnode (?:--test|scripts\/check|[\w./-]+\.ts\b)[^`\n]*/g;
  const shown = documents().flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    return [...text.matchAll(old)].map(([command]) => `${document}: ${command}`);
  });
  assert.deepEqual(shown, []);
});

test('arguments that a document shows after `npm run` reach a program', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const lines = documents().flatMap((document) => readFileSync(join(root, document), 'utf8').split('\n'));
  const shown = lines.flatMap((line) => [...line.matchAll(/npm run ([\w:-]+)( -- [^`#\s]+)/g)]);
  const names = [...new Set(shown.map(([, name = '']) => name))];
  assert.ok(names.includes('judges') && names.includes('bench'), names.join(' '));
  // npm gives them to the last command of a script, and `npm run` does not pass on those that begin with --.
  const last = names.map((name) => `${name}: ${scripts[name].split('&&').at(-1).trim()}`);
  assert.deepEqual(
    last.filter((command) => command.includes(': npm run')),
    [],
  );
});

test('the links of the documents lead to a file and one of its headings', () => {
  const lost = documents().flatMap((document) => {
    const links = [
      ...withoutExamples(document).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g),
    ];
    return links.flatMap(([link, path = '', heading]) => {
      const target = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(root, target))) return [`${document}: ${link}`];
      const isThere = heading === undefined || !target.endsWith('.md') || anchorsOf(target).has(heading);
      return isThere ? [] : [`${document}: ${link}`];
    });
  });
  assert.deepEqual(lost, []);
});

function documents(): readonly string[] {
  const found = globSync(['*.md', 'docs/**/*.md', '{packages,src,judges}/**/*.md'], {
    cwd: root,
    exclude: (name) => /^(node_modules|dist|\.work)$/.test(name.split('/').at(-1) ?? ''),
  });
  assert.ok(found.length >= 80, String(found.length));
  return found;
}

/** A document without its blocks of code. */
function withoutExamples(document: string): string {
  return readFileSync(join(root, document), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** As GitHub makes them of headings. */
function anchorsOf(document: string): ReadonlySet<string> {
  const headings = [...withoutExamples(document).matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) => {
      const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '');
      return plain.replaceAll(' ', '-');
    }),
  );
}

test('the page of audit events has a row for each, and says which are in the log only', () => {
  const text = readFileSync(join(root, 'docs/audit-events.md'), 'utf8');
  const [table = ''] = /^\| `event`[\s\S]*?\n\n/m.exec(text) ?? [];
  const rows = [...table.matchAll(/^\| (`[a-z].*?`) \| .*\| (.*?) ?\|$/gm)].slice(1);
  const listed = rows.flatMap(([, names = '', when = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(
      ([, name = '']) => [name, /^log only(?! unless)/.test(when)] as const,
    ),
  );
  const expected = Object.entries(keptEvents).map(([name, kept]) => [name, kept === 'no'] as const);
  assert.deepEqual(new Map(listed), new Map(expected));
});

test('the page of audit events names the method of each step of a login', () => {
  const text = readFileSync(join(root, 'docs/audit-events.md'), 'utf8');
  const [line = ''] = /^`method` is .*$/m.exec(text) ?? [];
  const [, ...named] = [...line.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
  assert.deepEqual(
    new Set(named),
    // Enrolling is no login: it has events of its own.
    new Set(attemptSteps.filter((step) => step !== 'enroll')),
  );
});
