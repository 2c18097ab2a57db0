import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { type IdentityType, identityTypes } from '../../model/entities/identity.ts';
import { wholeList } from '../documents/lists.ts';
import { selfLink } from '../documents/wire.ts';
import { idOf } from '../request/fields.ts';
import { dataAnswer, listAnswer, type Route } from '../request/route.ts';
import { adminRoute } from './admin-route.ts';

const typeSchema = z
  .strictObject({
    _links: z.strictObject({ self: z.strictObject({ href: z.string() }) }),
    id: z.enum(identityTypes),
    name: z.enum(identityTypes),
  })
  .meta({ id: 'IdentityType' });

/** `/identity-types`: the types that an identity may have, for clients that list them. */
export const identityTypeRoutes: readonly Route[] = [
  adminRoute('GET', 'identity-types', {
    summary: 'List the types of identities',
    answer: listAnswer(typeSchema, 'All of them'),
    handler: async () => wholeList(identityTypes.map(document)),
  }),
  adminRoute('GET', 'identity-types/:id', {
    summary: 'Read a type of identities',
    answer: dataAnswer(typeSchema, 'The type'),
    refusals: ['not_found'],
    async data(context) {
      const type = identityTypes.find((each) => each === idOf(context));
      if (type === undefined) throw new AuthError('not_found');
      return document(type);
    },
  }),
];

function document(type: IdentityType): object {
  return { _links: { self: selfLink('identity-types', type) }, id: type, name: type };
}
