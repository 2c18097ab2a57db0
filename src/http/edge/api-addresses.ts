import type { BindPoint, Listener } from '../../config/config.ts';
import type { ApiAddress } from '../../model/node.ts';
import { apis } from './version.ts';

/** Where a listener serves which API. @param bindPoints with their real ports */
export function apiAddressesOf({ apis: bound }: Listener, bindPoints: readonly BindPoint[]): ApiAddress[] {
  const bindings = new Set(bound.map(({ binding }) => binding));
  return apis
    .filter(({ binding }) => bindings.has(binding))
    .flatMap(({ binding, path }) =>
      bindPoints.map(({ address }) => ({ binding, url: `https://${address}${path}`, version: 'v1' })),
    );
}
