import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText, renderFields, renderTable } from './table.ts';

test('columns are as wide as their widest cell, wide characters included, and lines have no trailing spaces', () => {
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

test('an empty table consists of its headings', () => {
  assert.equal(renderTable([{ heading: 'id', cell: () => '' }], []), 'ID');
});

test('values are worded for people, and terminal control characters are made harmless', () => {
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

test('fields are below each other', () => {
  assert.equal(
    renderFields([
      ['id', 'x'],
      ['longer', null],
    ]),
    'id      x\nlonger  -',
  );
});
