import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Binding } from './config.ts';
import { automaticOidc } from './resolve.ts';

const allBindings: readonly Binding[] = [
  'edge-client',
  'edge-management',
  'edge-oidc',
  'health-checks',
  'metrics',
];
/** Every possible set of bindings of one listener: 32. */
const bindingSets = Array.from({ length: 2 ** allBindings.length }, (_, mask) =>
  allBindings.filter((_b, bit) => (mask >> bit) & 1),
);

describe('the OIDC provider is bound automatically', () => {
  test('by every combination of bindings on two listeners', () => {
    for (const isPresent of [true, false]) {
      for (const disableOidcAutoBinding of [true, false]) {
        for (const first of bindingSets) {
          for (const second of bindingSets) {
            const web = [first, second].map((bindings) => ({
              apis: bindings.map((binding) => ({ binding })),
            }));
            const edge = isPresent ? { api: { disableOidcAutoBinding } } : undefined;
            const isListed = [...first, ...second].includes('edge-oidc');
            const isAdded = isPresent && !disableOidcAutoBinding && !isListed;
            assert.deepEqual(
              automaticOidc({ edge, web }),
              [first, second].map((bindings) => isAdded && bindings.includes('edge-client')),
              JSON.stringify({ edge, first, second }),
            );
          }
        }
      }
    }
  });

  test('nowhere without a listener', () => {
    assert.deepEqual(automaticOidc({ edge: { api: { disableOidcAutoBinding: false } }, web: [] }), []);
  });
});
