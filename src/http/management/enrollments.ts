import { z } from 'zod';
import {
  createEnrollment,
  deleteEnrollment,
  getEnrollment,
  issuedEnrollment,
  refreshEnrollment,
} from '../../admin/enrollments.ts';
import type { AdminServices } from '../../admin/services.ts';
import { tokenMethods } from '../../model/enrollment.ts';
import { enrollmentListFields } from '../../model/list-fields.ts';
import type { ListQuery } from '../../model/list-query.ts';
import type { ListedEnrollment } from '../../store/contracts/enrollments.ts';
import { mapPage } from '../documents/lists.ts';
import { documentsBy, entityHead, entityMembers, entityRefSchema, timeSchema } from '../documents/wire.ts';
import { idText, optionalTime } from '../request/fields.ts';
import { type Route, schemaNamed } from '../request/route.ts';
import { operation, type Reader, resourceRoutes } from './resource.ts';

/** Null: after the configured time. */
const expiresAt = optionalTime;

const newEnrollment = z.strictObject({
  identityId: idText,
  method: z.enum(tokenMethods, 'must be ott, ottca or updb'),
  expiresAt,
  caId: idText.nullish().transform((id) => id ?? null),
  username: z
    .string()
    .nullish()
    .transform((name) => name ?? null),
});

const enrollmentSchema = schemaNamed('Enrollment', {
  ...entityMembers,
  method: z.enum(tokenMethods),
  identityId: z.string(),
  identity: entityRefSchema,
  caId: z.string().nullable(),
  username: z.string().nullable(),
  expiresAt: timeSchema,
  token: z.string().optional(),
  jwt: z.string().optional(),
});

const shown = documentsBy(enrollmentSchema.omit({ token: true, jwt: true }));

/** An RSA signature takes a millisecond. */
const signedAtOnce = 10;

/** `/enrollments` */
export function enrollmentRoutes(needs: AdminServices): readonly Route[] {
  return resourceRoutes({
    collection: 'enrollments',
    noun: 'an enrollment',
    ...enrollmentList(needs),
    get: async (id, reader) => enrollmentDocument(needs, reader)(await getEnrollment(needs, id)),
    create: operation(newEnrollment, (by, { identityId, ...fields }) =>
      createEnrollment(needs, by, { identityId, fields }),
    ),
    remove: (by, id) => deleteEnrollment(needs, by, id),
    actions: {
      refresh: operation(z.strictObject({ expiresAt }), (by, body, id) =>
        refreshEnrollment(needs, by, { id, expiresAt: body.expiresAt }),
      ),
    },
  });
}

/** Enrollments, for every list of some. */
export function enrollmentList(needs: AdminServices) {
  return {
    document: enrollmentSchema,
    listFields: enrollmentListFields,
    list: async (query: ListQuery, reader: Reader) =>
      mapPage(await needs.store.enrollments.list(query), enrollmentDocument(needs, reader), signedAtOnce),
  };
}

/**
 * An enrollment. Administrators also see what is given to the device, with which anybody can enroll as the identity.
 */
function enrollmentDocument(needs: AdminServices, reader: Reader): (of: ListedEnrollment) => object {
  return (enrollment) => ({
    ...shown({ ...enrollment, ...entityHead('enrollments', enrollment) }),
    ...(reader.isAdmin ? issuedEnrollment(needs, reader, enrollment) : {}),
  });
}
