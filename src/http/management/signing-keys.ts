import { z } from 'zod';
import { signingAlgorithms } from '../../model/signing-key.ts';
import type { Clock } from '../../platform/clock.ts';
import { describedKeys, keyUses } from '../../tokens/described-keys.ts';
import type { KeyRing } from '../../tokens/key-ring.ts';
import { timeSchema } from '../documents/wire.ts';
import { dataAnswer, type Route } from '../request/route.ts';
import { adminRoute } from './admin-route.ts';

const signingKeySchema = z
  .strictObject({
    kid: z.string(),
    alg: z.enum(signingAlgorithms),
    use: z.enum(keyUses),
    createdAt: timeSchema,
    signsFrom: timeSchema,
    signsUntil: timeSchema,
    removedAt: timeSchema.nullable(),
  })
  .meta({ id: 'SigningKey' });

/** `/signing-keys`: what signs tokens, and until when. Keys rotate automatically, or on the host. */
export function signingKeyRoutes(needs: { ring: Pick<KeyRing, 'list'>; clock: Clock }): readonly Route[] {
  return [
    adminRoute('GET', 'signing-keys', {
      operationId: 'listSigningKeys',
      summary: 'List the signing keys',
      answer: dataAnswer(z.array(signingKeySchema), 'Every key that is not removed, the oldest first'),
      data: () => describedKeys(needs.ring.list(), needs.clock.now()),
    }),
  ];
}
