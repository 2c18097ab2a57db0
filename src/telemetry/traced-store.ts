// The store, with a span for each of its methods: a span has the name of the method, and nothing of its arguments.

import type { SpanDescription, Tracing } from '../platform/tracing.ts';
import type { Store } from '../store/contracts/store.ts';

type Method = (...args: unknown[]) => unknown;

/**
 * The same store, whose methods are parts of the request that calls them.
 * @param system what the database is called: `sqlite` or `postgresql`
 */
export function tracedStore(store: Store, tracing: Tracing, system: 'sqlite' | 'postgresql'): Store {
  const spanOf = (operation: string): SpanDescription => ({
    name: `store ${operation}`,
    // On SQLite nobody else is asked.
    kind: system === 'sqlite' ? 'internal' : 'client',
    attributes: { 'db.system.name': system, 'db.operation.name': operation },
  });
  const commit = spanOf('gathered.commit');
  const concerns = Object.entries(store).map(([name, concern]) => [
    name,
    // What is not a concern is a method of the store itself: see below.
    typeof concern === 'function'
      ? concern
      : tracedConcern(concern, (method) => spanOf(`${name}.${method}`), tracing),
  ]);
  return {
    ...(Object.fromEntries(concerns) as Store),
    onBehalfOf: (...args) => tracedStore(store.onBehalfOf(...args), tracing, system),
    gather(...args) {
      const gathered = store.gather(...args);
      return {
        ...gathered,
        commit: (conditions) => tracing.within(commit, () => gathered.commit(conditions)),
      };
    },
  };
}

function tracedConcern(
  concern: object,
  spanOf: (method: string) => SpanDescription,
  tracing: Tracing,
): Readonly<Record<string, unknown>> {
  const members = Object.entries(concern).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const span = spanOf(name);
    // Asked for at each call: a test may have put another one in its place.
    const current = () => (concern as Readonly<Record<string, Method>>)[name] as Method;
    const method: Method = (...args) => tracing.within(span, () => current().apply(concern, args));
    return [name, method];
  });
  return Object.fromEntries(members);
}
