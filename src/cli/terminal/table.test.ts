import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText, renderFields, renderTable } from './table.ts';

test('columns are as wide as their widest cell, also with wide characters, and lines have no end spaces', () => {
  const rows = [
    { name: 'a', id: 1 },
    { name: '日本', id: 22 },
  ];
  const table = renderTable(
    [
      { heading: 'name', cell: (row) => row.name },
      { heading: 'id', cell: (row) => row.id },
    ],
    rows,
  );
  assert.equal(table, 'NAME  ID\na     1\n日本  22');
});

test('a table of nothing is its headings', () => {
  assert.equal(renderTable([{ heading: 'id', cell: () => '' }], []), 'ID');
});

test('values are worded for people, and what steers a terminal is made harmless', () => {
  for (const [value, text] of [
    [null, '-'],
    [undefined, '-'],
    ['', '-'],
    [[], '-'],
    [true, 'yes'],
    [false, 'no'],
    [['a', 'b'], 'a, b'],
    [{ a: 1 }, '{"a":1}'],
    ['two\nlines', 'two lines'],
    ['\u001b[31mred', '\ufffd[31mred'],
    ['a\u202eb\u009bc\u0007', 'a\ufffdb\ufffdc\ufffd'],
  ] as const) {
    assert.equal(cellText(value), text);
  }
});

test('fields stand below each other', () => {
  assert.equal(
    renderFields([
      ['id', 'x'],
      ['longer', null],
    ]),
    'id      x\nlonger  -',
  );
});
