import { asList, asObject, type JsonObject, textField } from '../client/json-shape.ts';
import type { EntityDescriptor } from './descriptor.ts';

// What the service reports about itself.

/** Decision records. `explain REF` shows one in full. */
export const loginAttempt: EntityDescriptor = {
  name: 'login-attempt',
  aliases: ['login-attempts'],
  path: '/login-attempts',
  help: 'who tried to log in, and what was decided; explain shows one in full',
  lookupFields: [],
  isListOnly: true,
  columns: [
    { heading: 'reference', cell: (row) => row.reference },
    { heading: 'at', cell: (row) => row.at },
    { heading: 'who', cell: (row) => textField(asObject(row.identity), 'name') ?? row.subject },
    { heading: 'step', cell: (row) => row.step },
    { heading: 'outcome', cell: (row) => row.reason ?? row.outcome },
    { heading: 'address', cell: (row) => row.ipAddress },
    { heading: 'issuer', cell: (row) => row.issuer },
  ],
};

/** What was changed. The controller's log has it too. */
export const auditEvent: EntityDescriptor = {
  name: 'audit-event',
  aliases: ['audit-events'],
  path: '/audit-events',
  help: 'what was changed, by whom and from where',
  lookupFields: [],
  isListOnly: true,
  columns: [
    { heading: 'at', cell: (row) => row.at },
    { heading: 'event', cell: (row) => [row.event, row.action].filter((word) => word !== null).join(' ') },
    { heading: 'entity', cell: (row) => row.entity },
    { heading: 'about', cell: (row) => textField(asObject(row.identity), 'name') ?? row.entityId },
    { heading: 'by', cell: (row) => textField(asObject(row.byIdentity), 'name') ?? row.byIdentityId },
    { heading: 'address', cell: (row) => row.ipAddress },
    { heading: 'reference', cell: (row) => row.requestId },
  ],
};

/** The nodes, as they announce themselves. */
export const controller: EntityDescriptor = {
  name: 'controller',
  aliases: ['controllers'],
  path: '/controllers',
  help: 'the nodes of this service',
  lookupFields: ['name'],
  isLasting: true,
  columns: [
    { heading: 'name', cell: (row) => row.name },
    { heading: 'online', cell: (row) => row.isOnline },
    { heading: 'version', cell: (row) => row.version },
    { heading: 'started', cell: (row) => row.lastJoinedAt },
    { heading: 'issuers', cell: issuersOf },
    { heading: 'id', cell: (row) => row.id },
  ],
};

/** The addresses at which a node issues tokens. */
export function issuersOf(node: JsonObject): readonly unknown[] {
  return asList(asObject(node.apiAddresses)['edge-oidc']).map((address) => asObject(address).url);
}
