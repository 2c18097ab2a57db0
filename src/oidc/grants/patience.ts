import { AuthError } from '../../errors/auth-error.ts';
import { type Clock, type Millis, SECOND } from '../../platform/clock.ts';
import type { Within } from '../../store/contracts/store.ts';

/** A client that has waited for so long may have turned to another node. */
const patience: Millis = 3 * SECOND;

/**
 * How long what this request wants may still wait for the database, before it is used up.
 * @param arrivedAt on the monotonic clock
 * @throws AuthError unavailable   no longer: the request itself has waited for too long
 */
export function patienceLeft(clock: Clock, arrivedAt: Millis): Within {
  const left = arrivedAt + patience - clock.monotonic();
  if (left <= 0) throw new AuthError('unavailable', { detail: 'the request has waited for too long' });
  return left;
}
