import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Binding } from './config.ts';
import { oidcBindings } from './resolve.ts';

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

describe('where the OIDC provider is bound', () => {
  test('with auto-binding, every listener with edge-client gets edge-oidc', () => {
    const listeners = [
      { bindings: ['edge-client', 'edge-management'] },
      { bindings: ['edge-management'] },
      { bindings: ['health-checks', 'edge-client'] },
    ] as const;
    assert.deepEqual(oidcBindings({ edgePresent: true, disableOidcAutoBinding: false, listeners }), [
      'automatic',
      'none',
      'automatic',
    ]);
  });

  test('edge-oidc listed once is used as given and suppresses auto-binding everywhere', () => {
    const listeners = [{ bindings: ['edge-client'] }, { bindings: ['edge-oidc'] }] as const;
    assert.deepEqual(oidcBindings({ edgePresent: true, disableOidcAutoBinding: false, listeners }), [
      'none',
      'explicit',
    ]);
  });

  test('with auto-binding disabled, only listeners that list edge-oidc have it', () => {
    const clientOnly = [{ bindings: ['edge-client'] }] as const;
    const given = { edgePresent: true, disableOidcAutoBinding: true };
    assert.deepEqual(oidcBindings({ ...given, listeners: clientOnly }), ['none']);
    const listed = [{ bindings: ['edge-client', 'edge-oidc'] }, { bindings: ['edge-client'] }] as const;
    assert.deepEqual(oidcBindings({ ...given, listeners: listed }), ['explicit', 'none']);
  });

  test('the rules apply to every combination of bindings on two listeners', () => {
    for (const edgePresent of [true, false]) {
      for (const disableOidcAutoBinding of [true, false]) {
        for (const first of bindingSets) {
          for (const second of bindingSets) {
            const listeners = [{ bindings: first }, { bindings: second }];
            const result = oidcBindings({ edgePresent, disableOidcAutoBinding, listeners });
            const label = JSON.stringify({ edgePresent, disableOidcAutoBinding, first, second, result });
            assert.equal(result.length, 2, label);
            listeners.forEach(({ bindings }, index) => {
              const lists = bindings.includes('edge-oidc');
              const other = listeners[1 - index]?.bindings.includes('edge-oidc') === true;
              assert.equal(result[index] === 'explicit', edgePresent && lists, label);
              assert.equal(
                result[index] === 'automatic',
                edgePresent &&
                  !disableOidcAutoBinding &&
                  !lists &&
                  !other &&
                  bindings.includes('edge-client'),
                label,
              );
            });
          }
        }
      }
    }
  });

  test('without a listener there is no binding', () => {
    assert.deepEqual(oidcBindings({ edgePresent: true, disableOidcAutoBinding: false, listeners: [] }), []);
  });
});
