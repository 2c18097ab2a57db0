import { nodeListFields } from '../../model/list-fields.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../store/contracts/store.ts';
import { controllerDocument, controllerSchema } from '../documents/controller-document.ts';
import { mapPage, pagedList } from '../documents/lists.ts';
import { listParameters } from '../request/fields.ts';
import { listAnswer, type Route, route } from '../request/route.ts';

/** Which other nodes a client that has logged in can use. */
export function controllersRoute(
  needs: { readonly store: Pick<Store, 'nodes'>; readonly clock: Clock },
  path: string,
): Route {
  return route({
    methods: ['GET', 'HEAD'],
    path,
    api: 'edge-client',
    guard: 'full',
    errors: 'edge',
    summary: 'List the controllers and where each serves its APIs',
    answers: { 200: listAnswer(controllerSchema, 'One page of the controllers') },
    refusals: ['invalid_filter'],
    query: listParameters,
    handler({ principal }, { query }) {
      const asked = { parameters: query, fields: nodeListFields, reader: principal };
      return pagedList(asked, async (page) => {
        const now = needs.clock.now();
        return mapPage(await needs.store.nodes.list(page), (node) => controllerDocument(node, now));
      });
    },
  });
}
