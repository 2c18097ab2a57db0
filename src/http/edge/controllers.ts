import { listQuery } from '../../admin/list-parameters.ts';
import { nodeListFields } from '../../model/list-fields.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../store/contracts/store.ts';
import { controllerDocument, controllerSchema } from '../documents/controller-document.ts';
import { listMeta } from '../documents/lists.ts';
import { envelope } from '../request/answer.ts';
import { listAnswer } from '../request/declared-answers.ts';
import { listParameters } from '../request/fields.ts';
import { type Route, route } from '../request/route.ts';

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
    async handler(_context, { query }) {
      const asked = listQuery(query, nodeListFields);
      const page = await needs.store.nodes.list(asked);
      const now = needs.clock.now();
      const documents = page.items.map((node) => controllerDocument(node, now));
      return envelope(documents, listMeta(nodeListFields, asked, page));
    },
  });
}
