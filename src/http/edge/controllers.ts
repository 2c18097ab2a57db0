import { nodeListFields } from '../../model/list-fields.ts';
import { controllerDocument, controllerSchema } from '../documents/controller-document.ts';
import { mapPage, pagedList } from '../documents/lists.ts';
import { clientApi, edgeRoutes } from '../request/edge-route.ts';
import { listParameters } from '../request/fields.ts';
import { listAnswer, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

/** Which other nodes a client that has logged in can use. */
export function controllersRoute(needs: Pick<EdgeServices, 'store' | 'clock'>): Route {
  return edgeRoutes(clientApi)('GET', 'controllers', {
    summary: 'List the controllers and where each serves its APIs',
    answer: listAnswer(controllerSchema, 'One page of the controllers'),
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
