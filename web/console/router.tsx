// Which address shows which screen. A list's filter is in its address, as plain words.

import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { laterScreen } from './parts/later-screen.tsx';
import { AttemptScreen } from './screens/attempt.tsx';
import { AttemptsScreen } from './screens/attempts.tsx';
import { OverviewScreen } from './screens/overview.tsx';
import { PeopleScreen } from './screens/people.tsx';
import { PersonScreen } from './screens/person.tsx';
import { PoliciesScreen } from './screens/policies.tsx';
import { PolicyScreen } from './screens/policy.tsx';
import { WhatIfScreen } from './screens/what-if.tsx';
import { NotFound, Shell } from './shell.tsx';
import { texts } from './texts/texts.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const { screens } = texts;

/** Parameters of the address that a screen knows. Others are dropped. */
const words =
  <const Names extends readonly string[]>(...names: Names) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
    ) as { readonly [Name in Names[number]]?: string };

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: OverviewScreen }),
  createRoute({
    getParentRoute: () => root,
    path: '/people',
    component: PeopleScreen,
    validateSearch: words('q', 'sort', 'page', 'state', 'policy', 'role'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/people/new',
    component: laterScreen(
      'new person',
      async () => (await import('./screens/people/new-person.tsx')).NewPersonScreen,
    ),
  }),
  createRoute({ getParentRoute: () => root, path: '/people/$id', component: PersonScreen }),
  createRoute({
    getParentRoute: () => root,
    path: '/people/$id/edit',
    component: laterScreen(
      'edit person',
      async () => (await import('./screens/people/edit-person.tsx')).EditPersonScreen,
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/attempts',
    component: AttemptsScreen,
    validateSearch: words(
      'person',
      'outcome',
      'reason',
      'step',
      'reference',
      'address',
      'from',
      'to',
      'page',
      'sort',
    ),
  }),
  createRoute({ getParentRoute: () => root, path: '/attempts/$id', component: AttemptScreen }),
  createRoute({
    getParentRoute: () => root,
    path: '/what-if',
    component: WhatIfScreen,
    validateSearch: words('person', 'method', 'policy'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/nodes',
    component: laterScreen('nodes', async () => (await import('./screens/nodes.tsx')).NodesScreen),
    validateSearch: words('sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/certificates',
    component: laterScreen(
      'certificates',
      async () => (await import('./screens/certificates.tsx')).CertificatesScreen,
    ),
    validateSearch: words('person', 'sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    component: laterScreen(
      'audit',
      async () => (await import('./screens/audit.tsx')).AuditScreen,
      screens.audit,
    ),
    validateSearch: words(
      'person',
      'by',
      'event',
      'entity',
      'reference',
      'address',
      'from',
      'to',
      'sort',
      'page',
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/permissions',
    component: laterScreen(
      'permissions',
      async () => (await import('./screens/permissions.tsx')).PermissionsScreen,
    ),
    validateSearch: words('q', 'right', 'sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sessions',
    component: laterScreen('sessions', async () => (await import('./screens/sessions.tsx')).SessionsScreen),
    validateSearch: words('person', 'kind', 'mechanism', 'address', 'sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/enrollments',
    component: laterScreen(
      'enrollments',
      async () => (await import('./screens/enrollments.tsx')).EnrollmentsScreen,
    ),
    validateSearch: words('person', 'kind', 'method', 'sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/policies',
    component: PoliciesScreen,
    validateSearch: words('q', 'sort', 'page'),
  }),
  createRoute({ getParentRoute: () => root, path: '/policies/$id', component: PolicyScreen }),
  createRoute({
    getParentRoute: () => root,
    path: '/signers',
    component: laterScreen(
      'signers',
      async () => (await import('./screens/signers/signers.tsx')).SignersScreen,
      screens.signers,
    ),
    validateSearch: words('q', 'state', 'sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/signers/$id',
    component: laterScreen(
      'signer',
      async () => (await import('./screens/signers/signer.tsx')).SignerScreen,
      screens.signers,
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/cas',
    component: laterScreen('cas', async () => (await import('./screens/cas/cas.tsx')).CasScreen, screens.cas),
    validateSearch: words('q', 'sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/cas/$id',
    component: laterScreen('ca', async () => (await import('./screens/cas/ca.tsx')).CaScreen, screens.cas),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/clients',
    component: laterScreen(
      'clients',
      async () => (await import('./screens/clients/clients.tsx')).ClientsScreen,
      screens.clients,
    ),
    validateSearch: words('q', 'type', 'sort', 'page'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/clients/$id',
    component: laterScreen(
      'client',
      async () => (await import('./screens/clients/client.tsx')).ClientScreen,
      screens.clients,
    ),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  // By default the router would write JSON into the address.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch(search) {
    const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
    const query = new URLSearchParams(given as [string, string][]).toString();
    return query === '' ? '' : `?${query}`;
  },
});
