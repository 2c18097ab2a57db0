// Which address shows which screen. A list's filter is in its address, as plain words.

import { useQuery } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { named } from '../parts/language.ts';
import { Screen } from '../parts/screen.tsx';
import { Failure } from './parts/failure.tsx';
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

const loadOthers = () => import('./screens/others.ts');

/**
 * Loads the page again once the server answers. A browser does not fetch a module again that it could not load, and a
 * newer release has other files.
 */
async function reloadWhenReachable(): Promise<void> {
  await fetch(location.href);
  location.reload();
}

/** A screen whose code loads when the person opens it or another one like it. If that fails, a button tries again. */
function later(path: string, name: keyof Awaited<ReturnType<typeof loadOthers>>) {
  return route(path, function LaterScreen() {
    const query = useQuery({
      queryKey: ['other screens'],
      queryFn: loadOthers,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
    });
    const Found = query.data?.[name];
    if (Found !== undefined) return <Found />;
    return (
      <Screen title={named(texts.screens, path.split('/')[1] ?? '')}>
        {query.isError ? (
          <Failure error={query.error} retry={() => reloadWhenReachable().catch(() => undefined)} />
        ) : (
          <Loaded query={query}>{() => null}</Loaded>
        )}
      </Screen>
    );
  });
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
