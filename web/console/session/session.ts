import { pageSession } from '../../parts/page-session.ts';

/** The provider at this origin, whose client the console is. */
export const issuer = `${location.origin}/oidc`;

/** A person who signs out in another tab can still continue here: forms with much work are in the console. */
export const session = pageSession('/console', { whenLeft: 'ended' });
