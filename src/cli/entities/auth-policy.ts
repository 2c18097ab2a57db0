import { asObject, type JsonObject } from '../client/json-shape.ts';
import type { EntityDescriptor } from './descriptor.ts';

export const authPolicy: EntityDescriptor = {
  name: 'auth-policy',
  aliases: ['auth-policies'],
  path: '/auth-policies',
  help: 'how identities may log in, and what else they must prove',
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
      kind: 'reference',
      entity: 'ext-jwt-signer',
      nullable: true,
      help: 'also require a token of this external JWT signer; empty: no such token',
    },
    {
      flags: '--min-password-length <n>',
      path: 'primary.updb.minPasswordLength',
      kind: 'integer',
      help: 'characters of a new password',
    },
    {
      flags: '--must-change-after <time>',
      path: 'primary.updb.mustChangeAfter',
      kind: 'text',
      nullable: true,
      help: 'a login with a password that is so old, such as 2160h, asks for a new one; empty: never',
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

function allowedMethods(row: JsonObject): unknown {
  const primary = asObject(row.primary);
  const words = { updb: 'password', cert: 'cert', extJwt: 'ext-jwt' };
  return Object.entries(words)
    .filter(([method]) => asObject(primary[method]).allowed === true)
    .map(([, word]) => word);
}
