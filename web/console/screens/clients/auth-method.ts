import type { OidcClient } from '../../types.ts';

/** How an application authenticates if nothing else was chosen for it. */
export function usualMethod(type: OidcClient['type']): OidcClient['tokenEndpointAuthMethod'] {
  return type === 'confidential' ? 'client_secret_basic' : 'none';
}
