import type { OidcClient } from '../../types.ts';

/** How an application authenticates if nothing else was chosen for it. */
export function usualMethod(type: OidcClient['type']): OidcClient['tokenEndpointAuthMethod'] {
  return type === 'confidential' ? 'client_secret_basic' : 'none';
}

export function usesSecrets({
  tokenEndpointAuthMethod: method,
}: Pick<OidcClient, 'tokenEndpointAuthMethod'>): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}
