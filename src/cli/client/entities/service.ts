import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { columns, type EntityDescriptor } from './descriptor.ts';

// What the service reports about itself.

/** Decision records. `explain REF` shows one in full. */
export const loginAttempt: EntityDescriptor = {
  name: 'login-attempt',
  aliases: ['login-attempts'],
  path: '/login-attempts',
  help: 'who tried to log in, and what was decided; explain shows one in full',
  lookupFields: [],
  isListOnly: true,
  columns: columns(
    'reference',
    'at',
    ['who', (row) => textField(asObject(row.identity), 'name') ?? row.subject],
    'step',
    ['outcome', (row) => row.reason ?? row.outcome],
    ['address', 'ipAddress'],
    'issuer',
  ),
};

/** Changes of entities. The controller's log has it too. */
export const auditEvent: EntityDescriptor = {
  name: 'audit-event',
  aliases: ['audit-events'],
  path: '/audit-events',
  help: 'what was changed, by whom and from where',
  lookupFields: [],
  isListOnly: true,
  columns: columns(
    'at',
    ['event', (row) => [row.event, row.action].filter((word) => word !== null).join(' ')],
    'entity',
    ['about', (row) => textField(asObject(row.identity), 'name') ?? row.entityId],
    ['by', (row) => textField(asObject(row.byIdentity), 'name') ?? row.byIdentityId],
    ['address', 'ipAddress'],
    ['reference', 'requestId'],
  ),
};

/** The nodes, as they announce themselves. */
export const controller: EntityDescriptor = {
  name: 'controller',
  aliases: ['controllers'],
  path: '/controllers',
  help: 'the nodes of this service',
  lookupFields: ['name'],
  isLasting: true,
  columns: columns(
    'name',
    ['online', 'isOnline'],
    'version',
    ['started', 'lastJoinedAt'],
    ['issuers', issuersOf],
    'id',
  ),
};

/** The addresses at which a node issues tokens. */
export function issuersOf(node: JsonObject): readonly unknown[] {
  return asList(asObject(node.apiAddresses)['edge-oidc']).map((address) => asObject(address).url);
}
