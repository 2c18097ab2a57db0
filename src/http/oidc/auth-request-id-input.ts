import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';

/** The spellings of the auth request id, in body and query alike (spec 2.2, design 2.3). */
export const authRequestIdMembers = {
  authRequestId: z.string().optional(),
  authRequestID: z.string().optional(),
  id: z.string().optional(),
};

export type AuthRequestIdSpellings = {
  readonly [Name in keyof typeof authRequestIdMembers]?: string | undefined;
};

/**
 * The auth request id of a request. Several spellings and places may be used at once if they agree.
 * @throws AuthError could_not_validate   none is given, or they differ
 */
export function authRequestIdIn(...sources: readonly AuthRequestIdSpellings[]): string {
  const given = sources.flatMap((source) => [source.authRequestId, source.authRequestID, source.id]);
  const different = new Set(given.filter((value) => value !== undefined && value !== ''));
  const [id] = different;
  if (id === undefined) {
    throw new AuthError('could_not_validate', {
      fields: [{ field: 'authRequestId', reason: 'is required' }],
    });
  }
  if (different.size > 1) {
    const reason = 'is given more than once, with different values';
    throw new AuthError('could_not_validate', { fields: [{ field: 'authRequestId', reason }] });
  }
  return id;
}
