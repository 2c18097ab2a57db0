import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCovered, type Permission } from './permission.ts';

test('a permission covers itself, and the help desk may read too', () => {
  const cases: readonly (readonly [Permission, readonly Permission[], boolean])[] = [
    ['read', ['read'], true],
    ['read', ['helpdesk'], true],
    ['read', [], false],
    ['helpdesk', ['helpdesk'], true],
    ['helpdesk', ['read'], false],
    ['helpdesk', ['read', 'helpdesk'], true],
    ['helpdesk', [], false],
  ];
  for (const [asked, held, expected] of cases)
    assert.equal(isCovered(asked, held), expected, `${asked} of ${held}`);
});
