import { z } from 'zod';
import {
  createConfigType,
  deleteConfigType,
  getConfigType,
  updateConfigType,
} from '../../admin/config-types.ts';
import type { ConfigType } from '../../model/config-type.ts';
import { configTypeListFields } from '../../model/list-fields.ts';
import { mapPage } from '../documents/lists.ts';
import { entityHead, entityMembers } from '../documents/wire.ts';
import { idText, tags } from '../request/fields.ts';
import type { Route } from '../request/route.ts';
import type { ManagementNeeds } from './needs.ts';
import { operation, resourceRoutes } from './resource.ts';

const configTypeSchema = z.strictObject({ ...entityMembers, name: z.string() }).meta({ id: 'ConfigType' });

const fields = z.strictObject({ name: z.string(), tags });
const replacement = fields.extend({ tags: tags.default({}) });
/** The caller may choose the id: other controllers and their clients know the type by it. */
const newConfigType = replacement.extend({ id: idText.optional() });

/** `/config-types`: names and ids, for what clients ask for at login. */
export function configTypeRoutes(needs: ManagementNeeds): readonly Route[] {
  return resourceRoutes({
    collection: 'config-types',
    versioned: { entity: 'config-types', versions: needs.store.versions },
    noun: 'a configuration type',
    document: configTypeSchema,
    sentByOthers: ['schema'],
    listFields: configTypeListFields,
    list: async (query) => mapPage(await needs.store.configTypes.list(query), configTypeDocument),
    get: async (id) => configTypeDocument(await getConfigType(needs, id)),
    create: operation(newConfigType, (by, { id, ...configType }) =>
      createConfigType(needs, by, { wantedId: id, fields: configType }),
    ),
    replace: operation(replacement, (by, configType, id) =>
      updateConfigType(needs, by, { id, fields: configType }),
    ),
    patch: operation(fields.partial(), (by, some, id) => updateConfigType(needs, by, { id, fields: some })),
    remove: (by, id) => deleteConfigType(needs, by, id),
  });
}

function configTypeDocument(configType: ConfigType): object {
  return {
    ...entityHead('config-types', configType),
    name: configType.name,
  };
}
