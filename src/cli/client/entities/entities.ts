import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import { authPolicy } from './auth-policy.ts';
import {
  argument,
  columns,
  type EntityDescriptor,
  identityName,
  newNameOption,
  option,
  tagOption,
} from './descriptor.ts';
import { oidcClient } from './oidc-client.ts';
import { auditEvent, controller, loginAttempt } from './service.ts';

// The entities of the generic commands. To add one, add a descriptor to `entities`.

const identity: EntityDescriptor = {
  name: 'identity',
  aliases: ['identities'],
  path: '/identities',
  help: 'people, devices and services that can authenticate',
  lookupFields: ['name'],
  columns: columns(
    'name',
    'id',
    ['type', 'typeId'],
    ['admin', rights],
    ['disabled', disabledState],
    ['auth policy', (row) => asObject(row.authPolicy).name ?? row.authPolicyId],
    ['attributes', 'roleAttributes'],
  ),
  createArguments: [argument('<name>', 'its name')],
  options: [
    newNameOption,
    option('--type <type>', 'what it is', { choices: ['Default', 'User', 'Device', 'Service', 'Router'] }),
    option('--admin', 'let it administer', { path: 'isAdmin' }),
    option('--permission <list>', 'without administering: read, helpdesk; separated by commas', {
      path: 'permissions',
    }),
    option('--external-id <id>', 'id in claims of external JWTs', { nullable: true }),
    option('--auth-policy <policy>', 'name or id of its auth policy', {
      path: 'authPolicyId',
      entity: 'auth-policy',
    }),
    option('--password-must-change', 'ask for a new password at the next login with a password'),
    option('--disabled', 'refuse its logins', { only: 'update' }),
    option(
      '--disabled-until <time>',
      'it cannot log in until a time such as 2030-01-31T12:00:00Z; empty: until it is enabled',
      { only: 'update', nullable: true },
    ),
    option('--role-attributes <list>', 'separated by commas'),
    tagOption,
  ],
  isUpdatable: true,
  forceable: 'names',
  hasDetail: true,
  afterCreate: {
    options: [
      {
        flags: '--updb [username]',
        help: 'also give it a password; user name: its name, unless said otherwise',
      },
      {
        flags: '-o, --output-jwt <file>',
        help: 'let it enroll: write the JWT for the device to FILE; with --updb for a password that the person chooses',
      },
      {
        flags: '--ott-ca <ca>',
        help: 'with --output-jwt: it enrolls with a certificate of this third-party CA',
      },
      { flags: '--password-stdin', help: 'with --updb: read the password from standard input' },
      { flags: '--password-file <file>', help: 'with --updb: read the password from FILE' },
    ],
    step: 'identity',
  },
};

/** Whether it is an administrator, or otherwise which permissions it has. */
function rights({ isAdmin, permissions }: JsonObject): unknown {
  const hasPermissions = Array.isArray(permissions) && permissions.length > 0;
  return isAdmin !== true && hasPermissions ? permissions : isAdmin;
}

const authenticator: EntityDescriptor = {
  name: 'authenticator',
  aliases: ['authenticators'],
  path: '/authenticators',
  help: 'what identities prove themselves with',
  lookupFields: ['username', 'identityName'],
  columns: columns('id', 'method', ['identity', identityName], 'username', 'fingerprint'),
  createArguments: [
    argument('<method>', 'password or certificate', { choices: ['updb', 'cert'] }),
    argument('<identity>', 'whose', { path: 'identityId', entity: 'identity' }),
    argument('[username]', 'of a password'),
  ],
  options: [
    option('--cert <file>', 'the certificate', { path: 'certPem', only: 'create' }),
    option('--username <name>', 'a new user name', { only: 'update' }),
    tagOption,
  ],
  isUpdatable: true,
  forceable: 'names',
  hasPassword: true,
  afterCreate: { options: [], step: 'authenticator' },
};

const extJwtSigner: EntityDescriptor = {
  name: 'ext-jwt-signer',
  aliases: ['ext-jwt-signers', 'external-jwt-signer'],
  path: '/external-jwt-signers',
  help: 'identity providers whose JWTs are accepted for logins',
  lookupFields: ['name'],
  columns: columns(
    'name',
    'id',
    'enabled',
    'issuer',
    'audience',
    ['claim', 'claimsProperty'],
    ['keys', (row) => row.jwksEndpoint ?? row.fingerprint],
  ),
  createArguments: [
    argument('<name>', 'its name'),
    argument('<issuer>', 'exactly as in its tokens'),
    argument('<audience>', 'that the tokens must be for'),
  ],
  options: [
    newNameOption,
    option('--issuer <issuer>', 'another issuer', { only: 'update' }),
    option('--audience <audience>', 'another audience', { only: 'update' }),
    option('--enabled', 'accept its tokens'),
    option('--jwks-endpoint <url>', 'https address of its keys'),
    option('--cert <file>', 'certificate with its key, instead', { path: 'certPem' }),
    option('--kid <kid>', 'with --cert: the only key id that tokens may name', { nullable: true }),
    option('--claims-property <claim>', 'claim that names the identity, or a JSON pointer (default: sub)'),
    option('--use-external-id', 'take the claim as the external id of the identity; otherwise it is the id'),
    option(
      '--require-verified-email',
      'require email_verified: true for an email claim (default); --no- for providers that never send it',
    ),
    option('--leeway <seconds>', '0 to 60 (default: 30)', { path: 'leewaySeconds' }),
    option('--max-lifetime <seconds>', 'refuse tokens with a longer lifetime', {
      path: 'maxLifetimeSeconds',
      nullable: true,
    }),
    option('--external-auth-url <url>', 'where clients get a token', { nullable: true }),
    option('--client-id <id>', 'that clients use there', { nullable: true }),
    option('--scopes <list>', 'that clients ask for, separated by commas'),
    option('--send <token>', 'which token clients send', { path: 'targetToken', choices: ['ACCESS', 'ID'] }),
    option('--enroll-to-cert', 'let its tokens enroll a client certificate', {
      path: 'enrollToCertEnabled',
    }),
    option('--enroll-to-token', 'let a first token create the identity; later tokens log in', {
      path: 'enrollToTokenEnabled',
    }),
    option('--enroll-auth-policy <policy>', 'auth policy of identities that enroll so', {
      path: 'enrollAuthPolicyId',
      entity: 'auth-policy',
      nullable: true,
    }),
    option('--enroll-name-claim <claim>', 'claim that becomes their name, or a JSON pointer (default: sub)', {
      path: 'enrollNameClaimsSelector',
    }),
    option(
      '--enroll-attribute-claim <claim>',
      'claim that contains their role attributes, or a JSON pointer',
      { path: 'enrollAttributeClaimsSelector', nullable: true },
    ),
    tagOption,
  ],
  isUpdatable: true,
  forceable: 'changes',
  hasFile: true,
};

/** Third-party authorities. The rule for external ids is given by single options, or as a document. */
const ca: EntityDescriptor = {
  name: 'ca',
  aliases: ['cas'],
  path: '/cas',
  help: 'third-party authorities whose certificates log in',
  lookupFields: ['name'],
  columns: columns('name', 'id', ['logs in', 'isAuthEnabled'], ['verified', 'isVerified'], 'fingerprint'),
  createArguments: [
    argument('<name>', 'its name'),
    argument('<cert>', 'file with its certificate', { path: 'certPem', kind: 'file' }),
  ],
  options: [
    newNameOption,
    option('--auth', 'let its certificates log in', { path: 'isAuthEnabled' }),
    option(
      '--claim-location <where>',
      'which part of its certificates contains the external id of the identity',
      { path: 'externalIdClaim.location', choices: ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] },
    ),
    option('--claim-matcher <matcher>', 'which of the names there to use (default: ALL)', {
      path: 'externalIdClaim.matcher',
      choices: ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'],
    }),
    option('--claim-matches <text>', 'prefix, suffix or scheme of that name', {
      path: 'externalIdClaim.matcherCriteria',
    }),
    option(
      '--claim-parser <parser>',
      'whether the value is the external id or has to be split (default: NONE)',
      { path: 'externalIdClaim.parser', choices: ['NONE', 'SPLIT'] },
    ),
    option('--claim-split-at <text>', 'with SPLIT: where to cut', { path: 'externalIdClaim.parserCriteria' }),
    option('--claim-index <n>', 'with SPLIT: which part, from 0', { path: 'externalIdClaim.index' }),
    tagOption,
  ],
  isUpdatable: true,
  hasFile: true,
};

/** Links with which people choose a password. `invite` makes and withdraws them. */
const invitation: EntityDescriptor = {
  name: 'invitation',
  aliases: ['invitations'],
  path: '/invitations',
  help: 'open invitations; invite makes a link, and withdraws it',
  lookupFields: [],
  isListOnly: true,
  columns: columns(
    ['identity', identityName],
    ['made by', (row) => asObject(row.madeBy).name],
    ['made', 'createdAt'],
    ['expires', 'expiresAt'],
  ),
};

/** Open enrollments. `enrollment refresh` is in enrollment-actions.ts, `enroll` in client/enroll/. */
const enrollment: EntityDescriptor = {
  name: 'enrollment',
  aliases: ['enrollments'],
  path: '/enrollments',
  help: 'one-time tokens with which identities enroll',
  lookupFields: ['identityName'],
  columns: columns('id', 'method', ['identity', identityName], 'username', ['expires', 'expiresAt']),
  createArguments: [
    argument('<method>', 'a certificate issued here, one of a third-party CA, or a password', {
      choices: ['ott', 'ottca', 'updb'],
    }),
    argument('<identity>', 'whose', { path: 'identityId', entity: 'identity' }),
  ],
  options: [
    option('--username <name>', 'with updb: the user name it gets'),
    option('--ca <ca>', 'with ottca: the CA that issued the certificate', { path: 'caId', entity: 'ca' }),
    option('--expires-at <time>', 'such as 2030-01-31T12:00:00Z (default: as configured)'),
  ],
  afterCreate: {
    options: [{ flags: '-o, --output-jwt <file>', help: 'write the JWT for the device to FILE' }],
    step: 'enrollment',
  },
};

/** Such as `Firefox on Linux`. */
function programText({ program, operatingSystem }: JsonObject): unknown {
  return [program, operatingSystem].filter((word) => typeof word === 'string').join(' on ');
}

const apiSession: EntityDescriptor = {
  name: 'api-session',
  aliases: ['api-sessions'],
  path: '/api-sessions',
  help: 'sessions that are alive',
  lookupFields: [],
  columns: columns(
    'id',
    ['identity', identityName],
    ['expires', 'expiresAt'],
    ['factors', 'amr'],
    ['program', programText],
    ['signed in from', 'loginIpAddress'],
    ['address', 'ipAddress'],
    ['last activity', 'lastActivityAt'],
    'mechanism',
  ),
};

const browserSession: EntityDescriptor = {
  name: 'browser-session',
  aliases: ['browser-sessions'],
  path: '/browser-sessions',
  help: 'browsers in which a person is logged in',
  lookupFields: [],
  columns: columns(
    'id',
    ['identity', identityName],
    ['expires', 'expiresAt'],
    ['factors', 'amr'],
    ['program', programText],
    ['address', 'ipAddress'],
    ['last used', 'lastUsedAt'],
    'applications',
  ),
};

const revocation: EntityDescriptor = {
  name: 'revocation',
  aliases: ['revocations'],
  path: '/revocations',
  help: 'tokens, sessions, and whose sessions were revoked',
  lookupFields: [],
  sharesIdsWith: ['identity', 'ext-jwt-signer', 'ca'],
  columns: columns('id', 'type', ['issued before', 'issuedBefore'], ['expires', 'expiresAt']),
  createArguments: [
    argument(
      '<type>',
      'one access token; all sessions of an identity; one session; all that a signer or a CA has opened',
      { choices: ['JTI', 'IDENTITY', 'API_SESSION', 'EXT_JWT_SIGNER', 'CA'] },
    ),
    argument('<what>', 'jti of the token, id of the session, or name or id', { path: 'id', kind: 'revoked' }),
  ],
  options: [
    option(
      '--issued-before <time>',
      'not with JTI and API_SESSION: keep sessions opened after this time, such as 2030-01-31T12:00:00Z',
      { only: 'create' },
    ),
  ],
};

const configType: EntityDescriptor = {
  name: 'config-type',
  aliases: ['config-types'],
  path: '/config-types',
  help: 'names and ids of what clients ask for at login',
  lookupFields: ['name'],
  columns: columns('name', 'id'),
  createArguments: [argument('<name>', 'its name')],
  options: [
    option('--id <id>', 'the id that clients use for it', { only: 'create' }),
    newNameOption,
    tagOption,
  ],
  isUpdatable: true,
};

export const entities: readonly EntityDescriptor[] = [
  identity,
  authenticator,
  authPolicy,
  extJwtSigner,
  ca,
  enrollment,
  invitation,
  apiSession,
  browserSession,
  loginAttempt,
  auditEvent,
  controller,
  revocation,
  configType,
  oidcClient,
];

/** The entity of that name. @throws Error for a name that no descriptor has: a mistake in a descriptor */
export function entityNamed(name: string): EntityDescriptor {
  const entity = entities.find((candidate) => candidate.name === name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  return entity;
}

function disabledState(row: JsonObject): unknown {
  return row.disabled === true && typeof row.disabledUntil === 'string'
    ? `until ${withoutMilliseconds(row.disabledUntil)}`
    : row.disabled;
}
