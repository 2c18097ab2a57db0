import { AuthError } from '../errors/auth-error.ts';
import { NoAdministratorLeft } from '../store/contracts/store.ts';

// Somebody must remain who can undo a change. Who counts is model/administrator.ts; the store decides it in the
// step that makes the change.

/**
 * Waits for a store method and says in the client's words when it would leave no administrator.
 * @throws AuthError conflict
 */
export async function administratorKept<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof NoAdministratorLeft)) throw error;
    throw new AuthError('conflict', {
      description:
        'This change would leave no administrator who can log in. Make another one first, or repeat the request with ?force=true',
      // By this a program knows the refusal, and the parameter that lifts it.
      fields: [{ field: 'force', reason: 'is missing, and no administrator would be left' }],
      cause: error,
    });
  }
}
