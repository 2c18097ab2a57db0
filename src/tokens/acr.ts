import type { PassedMethod } from '../model/login.ts';

/** The authentication context classes that we assert, by how many factors were proven (OIDC Core 2, `acr`). */
export const acrValues = ['urn:overlay-auth:acr:one-factor', 'urn:overlay-auth:acr:two-factor'] as const;

/** The class that a login with these proofs reaches. */
export function acrOf(passed: readonly PassedMethod[]): (typeof acrValues)[number] {
  return passed.length > 1 ? acrValues[1] : acrValues[0];
}
