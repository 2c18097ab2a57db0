import { z } from 'zod';
import { type EnrollmentNeeds, issuedEnrollment } from '../../admin/enrollments.ts';
import type { Enrollment } from '../../model/enrollment.ts';
import type { Identity } from '../../model/identity.ts';
import { type IdentityDocumentNeeds, identityDocuments, identitySchema } from '../identity-document.ts';
import { timeSchema, wireTime } from '../wire.ts';

export type ManagedIdentityNeeds = IdentityDocumentNeeds &
  Pick<EnrollmentNeeds, 'vault' | 'enrollmentSigner'> & {
    readonly store: Pick<EnrollmentNeeds['store'], 'enrollments'>;
  };

const memberSchema = z.strictObject({
  id: z.string(),
  expiresAt: timeSchema,
  token: z.string(),
  jwt: z.string(),
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

/** Identities as administrators see them: with what they may still enrol with, by method, ready to be handed out. */
export async function managedIdentityDocuments(
  needs: ManagedIdentityNeeds,
  identities: readonly Identity[],
): Promise<object[]> {
  const documents = await identityDocuments(needs, identities);
  const enrollments = await needs.store.enrollments.listOf(identities.map(({ id }) => id));
  return documents.map((document, at) => {
    const mine = enrollments.filter(({ identityId }) => identityId === identities[at]?.id);
    const byMethod = mine.map((one) => [one.method, enrollmentMember(needs, one)] as const);
    return { ...document, enrollment: Object.fromEntries(byMethod) };
  });
}

function enrollmentMember(needs: ManagedIdentityNeeds, enrollment: Enrollment): object {
  const { id, method, caId, username, expiresAt } = enrollment;
  return {
    id,
    expiresAt: wireTime(expiresAt),
    ...issuedEnrollment(needs, enrollment),
    ...(method === 'ottca' ? { caId } : {}),
    ...(method === 'updb' ? { username } : {}),
  };
}
