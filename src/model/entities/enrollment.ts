import { tokenMethods } from '../enrollment.ts';
import type { CaId, EnrollmentId, IdentityId } from '../ids.ts';
import * as field from './entity.ts';
import { entity, type Stored } from './entity.ts';

export const enrollmentEntity = entity<EnrollmentId>()({
  kind: 'enrollment',
  table: 'enrollments',
  collection: 'enrollments',
  document: 'Enrollment',
  noun: 'an enrollment',
  fields: {
    method: field.choice(tokenMethods),
    identityId: field.reference<IdentityId>('identity')({ isDeletedWithIt: true }),
    /** The authority that must have issued the certificate; only with `ottca`. */
    caId: field.reference<CaId>('ca')({ isNullable: true, isDeletedWithIt: true }),
    /** The user name that the identity will have; only with `updb`. */
    username: field.text({ isNullable: true }),
    /** The token under the key-encryption key, so that administrators can see it again. */
    sealedToken: field.text({ isSecret: true, isDerived: true }),
    expiresAt: field.time({ isOptional: true }),
  },
  arguments: {
    method: 'a certificate issued here, one of a third-party CA, or a password',
    identityId: 'whose',
  },
  options: {
    username: ['<name>', 'with updb: the user name it gets'],
    caId: 'with ottca: the CA that issued the certificate',
    expiresAt: 'such as 2030-01-31T12:00:00Z (default: as configured)',
  },
});

/** Permission to make one identity able to authenticate, once. An identity has at most one for each method. */
export type Enrollment = Stored<typeof enrollmentEntity>;
