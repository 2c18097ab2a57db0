import { z } from 'zod';
import { issuedEnrollment } from '../../admin/enrollments.ts';
import type { Enrollment } from '../../model/entities/enrollment.ts';
import type { Identity } from '../../model/entities/identity.ts';
import { isoTime } from '../../platform/clock.ts';
import { inChunks } from '../../platform/in-chunks.ts';
import { identityDocuments, identitySchema } from '../documents/identity-document.ts';
import { timeSchema } from '../documents/wire.ts';
import type { EdgeServices } from '../request/services.ts';
import type { Reader } from './resource.ts';

const memberSchema = z.strictObject({
  id: z.string(),
  expiresAt: timeSchema,
  token: z.string().optional(),
  jwt: z.string().optional(),
});

export const managedIdentitySchema = z
  .strictObject({
    ...identitySchema.shape,
    enrollment: z.strictObject({
      ott: memberSchema.optional(),
      ottca: memberSchema.extend({ caId: z.string() }).optional(),
      updb: memberSchema.extend({ username: z.string() }).optional(),
    }),
  })
  .meta({ id: 'ManagedIdentity' });

/** Identities in a list, with their open enrollments by method. */
export function managedIdentityDocuments(
  needs: EdgeServices,
  identities: readonly Identity[],
): Promise<object[]> {
  return inChunks(identities, (some) => documentsOf(needs, some, () => ({})));
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
