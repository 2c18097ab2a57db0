import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { argument, columns, type EntityDescriptor, newNameOption, option, tagOption } from './descriptor.ts';

export const authPolicy: EntityDescriptor = {
  name: 'auth-policy',
  aliases: ['auth-policies'],
  path: '/auth-policies',
  help: 'how identities may log in, and what else they must prove',
  lookupFields: ['name'],
  columns: columns(
    'name',
    'id',
    ['allows', allowedMethods],
    ['totp', (row) => asObject(row.secondary).requireTotp],
    ['ext-jwt', (row) => asObject(row.secondary).requireExtJwt],
    ['locks after', (row) => asObject(asObject(row.primary).updb).maxAttempts],
  ),
  createArguments: [argument('<name>', 'its name')],
  options: [
    newNameOption,
    option('--password', 'allow user name and password', { path: 'primary.updb.allowed' }),
    option('--cert', 'allow client certificates', { path: 'primary.cert.allowed' }),
    option('--expired-certs', 'accept expired client certificates', {
      path: 'primary.cert.allowExpiredCerts',
    }),
    option('--ext-jwt', 'allow external JWTs', { path: 'primary.extJwt.allowed' }),
    option('--allowed-signers <list>', 'ids of external JWT signers, separated by commas; empty: all', {
      path: 'primary.extJwt.allowedSigners',
    }),
    option('--require-totp', 'ask for TOTP', { path: 'secondary.requireTotp' }),
    option(
      '--require-ext-jwt <signer>',
      'also require a token of this external JWT signer; empty: no such token',
      { path: 'secondary.requireExtJwt', entity: 'ext-jwt-signer', nullable: true },
    ),
    option('--min-password-length <n>', 'characters of a new password', {
      path: 'primary.updb.minPasswordLength',
    }),
    option(
      '--must-change-after <time>',
      'a login with a password that is so old, such as 2160h, asks for a new one; empty: never',
      { path: 'primary.updb.mustChangeAfter', nullable: true },
    ),
    option('--max-attempts <n>', 'wrong passwords in a row before a lock; 0: never', {
      path: 'primary.updb.maxAttempts',
    }),
    option('--lockout-minutes <n>', 'length of the first lock; 0: until an administrator unlocks', {
      path: 'primary.updb.lockoutDurationMinutes',
    }),
    tagOption,
  ],
  isUpdatable: true,
  hasFile: true,
  forceable: 'changes',
};

function allowedMethods(row: JsonObject): unknown {
  const primary = asObject(row.primary);
  const words = { updb: 'password', cert: 'cert', extJwt: 'ext-jwt' };
  return Object.entries(words)
    .filter(([method]) => asObject(primary[method]).allowed === true)
    .map(([, word]) => word);
}
