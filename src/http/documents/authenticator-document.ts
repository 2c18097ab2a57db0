import { z } from 'zod';
import { type Clock, isoTimeOrNull, type Millis } from '../../platform/clock.ts';
import { shownFingerprint } from '../../platform/formats/fingerprint.ts';
import type { ListedAuthenticator } from '../../store/contracts/authenticators.ts';
import { entityHead, entityMembers, entityRef, entityRefSchema, timeSchema } from './wire.ts';

const authenticatorMembers = { ...entityMembers, identityId: z.string(), identity: entityRefSchema };
export const authenticatorSchema = z
  .discriminatedUnion('method', [
    z.strictObject({
      ...authenticatorMembers,
      method: z.literal('updb'),
      username: z.string(),
      lockedUntil: timeSchema.nullable(),
    }),
    z.strictObject({
      ...authenticatorMembers,
      method: z.literal('cert'),
      certPem: z.string(),
      fingerprint: z.string(),
      isExtendRequested: z.boolean(),
      isKeyRollRequested: z.boolean(),
    }),
  ])
  .meta({ id: 'Authenticator' });

/** An authenticator without anything with which somebody could log in. */
export function authenticatorDocument(clock: Clock): (authenticator: ListedAuthenticator) => object {
  const now = clock.now();
  return (authenticator) => document(authenticator, now);
}

function document(authenticator: ListedAuthenticator, now: Millis): object {
  const { identityId, method, lockedUntil } = authenticator;
  const isLocked = lockedUntil !== null && lockedUntil > now;
  return {
    ...entityHead('authenticators', authenticator),
    method,
    identityId,
    identity: entityRef('identities', identityId, authenticator.identityName),
    ...(authenticator.method === 'updb'
      ? { username: authenticator.username, lockedUntil: isoTimeOrNull(isLocked ? lockedUntil : null) }
      : {
          certPem: authenticator.certPem,
          fingerprint: shownFingerprint(authenticator.thumbprint),
          isExtendRequested: authenticator.isExtendRequested,
          isKeyRollRequested: authenticator.isKeyRollRequested,
        }),
  };
}
