// Which address shows which screen. A list's filter is in its address, as plain words.

import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { named } from '../parts/language.ts';
import { Screen } from '../parts/screen.tsx';
import { Later } from './parts/later.tsx';
import { NotFound } from './parts/loaded.tsx';
import { AttemptScreen } from './screens/attempt.tsx';
import { AttemptsScreen } from './screens/attempts.tsx';
import { OverviewScreen } from './screens/overview.tsx';
import { PeopleScreen } from './screens/people.tsx';
import { PersonScreen } from './screens/person.tsx';
import { Shell } from './shell.tsx';
import { texts } from './texts/texts.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: () => <NotFound /> });

function route(path: string, component: FunctionComponent) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component,
    // Another person or entity is another screen: nothing that was typed stays.
    remountDeps: ({ params }) => params,
  });
}

const loadOthers = () => import('./screens/others.ts');

/** A screen whose code loads when the person opens it or another one like it. */
function later(path: string, name: keyof Awaited<ReturnType<typeof loadOthers>>) {
  const title = named(texts.screens, path.split('/')[1] ?? '');
  return route(path, () => (
    <Later
      name="other screens"
      load={loadOthers}
      frame={(progress) => <Screen title={title}>{progress}</Screen>}
    >
      {({ [name]: Found }) => <Found />}
    </Later>
  ));
}

const routes = [
  route('/', OverviewScreen),
  route('/people', PeopleScreen),
  later('/people/new', 'NewPersonScreen'),
  later('/people/import', 'ImportScreen'),
  route('/people/$id', PersonScreen),
  later('/people/$id/edit', 'EditPersonScreen'),
  route('/attempts', AttemptsScreen),
  route('/attempts/$id', AttemptScreen),
  later('/what-if', 'WhatIfScreen'),
  later('/nodes', 'NodesScreen'),
  later('/certificates', 'CertificatesScreen'),
  later('/audit', 'AuditScreen'),
  later('/permissions', 'PermissionsScreen'),
  later('/sessions', 'SessionsScreen'),
  later('/enrollments', 'EnrollmentsScreen'),
  later('/policies', 'PoliciesScreen'),
  later('/policies/$id', 'PolicyScreen'),
  later('/signers', 'SignersScreen'),
  later('/signers/$id', 'SignerScreen'),
  later('/cas', 'CasScreen'),
  later('/cas/$id', 'CaScreen'),
  later('/events', 'SubscriptionsScreen'),
  later('/events/$id', 'SubscriptionScreen'),
  later('/clients', 'ClientsScreen'),
  later('/clients/$id', 'ClientScreen'),
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
