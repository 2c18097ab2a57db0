// Which address shows which screen. A list's filter is in its address, as plain words.

import { useQuery } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { named } from '../parts/language.ts';
import { Screen } from '../parts/screen.tsx';
import { Loaded } from './parts/loaded.tsx';
import { AttemptScreen } from './screens/attempt.tsx';
import { AttemptsScreen } from './screens/attempts.tsx';
import { OverviewScreen } from './screens/overview.tsx';
import { PeopleScreen } from './screens/people.tsx';
import { PersonScreen } from './screens/person.tsx';
import { NotFound, Shell } from './shell.tsx';
import { texts } from './texts/texts.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

function route(path: string, component: FunctionComponent) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component,
    // Another person or entity is another screen: nothing that was typed stays.
    remountDeps: ({ params }) => params,
  });
}

/** A screen whose code loads when the person opens it. If that fails, a button tries again. */
function later<Name extends string>(
  path: string,
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
) {
  return route(path, function LaterScreen() {
    const query = useQuery({
      queryKey: ['screen', path],
      queryFn: async (): Promise<{ Found: FunctionComponent }> => ({ Found: (await load())[name] }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
    });
    const found = query.data;
    if (found !== undefined) return <found.Found />;
    return (
      <Screen title={named(texts.screens, path.split('/')[1] ?? '')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Screen>
    );
  });
}

const routes = [
  route('/', OverviewScreen),
  route('/people', PeopleScreen),
  later('/people/new', () => import('./screens/people/new-person.tsx'), 'NewPersonScreen'),
  later('/people/import', () => import('./screens/people/import.tsx'), 'ImportScreen'),
  route('/people/$id', PersonScreen),
  later('/people/$id/edit', () => import('./screens/people/edit-person.tsx'), 'EditPersonScreen'),
  route('/attempts', AttemptsScreen),
  route('/attempts/$id', AttemptScreen),
  later('/what-if', () => import('./screens/what-if.tsx'), 'WhatIfScreen'),
  later('/nodes', () => import('./screens/nodes.tsx'), 'NodesScreen'),
  later('/certificates', () => import('./screens/certificates.tsx'), 'CertificatesScreen'),
  later('/audit', () => import('./screens/audit.tsx'), 'AuditScreen'),
  later('/permissions', () => import('./screens/permissions.tsx'), 'PermissionsScreen'),
  later('/sessions', () => import('./screens/sessions.tsx'), 'SessionsScreen'),
  later('/enrollments', () => import('./screens/enrollments.tsx'), 'EnrollmentsScreen'),
  later('/policies', () => import('./screens/policy.tsx'), 'PoliciesScreen'),
  later('/policies/$id', () => import('./screens/policy.tsx'), 'PolicyScreen'),
  later('/signers', () => import('./screens/signers/signer.tsx'), 'SignersScreen'),
  later('/signers/$id', () => import('./screens/signers/signer.tsx'), 'SignerScreen'),
  later('/cas', () => import('./screens/cas/ca.tsx'), 'CasScreen'),
  later('/cas/$id', () => import('./screens/cas/ca.tsx'), 'CaScreen'),
  later('/events', () => import('./screens/events/subscription.tsx'), 'SubscriptionsScreen'),
  later('/events/$id', () => import('./screens/events/subscription.tsx'), 'SubscriptionScreen'),
  later('/clients', () => import('./screens/clients/client.tsx'), 'ClientsScreen'),
  later('/clients/$id', () => import('./screens/clients/client.tsx'), 'ClientScreen'),
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
