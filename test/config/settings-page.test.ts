import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pageWithTable, settingsPage } from './settings-table.ts';

test('the page of the documentation says of every setting what its description says', () => {
  assert.equal(readFileSync(settingsPage, 'utf8'), pageWithTable(), 'run: npm run settings-page');
});
