import type { Signer } from '../../types.ts';

/** What the server takes for what is not sent. */
export function usualOf({ jwksEndpoint, certPem }: Pick<Signer, 'jwksEndpoint' | 'certPem'>) {
  return { clientAuthMethod: 'none', discovery: jwksEndpoint === null && certPem === null };
}
