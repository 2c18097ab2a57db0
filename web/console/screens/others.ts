// The screens that few people open. They are loaded when one of them is opened, all at once: loaded apart, every
// combination of screens that share modules would make one more file for the browser to fetch at the start.

export { AuditScreen } from './audit.tsx';
export { CaScreen, CasScreen } from './cas/ca.tsx';
export { CertificatesScreen } from './certificates.tsx';
export { ClientScreen, ClientsScreen } from './clients/client.tsx';
export { EnrollmentsScreen } from './enrollments.tsx';
export { SubscriptionScreen, SubscriptionsScreen } from './events/subscription.tsx';
export { NodesScreen } from './nodes.tsx';
export { EditPersonScreen } from './people/edit-person.tsx';
export { ImportScreen } from './people/import.tsx';
export { NewPersonScreen } from './people/new-person.tsx';
export { PermissionsScreen } from './permissions.tsx';
export { PoliciesScreen, PolicyScreen } from './policy.tsx';
export { SessionsScreen } from './sessions.tsx';
export { SignerScreen, SignersScreen } from './signers/signer.tsx';
export { WhatIfScreen } from './what-if.tsx';
