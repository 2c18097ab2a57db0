// The session of the account page, and what keeps the page from showing an account.

import { createClientApi, freshLoginAge, Refusal, secondaryTokenChallenge } from '@overlay-auth/client';
import { held } from '../parts/held.ts';
import { pageSession } from '../parts/page-session.ts';

type Trouble =
  /** Every call also needs a token of another provider, which a page cannot send. */
  | { readonly kind: 'second-token'; readonly reference: string }
  | { readonly kind: 'unavailable'; readonly error: unknown };

const page = '/account';

/** A person who signs out in another tab leaves nothing to see here. */
export const session = pageSession(page, { whenLeft: 'left' });

export const trouble = held<Trouble | null>(null);

/** Calls to the client API as the signed-in person. */
export const api = createClientApi({ baseUrl: location.origin, token: session.token });

/** Starts at the opened address: completes a returning sign-in, continues a session, or shows how to sign in. */
export async function begin(): Promise<void> {
  try {
    await session.begin();
  } catch (error) {
    trouble.become({ kind: 'unavailable', error });
  }
}

/** Looks for errors that end the whole page, after any action. */
export function notice(error: unknown): void {
  if (secondaryTokenChallenge(error) !== undefined) {
    trouble.become({ kind: 'second-token', reference: (error as Refusal).requestId ?? '' });
  } else if (error instanceof Refusal && error.status === 401 && freshLoginAge(error) === undefined) {
    // A renewed token was refused too.
    session.sessionEnded();
    void session.open().then((one) => one.logOut().catch(() => undefined));
  }
}

/** Leaves for the sign-in, which returns to the part that is shown. */
export async function signIn(): Promise<void> {
  await session.signInOnce(page + location.hash);
}

/** Ends the session, and leaves for a sign-in that requires every factor again. */
export async function signInAnew(): Promise<void> {
  const current = await session.open();
  await current.logOut();
  await current.signIn({ returnTo: page + location.hash, prompt: 'login' });
}
