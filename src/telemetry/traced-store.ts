// The store, with a span for each method call. A span has the name of the method and nothing of its arguments. Without
// a collector, the methods are those of the store itself.

import { lazily } from '../platform/lazily.ts';
import type { SpanDescription, Tracing, TracingInUse } from '../platform/tracing.ts';
import type { Store } from '../store/contracts/store.ts';

type System = 'sqlite' | 'postgresql';
type Concern = Readonly<Record<string, unknown>>;

/**
 * The same store, whose spans belong to the request that calls it. The traced methods replace the store's own, so that
 * every holder of a part of the store uses them too.
 * @param system the kind of database
 */
export function tracedStore(store: Store, tracing: TracingInUse, system: System): Store {
  // A member that is not a concern is a method of the store itself.
  const concerns = Object.entries(store).filter(([, concern]) => typeof concern !== 'function');
  const plain = concerns.map(([, concern]) => ({ ...concern }));
  const traced = { ...store };
  tracing.onChange((current) => {
    for (const [at, [name, concern]] of concerns.entries()) {
      const own = plain[at] as Concern;
      Object.assign(concern, current === null ? own : tracedConcern(own, { current, name, system }));
    }
    const { onBehalfOf, gather } = store;
    Object.assign(traced, current === null ? { onBehalfOf, gather } : tracedStores(store, current, system));
  });
  return traced;
}

/** The methods that make a store for one call. */
function tracedStores(store: Store, current: Tracing, system: System): Pick<Store, 'onBehalfOf' | 'gather'> {
  return {
    onBehalfOf: (...args) => tracedNow(store.onBehalfOf(...args), current, system),
    gather(...args) {
      const gathered = store.gather(...args);
      const commit = spanOf('gathered.commit', system);
      return {
        ...gathered,
        commit: (conditions) => current.within(commit, () => gathered.commit(conditions)),
      };
    },
  };
}

/** A store for one call, of which few concerns are used. */
function tracedNow(store: Store, current: Tracing, system: System): Store {
  const makers = (Object.keys(store) as (keyof Store)[]).map((name) => {
    const make = () => {
      const member = store[name];
      return typeof member === 'function' ? member : tracedConcern({ ...member }, { current, name, system });
    };
    return [name, make] as const;
  });
  return lazily(Object.fromEntries(makers), undefined) as unknown as Store;
}

function tracedConcern(concern: Concern, by: { current: Tracing; name: string; system: System }): Concern {
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
    // SQLite involves no other process.
    kind: system === 'sqlite' ? 'internal' : 'client',
    attributes: { 'db.system.name': system, 'db.operation.name': operation },
  };
}
