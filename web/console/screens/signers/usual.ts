import type { Signer } from '../../types.ts';

/** The server's defaults for fields that are not sent. */
export function usualOf({ jwksEndpoint, certPem }: Pick<Signer, 'jwksEndpoint' | 'certPem'>) {
  return { clientAuthMethod: 'none', discovery: jwksEndpoint === null && certPem === null };
}
