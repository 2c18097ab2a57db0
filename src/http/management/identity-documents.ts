import { z } from 'zod';
import { type EnrollmentNeeds, issuedEnrollment } from '../../admin/enrollments.ts';
import type { Enrollment } from '../../model/enrollment.ts';
import type { Identity } from '../../model/identity.ts';
import { type IdentityDocumentNeeds, identityDocuments, identitySchema } from '../identity-document.ts';
import { timeSchema, wireTime } from '../wire.ts';
import type { Reader } from './resource.ts';

export type ManagedIdentityNeeds = IdentityDocumentNeeds &
  Pick<EnrollmentNeeds, 'vault' | 'enrollmentSigner'> & {
    readonly store: Pick<EnrollmentNeeds['store'], 'enrollments'>;
  };

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

/** Identities as they are managed: with what they may still enrol with, by method; for administrators ready to be handed out. */
export async function managedIdentityDocuments(
  needs: ManagedIdentityNeeds,
  identities: readonly Identity[],
  reader: Reader,
): Promise<object[]> {
  const documents = await identityDocuments(needs, identities);
  const enrollments = await needs.store.enrollments.listOf(identities.map(({ id }) => id));
  return documents.map((document, at) => {
    const mine = enrollments.filter(({ identityId }) => identityId === identities[at]?.id);
    const byMethod = mine.map((one) => [one.method, enrollmentMember(needs, one, reader)] as const);
    return { ...document, enrollment: Object.fromEntries(byMethod) };
  });
}

function enrollmentMember(needs: ManagedIdentityNeeds, enrollment: Enrollment, { isAdmin }: Reader): object {
  const { id, method, caId, username, expiresAt } = enrollment;
  return {
    id,
    expiresAt: wireTime(expiresAt),
    ...(isAdmin ? issuedEnrollment(needs, enrollment) : {}),
    ...(method === 'ottca' ? { caId } : {}),
    ...(method === 'updb' ? { username } : {}),
  };
}
