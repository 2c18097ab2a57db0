import { configTypeEntity } from '../../model/entities/config-type.ts';
import type { ConfigTypeStore } from '../contracts/config-types.ts';
import { concern } from './concern.ts';
import { usualMethods, usualWrites } from './entity-methods.ts';
import { entityTable } from './entity-table.ts';
import { among, sql } from './intent.ts';

const table = entityTable(configTypeEntity);

export const configTypes = concern<ConfigTypeStore>()({
  writes: usualWrites(table, null),
  methods: (database) => ({
    ...usualMethods(table, database),
    async findByNames(names) {
      if (names.length === 0) return [];
      const named = sql`SELECT * FROM config_types WHERE name IN ${among(names)}`;
      return database.all(table.read, named.sql, ...named.params);
    },
  }),
});
