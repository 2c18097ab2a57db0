// The store, with a span for each of its methods: a span has the name of the method, and nothing of its arguments.

import type { SpanDescription, Tracing } from '../platform/tracing.ts';
import type { Store } from '../store/contracts/store.ts';

type Concern = Readonly<Record<string, (...args: unknown[]) => unknown>>;

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
    const method = (...args: unknown[]) => tracing.within(span, () => (concern as Concern)[name]?.(...args));
    return [name, method];
  });
  return Object.fromEntries(members);
}
