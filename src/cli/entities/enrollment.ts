import { asObject } from '../client/json-shape.ts';
import type { EntityDescriptor } from './descriptor.ts';

/** Links with which people choose a password. `invite` makes and withdraws them. */
export const invitation: EntityDescriptor = {
  name: 'invitation',
  aliases: ['invitations'],
  path: '/invitations',
  help: 'who is invited and has not come yet; invite makes a link, and withdraws it',
  lookupFields: [],
  isListOnly: true,
  columns: [
    { heading: 'identity', cell: (row) => asObject(row.identity).name ?? row.identityId },
    { heading: 'made by', cell: (row) => asObject(row.madeBy).name },
    { heading: 'made', cell: (row) => row.createdAt },
    { heading: 'expires', cell: (row) => row.expiresAt },
  ],
};

/** Open enrollments. `enrollment refresh` is in enrollment-actions.ts, `enroll` in cli/enroll/. */
export const enrollment: EntityDescriptor = {
  name: 'enrollment',
  aliases: ['enrollments'],
  path: '/enrollments',
  help: 'one-time tokens with which identities enroll',
  lookupFields: ['identityName'],
  columns: [
    { heading: 'id', cell: (row) => row.id },
    { heading: 'method', cell: (row) => row.method },
    { heading: 'identity', cell: (row) => asObject(row.identity).name ?? row.identityId },
    { heading: 'username', cell: (row) => row.username },
    { heading: 'expires', cell: (row) => row.expiresAt },
  ],
  createArguments: [
    {
      argument: '<method>',
      path: 'method',
      kind: 'text',
      choices: ['ott', 'ottca', 'updb'],
      help: 'a certificate issued here, one of a third-party CA, or a password',
    },
    { argument: '<identity>', path: 'identityId', kind: 'reference', entity: 'identity', help: 'whose' },
  ],
  options: [
    { flags: '--username <name>', path: 'username', kind: 'text', help: 'with updb: the user name it gets' },
    {
      flags: '--ca <ca>',
      path: 'caId',
      kind: 'reference',
      entity: 'ca',
      help: 'with ottca: the CA that issued the certificate',
    },
    {
      flags: '--expires-at <time>',
      path: 'expiresAt',
      kind: 'text',
      help: 'such as 2030-01-31T12:00:00Z (default: as configured)',
    },
  ],
  afterCreate: {
    options: [{ flags: '-o, --output-jwt <file>', help: 'write the JWT for the device to FILE' }],
    load: async () => (await import('./enrollment-actions.ts')).newEnrollment,
  },
};
