import { z } from 'zod';
import { createRevocation, deleteRevocation, getRevocation } from '../../admin/revocations.ts';
import { revocationListFields } from '../../model/list-fields.ts';
import { type Revocation, revocationTypes } from '../../model/revocation.ts';
import { mapPage } from '../documents/lists.ts';
import { documentsBy, entityHead, entityMembers, timeSchema } from '../documents/wire.ts';
import { idText, optionalTime, tags } from '../request/fields.ts';
import { type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { operation, resourceRoutes } from './resource.ts';

const revocationSchema = schemaNamed('Revocation', {
  ...entityMembers,
  type: z.enum(revocationTypes),
  issuedBefore: timeSchema.nullable(),
  expiresAt: timeSchema,
});

const newRevocation = z.strictObject({
  id: idText,
  type: z.enum(revocationTypes, `must be ${revocationTypes.join(', ')}`),
  issuedBefore: optionalTime,
  tags: tags.default({}),
});

/**
 * `/revocations`: an entry has the id of the revoked token, session or identity. It cannot be changed, but can be
 * created again.
 */
export function revocationRoutes(needs: EdgeServices): readonly Route[] {
  return resourceRoutes({
    collection: 'revocations',
    noun: 'a revocation',
    document: revocationSchema,
    listFields: revocationListFields,
    list: async (query) => mapPage(await needs.store.revocations.list(query), revocationDocument),
    get: async (id) => revocationDocument(await getRevocation(needs, id)),
    create: operation(newRevocation, (by, revocation) => createRevocation(needs, by, revocation)),
    remove: (by, id) => deleteRevocation(needs, by, id),
  });
}

const shown = documentsBy(revocationSchema);

function revocationDocument(revocation: Revocation): object {
  return shown({ ...revocation, ...entityHead('revocations', revocation) });
}
