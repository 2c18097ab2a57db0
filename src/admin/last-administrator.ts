import { AuthError } from '../errors/auth-error.ts';
import { NoAdministratorLeft } from '../store/contracts/store.ts';

// Somebody must remain who can undo a change. model/administrator.ts says who counts; the store checks it in the same
// step as the change.

/**
 * Waits for a store method and tells the client when the change would leave no administrator.
 * @throws AuthError conflict
 */
export async function administratorKept<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof NoAdministratorLeft)) throw error;
    throw new AuthError('conflict', {
      description:
        'This change would leave no administrator who can log in. Make another administrator first, or repeat the request with ?force=true',
      // Tells a program which refusal this is, and which parameter lifts it.
      fields: [{ field: 'force', reason: 'is missing, and no administrator would be left' }],
      cause: error,
    });
  }
}
