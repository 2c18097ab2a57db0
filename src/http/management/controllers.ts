import { existing } from '../../errors/auth-error.ts';
import { nodeListFields } from '../../model/list-fields.ts';
import { controllerDocument, controllerSchema } from '../documents/controller-document.ts';
import { mapPage } from '../documents/lists.ts';
import type { Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { resourceRoutes } from './resource.ts';

/** `/controllers`: the nodes, as they announce themselves. */
export function controllerRoutes({ store, clock }: EdgeServices): readonly Route[] {
  return resourceRoutes({
    collection: 'controllers',
    noun: 'a controller',
    document: controllerSchema,
    listFields: nodeListFields,
    list: async (query) =>
      mapPage(await store.nodes.list(query), (node) => controllerDocument(node, clock.now())),
    async get(id) {
      const node = existing(await store.nodes.find(id));
      return controllerDocument(node, clock.now());
    },
  });
}
