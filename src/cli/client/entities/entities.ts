// The entities of the generic commands. To add one, add a descriptor to `entities`. Options and arguments follow from the
// tables of model/entities/.

import { authPolicyEntity } from '../../../model/entities/auth-policy.ts';
import { authenticatorEntity } from '../../../model/entities/authenticator.ts';
import { caEntity } from '../../../model/entities/ca.ts';
import { configTypeEntity } from '../../../model/entities/config-type.ts';
import { enrollmentEntity } from '../../../model/entities/enrollment.ts';
import { choice, text, time } from '../../../model/entities/entity.ts';
import { eventSubscriptionEntity } from '../../../model/entities/event-subscription.ts';
import { externalJwtSignerEntity } from '../../../model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../../model/entities/identity.ts';
import { oidcClientEntity } from '../../../model/entities/oidc-client.ts';
import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { password } from '../../terminal/command.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import { type EntityDescriptor, identityName, managed, reported } from './descriptor.ts';

const identity = managed(identityEntity, {
  help: 'people, devices and services that can authenticate',
  columns: [
    'name',
    'id',
    ['type', 'typeId'],
    ['admin', rights],
    ['disabled', disabledState],
    ['auth policy', (row) => asObject(row.authPolicy).name ?? row.authPolicyId],
    ['attributes', 'roleAttributes'],
  ],
  isUpdatable: true,
  changesMany: true,
  hasPreview: true,
  forceable: 'names',
  hasDetail: true,
  // As in the console.
  usually: { type: 'User' },
  foundBy: { path: '/authenticators', field: 'username', owner: 'identityId' },
  afterCreate: {
    options: {
      '--updb [username]': 'also give it a password; user name: its name, unless said otherwise',
      '-o, --output-jwt <file>':
        'let it enroll: write the JWT for the device to FILE; with --updb for a password that the person chooses',
      '--ott-ca <ca>': {
        help: 'with --output-jwt: it enrolls with a certificate of this third-party CA',
        needs: ['outputJwt'],
        conflicts: ['updb'],
      },
      ...password('with --updb: read the password', { needs: ['updb'], conflicts: ['outputJwt'] }),
    },
    step: 'identity',
  },
});

/** Whether it is an administrator, or otherwise which permissions it has. */
function rights({ isAdmin, permissions }: JsonObject): unknown {
  return isAdmin !== true && asList(permissions).length > 0 ? permissions : isAdmin;
}

function disabledState(row: JsonObject): unknown {
  return row.disabled === true && typeof row.disabledUntil === 'string'
    ? `until ${withoutMilliseconds(row.disabledUntil)}`
    : row.disabled;
}

const authenticator = managed(authenticatorEntity, {
  help: 'the credentials of identities',
  lookupFields: ['username', 'identityName'],
  columns: ['id', 'method', ['identity', identityName], 'username', 'fingerprint'],
  isUpdatable: true,
  forceable: 'names',
  hasPassword: true,
  afterCreate: { options: {}, step: 'authenticator' },
});

const authPolicy = managed(authPolicyEntity, {
  help: 'how identities may log in, and what else they must prove',
  columns: [
    'name',
    'id',
    ['allows', allowedMethods],
    ['totp', (row) => asObject(row.secondary).requireTotp],
    ['ext-jwt', (row) => asObject(row.secondary).requireExtJwt],
    ['locks after', (row) => asObject(asObject(row.primary).updb).maxAttempts],
    ['assigned to', 'assignTo'],
  ],
  isUpdatable: true,
  hasPreview: true,
  hasFile: true,
  forceable: 'changes',
});

function allowedMethods(row: JsonObject): unknown {
  const primary = asObject(row.primary);
  const words = { updb: 'password', cert: 'cert', extJwt: 'ext-jwt' };
  return Object.entries(words)
    .filter(([method]) => asObject(primary[method]).allowed === true)
    .map(([, word]) => word);
}

const extJwtSigner = managed(externalJwtSignerEntity, {
  aliases: ['ext-jwt-signers', 'external-jwt-signer'],
  help: 'identity providers with JWTs for logins',
  columns: [
    'name',
    'id',
    'enabled',
    'issuer',
    'audience',
    ['claim', 'claimsProperty'],
    ['keys', (row) => row.jwksEndpoint ?? row.fingerprint],
  ],
  isUpdatable: true,
  forceable: 'changes',
  hasFile: true,
});

const ca = managed(caEntity, {
  help: 'third-party authorities whose certificates log in',
  columns: ['name', 'id', ['logs in', 'isAuthEnabled'], ['verified', 'isVerified'], 'fingerprint'],
  isUpdatable: true,
  forceable: 'changes',
  hasFile: true,
});

const configType = managed(configTypeEntity, {
  help: 'names and ids of the config types that clients request at login',
  columns: ['name', 'id'],
  isUpdatable: true,
});

const eventSubscription = managed(eventSubscriptionEntity, {
  help: 'servers to which the audit trail and refused logins are sent',
  columns: ['name', 'id', 'type', 'enabled', 'url', 'waiting', 'failures'],
  isUpdatable: true,
});

const oidcClient = managed(oidcClientEntity, {
  help: 'applications that log people in here',
  columns: [
    'id',
    'name',
    'type',
    ['authentication', 'tokenEndpointAuthMethod'],
    ['redirect URIs', 'redirectUris'],
    ['APIs', 'apiAccess'],
  ],
  isUpdatable: true,
  hasFile: true,
});

/** Links with which people choose a password. `invite` makes and withdraws them. */
const invitation = reported('invitation', {
  help: 'open invitations; invite makes a link, and withdraws it',
  isListOnly: true,
  columns: [
    ['identity', identityName],
    ['made by', (row) => asObject(row.madeBy).name],
    ['made', 'createdAt'],
    ['expires', 'expiresAt'],
  ],
});

/** Open enrollments. `enrollment refresh` is in enrollment-actions.ts, `enroll` in client/enroll/. */
const enrollment = managed(enrollmentEntity, {
  help: 'one-time tokens with which identities enroll',
  lookupFields: ['identityName'],
  columns: ['id', 'method', ['identity', identityName], 'username', ['expires', 'expiresAt']],
  afterCreate: {
    options: { '-o, --output-jwt <file>': 'write the JWT for the device to FILE' },
    step: 'enrollment',
  },
});

const apiSession = reported('api-session', {
  help: 'sessions that are alive',
  columns: [
    'id',
    ['identity', identityName],
    ['expires', 'expiresAt'],
    ['factors', 'amr'],
    ['program', programText],
    ['signed in from', 'loginIpAddress'],
    ['address', 'ipAddress'],
    ['last activity', 'lastActivityAt'],
    'mechanism',
  ],
});

const browserSession = reported('browser-session', {
  help: 'browsers in which a person is logged in',
  columns: [
    'id',
    ['identity', identityName],
    ['expires', 'expiresAt'],
    ['factors', 'amr'],
    ['program', programText],
    ['address', 'ipAddress'],
    ['last used', 'lastUsedAt'],
    'applications',
  ],
});

const lastLogin = reported('last-login', {
  help: 'the last logins by identity, application and program, even if the session has ended',
  isListOnly: true,
  columns: [
    ['identity', identityName],
    ['application', 'clientId'],
    ['program', programText],
    ['address', 'ipAddress'],
    ['first', 'firstAt'],
    ['last', 'lastAt'],
  ],
});

/** Such as `Firefox on Linux`. */
function programText({ program, operatingSystem }: JsonObject): unknown {
  return [program, operatingSystem].filter((word) => typeof word === 'string').join(' on ');
}

/** Decision records. `explain REF` shows one in full. */
const loginAttempt = reported('login-attempt', {
  help: 'login attempts and their outcome; explain shows one in full',
  isListOnly: true,
  columns: [
    'reference',
    'at',
    ['who', (row) => textField(asObject(row.identity), 'name') ?? row.subject],
    'step',
    ['outcome', (row) => row.reason ?? row.outcome],
    ['address', 'ipAddress'],
    'issuer',
  ],
});

/** Changes of entities. The controller's log has it too. */
const auditEvent = reported('audit-event', {
  help: 'recorded changes: the change, its actor and address',
  isListOnly: true,
  columns: [
    'at',
    ['event', (row) => [row.event, row.action].filter((word) => word !== null).join(' ')],
    'entity',
    ['about', (row) => textField(asObject(row.identity), 'name') ?? row.entityId],
    ['by', (row) => textField(asObject(row.byIdentity), 'name') ?? row.byIdentityId],
    ['address', 'ipAddress'],
    ['reference', 'requestId'],
  ],
});

/** The nodes, as they announce themselves. */
const controller = reported('controller', {
  help: 'the nodes of this service',
  lookupFields: ['name'],
  isLasting: true,
  columns: [
    'name',
    ['online', 'isOnline'],
    'version',
    ['started', 'lastJoinedAt'],
    ['issuers', issuersOf],
    'id',
  ],
});

/** The addresses at which a node issues tokens. */
export function issuersOf(node: JsonObject): readonly unknown[] {
  return asList(asObject(node.apiAddresses)['edge-oidc']).map((address) => asObject(address).url);
}

/** The entity that a revocation of this type names. The others name something without a name. */
const revokedEntities = { IDENTITY: 'identity', EXT_JWT_SIGNER: 'ext-jwt-signer', CA: 'ca' };

const revocation = reported(
  'revocation',
  {
    help: 'revoked tokens and sessions, and identities whose sessions were revoked',
    sharesIdsWith: Object.values(revokedEntities),
    columns: ['id', 'type', ['issued before', 'issuedBefore'], ['expires', 'expiresAt']],
    namedById: ({ type }) => revokedEntities[type as keyof typeof revokedEntities],
  },
  {
    fields: {
      type: choice(['JTI', 'IDENTITY', 'API_SESSION', 'EXT_JWT_SIGNER', 'CA']),
      id: text(),
      issuedBefore: time(),
    },
    arguments: {
      type: 'one access token; all sessions of an identity; one session; all that a signer or a CA has opened',
      id: ['<what>', 'jti of the token (taken as typed), id of the session, or name or id'],
    },
    options: {
      issuedBefore:
        'not with JTI and API_SESSION: keep sessions opened after this time, such as 2030-01-31T12:00:00Z',
    },
  },
);

export const entities: readonly EntityDescriptor[] = [
  identity,
  authenticator,
  authPolicy,
  extJwtSigner,
  ca,
  enrollment,
  invitation,
  apiSession,
  lastLogin,
  browserSession,
  loginAttempt,
  auditEvent,
  controller,
  revocation,
  configType,
  eventSubscription,
  oidcClient,
];

/** The entity of that name. @throws Error for a name that no descriptor has: a mistake in a descriptor */
export function entityNamed(name: string): EntityDescriptor {
  const entity = entities.find((candidate) => candidate.name === name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  return entity;
}
