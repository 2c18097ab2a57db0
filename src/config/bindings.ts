import type { Binding } from './config.ts';

/** Where a listener's `edge-oidc` binding comes from, or that it has none. */
export type OidcBinding = 'explicit' | 'automatic' | 'none';

/**
 * Decides which listeners host `edge-oidc`, one answer per listener in their order.
 *
 * - A listener that lists it has it, on its own or beside other APIs (rule 4).
 * - Once any listener lists it, nothing is added anywhere (rule 3).
 * - Otherwise every listener with `edge-client` gets it (rule 2), unless auto-binding is disabled.
 * - Without an `edge` section there is no OIDC provider (spec section 1, point 7). A listener that lists
 *   `edge-oidc` all the same is reported when the file is checked; here it has none.
 *
 * @see spec section 5.7 rules 2 to 4
 */
export function oidcBindings(input: {
  readonly edgePresent: boolean;
  readonly disableOidcAutoBinding: boolean;
  readonly listeners: readonly { readonly bindings: readonly Binding[] }[];
}): readonly OidcBinding[] {
  const { edgePresent, disableOidcAutoBinding, listeners } = input;
  if (!edgePresent) return listeners.map(() => 'none');
  const listedAnywhere = listeners.some(({ bindings }) => bindings.includes('edge-oidc'));
  return listeners.map(({ bindings }) => {
    if (bindings.includes('edge-oidc')) return 'explicit';
    if (listedAnywhere || disableOidcAutoBinding) return 'none';
    return bindings.includes('edge-client') ? 'automatic' : 'none';
  });
}
