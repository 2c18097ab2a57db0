import { asObject, type JsonObject } from '../client/json-shape.ts';
import { withoutMilliseconds } from '../terminal/table.ts';
import { authPolicy } from './auth-policy.ts';
import { ca } from './ca.ts';
import type { EntityDescriptor } from './descriptor.ts';
import { enrollment, invitation } from './enrollment.ts';
import { oidcClient } from './oidc-client.ts';
import { auditEvent, controller, loginAttempt } from './service.ts';

// The entities of the generic commands. To add one, add a descriptor to `entities`.

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
    { heading: 'admin', cell: rights },
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
      flags: '--permission <list>',
      path: 'permissions',
      kind: 'list',
      help: 'without administering: read, helpdesk; separated by commas',
    },
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
    {
      flags: '--password-must-change',
      path: 'passwordMustChange',
      kind: 'flag',
      help: 'the next login with a password asks for a new one',
    },
    { flags: '--disabled', path: 'disabled', kind: 'flag', only: 'update', help: 'it cannot log in' },
    {
      flags: '--disabled-until <time>',
      path: 'disabledUntil',
      kind: 'text',
      only: 'update',
      nullable: true,
      help: 'it cannot log in until a time such as 2030-01-31T12:00:00Z; empty: until it is enabled',
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
    load: async () => (await import('./new-identity.ts')).newIdentity,
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
  columns: [
    { heading: 'id', cell: (row) => row.id },
    { heading: 'method', cell: (row) => row.method },
    { heading: 'identity', cell: (row) => asObject(row.identity).name ?? row.identityId },
    { heading: 'username', cell: (row) => row.username },
    { heading: 'fingerprint', cell: (row) => row.fingerprint },
  ],
  createArguments: [
    {
      argument: '<method>',
      path: 'method',
      kind: 'text',
      choices: ['updb', 'cert'],
      help: 'password or certificate',
    },
    { argument: '<identity>', path: 'identityId', kind: 'reference', entity: 'identity', help: 'whose' },
    { argument: '[username]', path: 'username', kind: 'text', help: 'of a password' },
  ],
  options: [
    { flags: '--cert <file>', path: 'certPem', kind: 'file', only: 'create', help: 'the certificate' },
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
  afterCreate: { options: [], load: async () => (await import('./new-authenticator.ts')).newAuthenticator },
};

const extJwtSigner: EntityDescriptor = {
  name: 'ext-jwt-signer',
  aliases: ['ext-jwt-signers', 'external-jwt-signer'],
  path: '/external-jwt-signers',
  help: 'identity providers whose JWTs prove who somebody is',
  lookupFields: ['name'],
  columns: [
    { heading: 'name', cell: (row) => row.name },
    { heading: 'id', cell: (row) => row.id },
    { heading: 'enabled', cell: (row) => row.enabled },
    { heading: 'issuer', cell: (row) => row.issuer },
    { heading: 'audience', cell: (row) => row.audience },
    { heading: 'claim', cell: (row) => row.claimsProperty },
    { heading: 'keys', cell: (row) => row.jwksEndpoint ?? row.fingerprint },
  ],
  createArguments: [
    { argument: '<name>', path: 'name', kind: 'text', help: 'its name' },
    { argument: '<issuer>', path: 'issuer', kind: 'text', help: 'exactly as in its tokens' },
    { argument: '<audience>', path: 'audience', kind: 'text', help: 'that the tokens must be for' },
  ],
  options: [
    { flags: '--name <name>', path: 'name', kind: 'text', only: 'update', help: 'a new name' },
    { flags: '--issuer <issuer>', path: 'issuer', kind: 'text', only: 'update', help: 'another issuer' },
    {
      flags: '--audience <audience>',
      path: 'audience',
      kind: 'text',
      only: 'update',
      help: 'another audience',
    },
    { flags: '--enabled', path: 'enabled', kind: 'flag', help: 'its tokens are accepted' },
    { flags: '--jwks-endpoint <url>', path: 'jwksEndpoint', kind: 'text', help: 'https address of its keys' },
    { flags: '--cert <file>', path: 'certPem', kind: 'file', help: 'certificate with its key, instead' },
    {
      flags: '--kid <kid>',
      path: 'kid',
      kind: 'text',
      nullable: true,
      help: 'with --cert: the only key id that tokens may name',
    },
    {
      flags: '--claims-property <claim>',
      path: 'claimsProperty',
      kind: 'text',
      help: 'claim that names the identity, or a JSON pointer (default: sub)',
    },
    {
      flags: '--use-external-id',
      path: 'useExternalId',
      kind: 'flag',
      help: 'the claim is the external id of the identity, not its id',
    },
    {
      flags: '--require-verified-email',
      path: 'requireVerifiedEmail',
      kind: 'flag',
      help: 'an email claim counts only with email_verified: true (default); --no- for providers that never send it',
    },
    { flags: '--leeway <seconds>', path: 'leewaySeconds', kind: 'integer', help: '0 to 60 (default: 30)' },
    {
      flags: '--max-lifetime <seconds>',
      path: 'maxLifetimeSeconds',
      kind: 'integer',
      nullable: true,
      help: 'refuse tokens with a longer lifetime',
    },
    {
      flags: '--external-auth-url <url>',
      path: 'externalAuthUrl',
      kind: 'text',
      nullable: true,
      help: 'where clients get a token',
    },
    {
      flags: '--client-id <id>',
      path: 'clientId',
      kind: 'text',
      nullable: true,
      help: 'that clients use there',
    },
    {
      flags: '--scopes <list>',
      path: 'scopes',
      kind: 'list',
      help: 'that clients ask for, separated by commas',
    },
    {
      flags: '--send <token>',
      path: 'targetToken',
      kind: 'text',
      choices: ['ACCESS', 'ID'],
      help: 'which token clients send',
    },
    {
      flags: '--enroll-to-cert',
      path: 'enrollToCertEnabled',
      kind: 'flag',
      help: 'anybody with one of its tokens may enroll a client certificate',
    },
    {
      flags: '--enroll-to-token',
      path: 'enrollToTokenEnabled',
      kind: 'flag',
      help: 'anybody with one of its tokens gets an identity, and logs in with such tokens from then on',
    },
    {
      flags: '--enroll-auth-policy <policy>',
      path: 'enrollAuthPolicyId',
      kind: 'reference',
      entity: 'auth-policy',
      nullable: true,
      help: 'auth policy of identities that enroll so',
    },
    {
      flags: '--enroll-name-claim <claim>',
      path: 'enrollNameClaimsSelector',
      kind: 'text',
      help: 'claim that becomes their name, or a JSON pointer (default: sub)',
    },
    {
      flags: '--enroll-attribute-claim <claim>',
      path: 'enrollAttributeClaimsSelector',
      kind: 'text',
      nullable: true,
      help: 'claim that contains their role attributes, or a JSON pointer',
    },
    {
      flags: '--tag <key=value>',
      path: 'tags',
      kind: 'tags',
      help: 'may be repeated; an update replaces all',
    },
  ],
  isUpdatable: true,
  isForceable: true,
  hasFile: true,
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
  columns: [
    { heading: 'id', cell: (row) => row.id },
    { heading: 'identity', cell: (row) => asObject(row.identity).name ?? row.identityId },
    { heading: 'expires', cell: (row) => row.expiresAt },
    { heading: 'factors', cell: (row) => row.amr },
    { heading: 'program', cell: programText },
    { heading: 'signed in from', cell: (row) => row.loginIpAddress },
    { heading: 'address', cell: (row) => row.ipAddress },
    { heading: 'last activity', cell: (row) => row.lastActivityAt },
    { heading: 'mechanism', cell: (row) => row.mechanism },
  ],
};

const browserSession: EntityDescriptor = {
  name: 'browser-session',
  aliases: ['browser-sessions'],
  path: '/browser-sessions',
  help: 'browsers in which somebody is signed in',
  lookupFields: [],
  columns: [
    { heading: 'id', cell: (row) => row.id },
    { heading: 'identity', cell: (row) => asObject(row.identity).name ?? row.identityId },
    { heading: 'expires', cell: (row) => row.expiresAt },
    { heading: 'factors', cell: (row) => row.amr },
    { heading: 'program', cell: programText },
    { heading: 'address', cell: (row) => row.ipAddress },
    { heading: 'last used', cell: (row) => row.lastUsedAt },
    { heading: 'applications', cell: (row) => row.applications },
  ],
};

const revocation: EntityDescriptor = {
  name: 'revocation',
  aliases: ['revocations'],
  path: '/revocations',
  help: 'tokens, sessions, and whose sessions were revoked',
  lookupFields: [],
  namesOfOthers: ['identity', 'ext-jwt-signer', 'ca'],
  columns: [
    { heading: 'id', cell: (row) => row.id },
    { heading: 'type', cell: (row) => row.type },
    { heading: 'issued before', cell: (row) => row.issuedBefore },
    { heading: 'expires', cell: (row) => row.expiresAt },
  ],
  createArguments: [
    {
      argument: '<type>',
      path: 'type',
      kind: 'text',
      choices: ['JTI', 'IDENTITY', 'API_SESSION', 'EXT_JWT_SIGNER', 'CA'],
      help: 'one access token; all sessions of an identity; one session; all that a signer or a CA has opened',
    },
    {
      argument: '<what>',
      path: 'id',
      kind: 'revoked',
      help: 'jti of the token, id of the session, or name or id',
    },
  ],
  options: [
    {
      flags: '--issued-before <time>',
      path: 'issuedBefore',
      kind: 'text',
      only: 'create',
      help: 'not with JTI and API_SESSION: keep sessions opened after this time, such as 2030-01-31T12:00:00Z',
    },
  ],
};

const configType: EntityDescriptor = {
  name: 'config-type',
  aliases: ['config-types'],
  path: '/config-types',
  help: 'names and ids of what clients ask for at login',
  lookupFields: ['name'],
  columns: [
    { heading: 'name', cell: (row) => row.name },
    { heading: 'id', cell: (row) => row.id },
  ],
  createArguments: [{ argument: '<name>', path: 'name', kind: 'text', help: 'its name' }],
  options: [
    { flags: '--id <id>', path: 'id', kind: 'text', only: 'create', help: 'by which others know it' },
    { flags: '--name <name>', path: 'name', kind: 'text', only: 'update', help: 'a new name' },
    {
      flags: '--tag <key=value>',
      path: 'tags',
      kind: 'tags',
      help: 'may be repeated; an update replaces all',
    },
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
