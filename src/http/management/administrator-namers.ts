import { z } from 'zod';
import { administratorNamers } from '../../admin/administrator-namers.ts';
import type { AdminServices } from '../../admin/services.ts';
import { entityRef, entityRefSchema } from '../documents/wire.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';

const namersSchema = schemaNamed('AdministratorNamers', {
  namedBy: z.array(
    z.strictObject({
      issuer: entityRefSchema.describe('An external JWT signer or a third-party CA'),
      by: z.enum(['id', 'externalId']).describe('The member of the identity that its claim is compared with'),
      administrators: z
        .array(entityRefSchema)
        .describe('Up to five administrators that it can name, by name'),
    }),
  ),
});

/** `/administrators/named-by`: the signers and CAs whose tokens or certificates can be an administrator's. */
export function administratorNamerRoutes(needs: AdminServices): readonly Route[] {
  return [
    adminRoute('GET', 'administrators/named-by', {
      operationId: 'listAdministratorNamers',
      summary: 'List the signers and CAs that can name an administrator',
      answer: dataAnswer(
        namersSchema,
        'Enabled signers and CAs whose tokens or certificates can be the first factor of an administrator',
      ),
      async data({ principal }) {
        const found = await administratorNamers(needs, principal);
        return {
          namedBy: found.map(({ kind, id, name, by, administrators }) => ({
            issuer: entityRef(kind, id, name),
            by,
            administrators: administrators.map((one) => entityRef('identities', one.id, one.name)),
          })),
        };
      },
    }),
  ];
}
