// The store, with a span for each of its methods: a span has the name of the method, and nothing of its arguments. While
// no collector is named, the methods are those of the store itself.

import type { SpanDescription, Tracing, TracingInUse } from '../platform/tracing.ts';
import type { Store } from '../store/contracts/store.ts';

type System = 'sqlite' | 'postgresql';
type Concern = Readonly<Record<string, unknown>>;

/**
 * The same store, whose methods are parts of the request that calls them.
 * @param system what the database is called
 */
export function tracedStore(store: Store, tracing: TracingInUse, system: System): Store {
  // What is not a concern is a method of the store itself, and stays as it is.
  const concerns = Object.entries(store).filter(([, concern]) => typeof concern !== 'function');
  const own = Object.fromEntries(concerns.map(([name, concern]) => [name, { ...concern }]));
  const put = (current: Tracing | null) => {
    for (const [name, concern] of concerns) {
      const traced = current === null ? concern : tracedConcern(concern, { current, name, system });
      // Whoever holds a concern for long gets its methods too.
      Object.assign(own[name] as object, traced);
    }
  };
  put(tracing.current);
  tracing.onChange(put);
  return {
    ...store,
    ...(own as unknown as Store),
    onBehalfOf(...args) {
      const acting = store.onBehalfOf(...args);
      return tracing.current === null ? acting : tracedNow(acting, tracing.current, system);
    },
    gather(...args) {
      const gathered = store.gather(...args);
      const { current } = tracing;
      if (current === null) return gathered;
      const commit = spanOf('gathered.commit', system);
      return {
        ...gathered,
        commit: (conditions) => current.within(commit, () => gathered.commit(conditions)),
      };
    },
  };
}

/** A store for one call. */
function tracedNow(store: Store, current: Tracing, system: System): Store {
  const members = Object.entries(store).map(([name, concern]) => [
    name,
    typeof concern === 'function' ? concern : tracedConcern(concern, { current, name, system }),
  ]);
  return Object.fromEntries(members) as Store;
}

function tracedConcern(
  concern: Concern,
  by: { readonly current: Tracing; readonly name: string; readonly system: System },
): Concern {
  const members = Object.entries(concern).map(([method, member]) => {
    if (typeof member !== 'function') return [method, member];
    const span = spanOf(`${by.name}.${method}`, by.system);
    return [method, (...args: unknown[]) => by.current.within(span, () => member(...args))];
  });
  return Object.fromEntries(members);
}

function spanOf(operation: string, system: System): SpanDescription {
  return {
    name: `store ${operation}`,
    // On SQLite nobody else is asked.
    kind: system === 'sqlite' ? 'internal' : 'client',
    attributes: { 'db.system.name': system, 'db.operation.name': operation },
  };
}
