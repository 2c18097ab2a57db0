// Which address shows which screen. A list's filter is in its address, as plain words.

import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { laterScreen } from './parts/later-screen.tsx';
import { AttemptScreen } from './screens/attempt.tsx';
import { AttemptsScreen } from './screens/attempts.tsx';
import { OverviewScreen } from './screens/overview.tsx';
import { PeopleScreen } from './screens/people.tsx';
import { PersonScreen } from './screens/person.tsx';
import { NotFound, Shell } from './shell.tsx';
import { texts } from './texts/texts.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const { screens } = texts;

/** @param names parameters of the address that the screen knows, beside those of every list. Others are dropped. */
function route(path: string, component: FunctionComponent, names: readonly string[] = []) {
  const known = [...names, 'sort', 'page'];
  return createRoute({
    getParentRoute: () => root,
    path,
    component,
    validateSearch: (search: Record<string, unknown>) =>
      Object.fromEntries(
        known.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
      ),
  });
}

const routes = [
  route('/', OverviewScreen),
  route('/people', PeopleScreen, ['q', 'state', 'policy', 'role']),
  route(
    '/people/new',
    laterScreen(async () => (await import('./screens/people/new-person.tsx')).NewPersonScreen),
  ),
  route('/people/$id', PersonScreen),
  route(
    '/people/$id/edit',
    laterScreen(async () => (await import('./screens/people/edit-person.tsx')).EditPersonScreen),
  ),
  route('/attempts', AttemptsScreen, [
    ...['person', 'outcome', 'reason', 'step', 'reference', 'address', 'from', 'to'],
  ]),
  route('/attempts/$id', AttemptScreen),
  route(
    '/what-if',
    laterScreen(async () => (await import('./screens/what-if.tsx')).WhatIfScreen, screens.whatIf),
    ['person', 'method', 'policy'],
  ),
  route(
    '/nodes',
    laterScreen(async () => (await import('./screens/nodes.tsx')).NodesScreen, screens.health),
  ),
  route(
    '/certificates',
    laterScreen(
      async () => (await import('./screens/certificates.tsx')).CertificatesScreen,
      screens.certificates,
    ),
    ['person'],
  ),
  route(
    '/audit',
    laterScreen(async () => (await import('./screens/audit.tsx')).AuditScreen, screens.audit),
    ['person', 'by', 'event', 'entity', 'reference', 'address', 'from', 'to'],
  ),
  route(
    '/permissions',
    laterScreen(
      async () => (await import('./screens/permissions.tsx')).PermissionsScreen,
      screens.permissions,
    ),
    ['q', 'right'],
  ),
  route(
    '/sessions',
    laterScreen(async () => (await import('./screens/sessions.tsx')).SessionsScreen, screens.sessions),
    ['person', 'kind', 'mechanism', 'program', 'address'],
  ),
  route(
    '/enrollments',
    laterScreen(
      async () => (await import('./screens/enrollments.tsx')).EnrollmentsScreen,
      screens.enrollments,
    ),
    ['person', 'kind', 'method'],
  ),
  route(
    '/policies',
    laterScreen(async () => (await import('./screens/policies.tsx')).PoliciesScreen, screens.policies),
    ['q'],
  ),
  route(
    '/policies/$id',
    laterScreen(async () => (await import('./screens/policy.tsx')).PolicyScreen, screens.policies),
  ),
  route(
    '/signers',
    laterScreen(async () => (await import('./screens/signers/signers.tsx')).SignersScreen, screens.signers),
    ['q', 'enabled'],
  ),
  route(
    '/signers/$id',
    laterScreen(async () => (await import('./screens/signers/signer.tsx')).SignerScreen, screens.signers),
  ),
  route(
    '/cas',
    laterScreen(async () => (await import('./screens/cas/cas.tsx')).CasScreen, screens.cas),
    ['q'],
  ),
  route(
    '/cas/$id',
    laterScreen(async () => (await import('./screens/cas/ca.tsx')).CaScreen, screens.cas),
  ),
  route(
    '/clients',
    laterScreen(async () => (await import('./screens/clients/clients.tsx')).ClientsScreen, screens.clients),
    ['q', 'type'],
  ),
  route(
    '/clients/$id',
    laterScreen(async () => (await import('./screens/clients/client.tsx')).ClientScreen, screens.clients),
  ),
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
