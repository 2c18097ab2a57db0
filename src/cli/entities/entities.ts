import { asObject, type JsonObject } from '../json-shape.ts';
import type { EntityDescriptor } from './descriptor.ts';

// The entities that the generic commands know. Another one is one more descriptor in `entities`.

const identity: EntityDescriptor = {
  name: 'identity',
  aliases: ['identities'],
  path: '/identities',
  help: 'people, devices and services that can authenticate',
  lookupFields: ['name'],
  columns: [
    { heading: 'name', cell: (row) => row.name },
    { heading: 'id', cell: (row) => row.id },
    { heading: 'type', cell: (row) => row.typeId },
    { heading: 'admin', cell: (row) => row.isAdmin },
    { heading: 'disabled', cell: disabledState },
    { heading: 'auth policy', cell: (row) => asObject(row.authPolicy).name ?? row.authPolicyId },
    { heading: 'attributes', cell: (row) => row.roleAttributes },
  ],
  createArguments: [{ argument: '<name>', path: 'name', kind: 'text', help: 'its name' }],
  options: [
    { flags: '--name <name>', path: 'name', kind: 'text', only: 'update', help: 'a new name' },
    {
      flags: '--type <type>',
      path: 'type',
      kind: 'text',
      choices: ['Default', 'User', 'Device', 'Service', 'Router'],
      help: 'what it is',
    },
    { flags: '--admin', path: 'isAdmin', kind: 'flag', help: 'may administer' },
    {
      flags: '--external-id <id>',
      path: 'externalId',
      kind: 'text',
      nullable: true,
      help: 'id in claims of external JWTs',
    },
    {
      flags: '--auth-policy <policy>',
      path: 'authPolicyId',
      kind: 'reference',
      entity: 'auth-policy',
      help: 'name or id of its auth policy',
    },
    { flags: '--role-attributes <list>', path: 'roleAttributes', kind: 'list', help: 'separated by commas' },
    {
      flags: '--tag <key=value>',
      path: 'tags',
      kind: 'tags',
      help: 'may be repeated; an update replaces all',
    },
  ],
  isUpdatable: true,
  isForceable: true,
  afterCreate: {
    options: [
      {
        flags: '--updb [username]',
        help: 'also give it a password; user name: its name, unless said otherwise',
      },
      { flags: '--password-stdin', help: 'with --updb: read the password from standard input' },
      { flags: '--password-file <file>', help: 'with --updb: read the password from FILE' },
    ],
    load: async () => (await import('./new-identity-password.ts')).newIdentityPassword,
  },
};

const authenticator: EntityDescriptor = {
  name: 'authenticator',
  aliases: ['authenticators'],
  path: '/authenticators',
  help: 'what identities prove themselves with',
  lookupFields: ['username', 'identityName'],
  columns: [
    { heading: 'id', cell: (row) => row.id },
    { heading: 'method', cell: (row) => row.method },
    { heading: 'identity', cell: (row) => asObject(row.identity).name ?? row.identityId },
    { heading: 'username', cell: (row) => row.username },
    { heading: 'fingerprint', cell: (row) => row.fingerprint },
  ],
  createArguments: [
    { argument: '<method>', path: 'method', kind: 'text', choices: ['updb'], help: 'user name and password' },
    { argument: '<identity>', path: 'identityId', kind: 'reference', entity: 'identity', help: 'whose' },
    { argument: '<username>', path: 'username', kind: 'text', help: 'user name' },
  ],
  options: [
    { flags: '--username <name>', path: 'username', kind: 'text', only: 'update', help: 'a new user name' },
    {
      flags: '--tag <key=value>',
      path: 'tags',
      kind: 'tags',
      help: 'may be repeated; an update replaces all',
    },
  ],
  isUpdatable: true,
  isForceable: true,
  hasPassword: true,
};

const authPolicy: EntityDescriptor = {
  name: 'auth-policy',
  aliases: ['auth-policies'],
  path: '/auth-policies',
  help: 'how identities may log in, and what they must prove besides',
  lookupFields: ['name'],
  columns: [
    { heading: 'name', cell: (row) => row.name },
    { heading: 'id', cell: (row) => row.id },
    { heading: 'allows', cell: allowedMethods },
    { heading: 'totp', cell: (row) => asObject(row.secondary).requireTotp },
    { heading: 'ext-jwt', cell: (row) => asObject(row.secondary).requireExtJwt },
    { heading: 'locks after', cell: (row) => asObject(asObject(row.primary).updb).maxAttempts },
  ],
  createArguments: [{ argument: '<name>', path: 'name', kind: 'text', help: 'its name' }],
  options: [
    { flags: '--name <name>', path: 'name', kind: 'text', only: 'update', help: 'a new name' },
    {
      flags: '--password',
      path: 'primary.updb.allowed',
      kind: 'flag',
      help: 'allow user name and password',
    },
    { flags: '--cert', path: 'primary.cert.allowed', kind: 'flag', help: 'allow client certificates' },
    {
      flags: '--expired-certs',
      path: 'primary.cert.allowExpiredCerts',
      kind: 'flag',
      help: 'also when they have expired',
    },
    { flags: '--ext-jwt', path: 'primary.extJwt.allowed', kind: 'flag', help: 'allow external JWTs' },
    {
      flags: '--allowed-signers <list>',
      path: 'primary.extJwt.allowedSigners',
      kind: 'list',
      help: 'ids of external JWT signers, separated by commas; empty: all',
    },
    { flags: '--require-totp', path: 'secondary.requireTotp', kind: 'flag', help: 'ask for TOTP' },
    {
      flags: '--require-ext-jwt <signer>',
      path: 'secondary.requireExtJwt',
      kind: 'text',
      nullable: true,
      help: 'ask for a token of the external JWT signer with this id',
    },
    {
      flags: '--min-password-length <n>',
      path: 'primary.updb.minPasswordLength',
      kind: 'integer',
      help: 'characters of a new password',
    },
    {
      flags: '--max-attempts <n>',
      path: 'primary.updb.maxAttempts',
      kind: 'integer',
      help: 'wrong passwords in a row before a lock; 0: never',
    },
    {
      flags: '--lockout-minutes <n>',
      path: 'primary.updb.lockoutDurationMinutes',
      kind: 'integer',
      help: 'length of the first lock; 0: until somebody unlocks',
    },
    {
      flags: '--tag <key=value>',
      path: 'tags',
      kind: 'tags',
      help: 'may be repeated; an update replaces all',
    },
  ],
  isUpdatable: true,
  hasFile: true,
  isForceable: true,
};

const apiSession: EntityDescriptor = {
  name: 'api-session',
  aliases: ['api-sessions'],
  path: '/api-sessions',
  help: 'sessions that are alive',
  lookupFields: [],
  columns: [
    { heading: 'id', cell: (row) => row.id },
    { heading: 'identity', cell: (row) => asObject(row.identity).name ?? row.identityId },
    { heading: 'mechanism', cell: (row) => row.mechanism },
    { heading: 'factors', cell: (row) => row.amr },
    { heading: 'address', cell: (row) => row.ipAddress },
    { heading: 'last activity', cell: (row) => row.lastActivityAt },
    { heading: 'expires', cell: (row) => row.expiresAt },
  ],
};

export const entities: readonly EntityDescriptor[] = [identity, authenticator, authPolicy, apiSession];

/** The entity of that name. @throws Error for a name that no descriptor has: a mistake in a descriptor */
export function entityNamed(name: string): EntityDescriptor {
  const entity = entities.find((candidate) => candidate.name === name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  return entity;
}

function allowedMethods(row: JsonObject): unknown {
  const primary = asObject(row.primary);
  const words = { updb: 'password', cert: 'cert', extJwt: 'ext-jwt' };
  return Object.entries(words)
    .filter(([method]) => asObject(primary[method]).allowed === true)
    .map(([, word]) => word);
}

function disabledState(row: JsonObject): unknown {
  return row.disabled === true && typeof row.disabledUntil === 'string'
    ? `until ${row.disabledUntil}`
    : row.disabled;
}
