import { z } from 'zod';
import { issuedEnrollment } from '../../admin/enrollments.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { Enrollment } from '../../model/entities/enrollment.ts';
import { type Identity, type IdentityType, identityTypes } from '../../model/entities/identity.ts';
import { isoTime } from '../../platform/clock.ts';
import { inChunks } from '../../platform/in-chunks.ts';
import { identityDocuments, identitySchema } from '../documents/identity-document.ts';
import { wholeList } from '../documents/lists.ts';
import { selfLink, timeSchema } from '../documents/wire.ts';
import { adminRoute, dataAnswer, listAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import type { Reader } from './resource.ts';

const memberSchema = z.strictObject({
  id: z.string(),
  expiresAt: timeSchema,
  token: z.string().optional(),
  jwt: z.string().optional(),
});

export const managedIdentitySchema = schemaNamed('ManagedIdentity', {
  ...identitySchema.shape,
  enrollment: z.strictObject({
    ott: memberSchema.optional(),
    ottca: memberSchema.extend({ caId: z.string() }).optional(),
    updb: memberSchema.extend({ username: z.string() }).optional(),
  }),
});

/** Identities in a list, with their open enrollments by method. */
export function managedIdentityDocuments(needs: EdgeServices, found: readonly Identity[]): Promise<object[]> {
  return inChunks(found, (some) => documentsOf(needs, some, () => ({})));
}

/** A single identity. Administrators also get its enrollments ready to hand out, which costs a signature each. */
export async function managedIdentityDocument(
  needs: EdgeServices,
  identity: Identity,
  reader: Reader,
): Promise<object> {
  const issued = (enrollment: Enrollment) =>
    reader.isAdmin ? issuedEnrollment(needs, reader, enrollment) : {};
  const [document = {}] = await documentsOf(needs, [identity], issued);
  return document;
}

async function documentsOf(
  needs: EdgeServices,
  identities: readonly Identity[],
  issued: (enrollment: Enrollment) => object,
): Promise<object[]> {
  const documents = await identityDocuments(needs, identities);
  const enrollments = await needs.store.enrollments.listOf(identities.map(({ id }) => id));
  return documents.map((document, at) => {
    const mine = enrollments.filter(({ identityId }) => identityId === identities[at]?.id);
    const byMethod = mine.map((one) => [one.method, enrollmentMember(one, issued)] as const);
    return { ...document, enrollment: Object.fromEntries(byMethod) };
  });
}

function enrollmentMember(enrollment: Enrollment, issued: (enrollment: Enrollment) => object): object {
  const { id, method, caId, username, expiresAt } = enrollment;
  return {
    id,
    expiresAt: isoTime(expiresAt),
    ...issued(enrollment),
    ...(method === 'ottca' ? { caId } : {}),
    ...(method === 'updb' ? { username } : {}),
  };
}

const typeSchema = schemaNamed('IdentityType', {
  _links: z.strictObject({ self: z.strictObject({ href: z.string() }) }),
  id: z.enum(identityTypes),
  name: z.enum(identityTypes),
});

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
      const type = identityTypes.find((each) => each === context.id);
      if (type === undefined) throw new AuthError('not_found');
      return document(type);
    },
  }),
];

function document(type: IdentityType): object {
  return { _links: { self: selfLink('identity-types', type) }, id: type, name: type };
}
