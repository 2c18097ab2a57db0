import { z } from 'zod';
import { passkeysOf, removePasskey } from '../../admin/factors.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { passkeyDocument, passkeySchema } from '../documents/passkey-document.ts';
import { changeParameters, idOf } from '../request/fields.ts';
import { adminCallOf } from '../request/request-context.ts';
import { dataAnswer, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { adminRoute } from './admin-route.ts';

/** `/identities/{id}/passkeys`: people add theirs themselves. */
export function passkeyRoutes(needs: EdgeServices): readonly Route[] {
  const path = 'identities/:id/passkeys';
  return [
    adminRoute('GET', path, {
      operationId: 'listIdentityPasskeys',
      summary: 'List the passkeys of an identity',
      answer: dataAnswer(z.array(passkeySchema), 'All of them'),
      data: async (context) => (await passkeysOf(needs, idOf(context))).map(passkeyDocument),
    }),
    adminRoute('DELETE', `${path}/:passkeyId`, {
      operationId: 'deleteIdentityPasskey',
      permission: 'helpdesk',
      summary: 'Remove a passkey of an identity; what it opened ends',
      refusals: ['conflict'],
      query: changeParameters,
      async does(context, { query }) {
        const { passkeyId = '' } = context.params;
        if (!/^[\w.-]{1,64}$/.test(passkeyId)) throw new AuthError('not_found');
        await removePasskey(needs, adminCallOf(context, query.force), { id: idOf(context), passkeyId });
      },
    }),
  ];
}
