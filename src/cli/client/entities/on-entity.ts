import { textField } from '../../../platform/formats/json-shape.ts';
import type { Texts, Work } from '../../terminal/command.ts';
import type { Report } from '../../terminal/output.ts';
import { type ApiClient, withApi } from '../connection/api-client.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

/** The entity that a command acts on. */
interface Target {
  readonly report: Report;
  readonly api: ApiClient;
  readonly id: string;
  /** The typed name or id. */
  readonly nameOrId: string;
  /** Its name, or what was typed. */
  readonly name: string;
  /** Its path below the management API. */
  readonly path: string;
}

/**
 * A command that acts on one entity, named by its first argument.
 * @param prepare runs before the server is asked: it checks what was typed and reads files
 */
export function onEntity<Options, Prepared = undefined>(
  kind: string,
  work: (target: Target, options: Options, prepared: Prepared) => Promise<void>,
  prepare?: (report: Report, options: Options, args: readonly string[]) => Promise<Prepared>,
) {
  const run: Work<Options & Texts<'server'>, readonly string[]> = async (report, options, args) => {
    const prepared = (await prepare?.(report, options, args)) as Prepared;
    const [nameOrId = ''] = args;
    await withApi(report, options.server, async (api) => {
      const entity = entityNamed(kind);
      const found = await findEntity(api, entity, nameOrId);
      const { id } = found;
      const path = `${entity.path}/${encodeURIComponent(id)}`;
      const name = textField(found, 'name') ?? nameOrId;
      await work({ report, api, id, nameOrId, name, path }, options, prepared);
    });
  };
  return run;
}
