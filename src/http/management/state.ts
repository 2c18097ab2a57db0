// Declarative state: what administrators manage as one document, read and applied as a whole.

import { z } from 'zod';
import { applyState } from '../../admin/state/apply-state.ts';
import { exportState } from '../../admin/state/read-state.ts';
import type { NamedState, StateChanges } from '../../admin/state/state.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { entityNamed } from '../../model/entities/all-entities.ts';
import { type Field, type Fields, text } from '../../model/entities/entity.ts';
import { shownValue } from '../../model/entities/shown.ts';
import { stateFields } from '../../model/entities/state-fields.ts';
import { type StateKind, stateKinds } from '../../model/entities/state-kinds.ts';
import { decodeUtf8, MalformedInput, parseStrictJson } from '../../platform/formats/strict-input.ts';
import { inWholeTurn, wholeRead } from '../documents/lists.ts';
import { jsonParts } from '../request/answer.ts';
import { readRawBody, validate } from '../request/body.ts';
import { changeParameters } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import { adminRoute, dataAnswer, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { stateChangesSchema, stateSchema } from './state-schemas.ts';

const jsonType = 'application/json';
/** Large, because a document names every identity. */
const largestDocument = 16 * 1024 * 1024;
const mostMembers = 1_000_000;

const application = z.strictObject({
  state: stateSchema,
  prune: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});

const kindNames = z
  .string()
  .optional()
  .transform((text) => [...new Set(text?.split(',') ?? stateKinds)])
  .pipe(z.array(z.enum(stateKinds)))
  .describe(`Kinds with commas between; left out: ${stateKinds.join(',')}`);

/** `/state` */
export function stateRoutes(needs: EdgeServices): readonly Route[] {
  return [
    adminRoute('GET', 'state', {
      operationId: 'readState',
      summary: 'Read the managed entities as one document, without secrets',
      answer: dataAnswer(stateSchema, 'Entities by kind, in the order of their names'),
      query: z.object({ kinds: kindNames }),
      async handler({ principal }, { query }) {
        const parts = stateDocument(exportState(needs, query.kinds, principal));
        if (principal.isAdmin) return wholeRead(principal.identityId, parts);
        // A bounded document is sent as a whole, or refused.
        return jsonParts(await inWholeTurn(principal.identityId, () => Array.fromAsync(parts)));
      },
    }),
    adminRoute('POST', 'state', {
      operationId: 'applyState',
      summary: 'Apply a document to the managed entities, completely or not at all',
      answer: dataAnswer(
        stateChangesSchema,
        'The entities that were created, changed and deleted, or would be',
      ),
      refusals: [
        'could_not_parse_body',
        'could_not_validate',
        'conflict',
        'cannot_be_deleted',
        'cannot_delete_referenced',
      ],
      rawBody: [jsonType],
      described: { body: application },
      bodyLimit: largestDocument,
      query: changeParameters,
      async data(context, { query }) {
        const { state, ...options } = applicationOf(context);
        const by = context.adminCall(query.force);
        const changes = await inWholeTurn(by.actor.identityId, () =>
          applyState(needs, by, { document: state, options }),
        );
        return changesDocument(changes);
      },
    }),
  ];
}

/** The document in its envelope. */
async function* stateDocument(state: ReturnType<typeof exportState>): AsyncGenerator<string> {
  let last: StateKind | null = null;
  for await (const { kind, states } of state) {
    const begin = last === null ? '{"data":{' : '],';
    const text = JSON.stringify(states.map((each) => entityDocument(kind, each))).slice(1, -1);
    if (kind !== last) yield `${begin}${JSON.stringify(kind)}:[${text}`;
    // What was to come on this page may have been deleted since the one before was read.
    else if (text !== '') yield `,${text}`;
    last = kind;
  }
  yield ']},"meta":{}}';
}

function entityDocument(kind: StateKind, state: NamedState): object {
  const { id } = state;
  return { ...(id !== undefined && { id }), ...membersDocument(entityNamed(kind).fields, state) };
}

/** Times and durations are text on the wire. */
function membersDocument(fields: Fields, members: object): object {
  const given = members as Readonly<Record<string, unknown>>;
  const shown = stateFields(fields).flatMap(({ member, field }): [string, unknown][] => {
    const value = given[member];
    if (value === undefined || (value === null && field.isShownIfSet)) return [];
    return [[member, shownInState(field, value)]];
  });
  return Object.fromEntries(shown);
}

function shownInState(field: Field, value: unknown): unknown {
  const isWhole = (field.kind === 'group' || field.kind === 'object') && typeof value === 'object';
  return isWhole && value !== null ? membersDocument(field.members, value) : shownValue(field, value);
}

function changesDocument(changes: StateChanges): StateChanges {
  const changed = changes.changed.map(({ kind, name, fields }) => ({
    kind,
    name,
    fields: fields.map(({ field, before, after }) => ({
      field,
      before: shownMember(kind, field, before),
      after: shownMember(kind, field, after),
    })),
  }));
  return { ...changes, changed };
}

/** @param path of the member, such as `primary.updb.mustChangeAfter` */
function shownMember(kind: StateKind, path: string, value: unknown): unknown {
  const fields = path.split('.').reduce<Fields>((among, name) => {
    const field = stateFields(among).find(({ member }) => member === name)?.field;
    return field?.kind === 'group' ? field.members : { found: field ?? text() };
  }, entityNamed(kind).fields);
  const { found } = fields;
  if (found?.kind === 'jwks' && value !== null) return JSON.stringify(value);
  return found === undefined ? value : shownInState(found, value);
}

/** Like the bodies of other endpoints, but larger. */
function applicationOf(context: RequestContext): z.output<typeof application> {
  const bytes = readRawBody(context, [jsonType]);
  try {
    return validate(parseStrictJson(decodeUtf8(bytes), { maxKeys: mostMembers }), application);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw new AuthError('could_not_parse_body', { fields: [{ field: 'body', reason: error.reason }] });
  }
}
