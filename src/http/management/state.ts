// Declarative state: what administrators manage as one document, read and applied as a whole.

import { z } from 'zod';
import { applyState } from '../../admin/state/apply-state.ts';
import { exportState } from '../../admin/state/read-state.ts';
import {
  type AuthPolicyState,
  type NamedState,
  type OidcClientState,
  type StateChanges,
  type StateKind,
  stateKinds,
} from '../../admin/state/state.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { shownValue } from '../../model/entities/shown.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import { parseStrictJson } from '../../platform/formats/strict-json.ts';
import { decodeUtf8 } from '../../platform/formats/utf8.ts';
import { collected } from '../../platform/in-chunks.ts';
import { inWholeTurn, wholeRead } from '../documents/whole-reads.ts';
import { adminCallOf } from '../request/admin-call.ts';
import { envelope, jsonParts } from '../request/answer.ts';
import { readRawBody, validate } from '../request/body.ts';
import { dataAnswer } from '../request/declared-answers.ts';
import { changeParameters } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Route } from '../request/route.ts';
import { adminRoute } from './admin-route.ts';
import type { ManagementNeeds } from './needs.ts';
import { clientNeeds, durationOf } from './oidc-clients.ts';
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
  .transform((text) => (text === undefined ? [...stateKinds] : text.split(',')))
  .pipe(z.array(z.enum(stateKinds)))
  .meta({ description: `Kinds with commas between; left out: ${stateKinds.join(',')}` });

/** `/state` */
export function stateRoutes(managementNeeds: ManagementNeeds): readonly Route[] {
  const needs = { ...managementNeeds, ...clientNeeds(managementNeeds) };
  return [
    adminRoute('GET', 'state', {
      operationId: 'readState',
      summary: 'Read the managed entities as one document, without secrets',
      answer: dataAnswer(stateSchema, 'Entities by kind, in the order of their names'),
      query: z.object({ kinds: kindNames }),
      async handler({ principal }, { query }) {
        const parts = stateDocument(exportState(needs, query.kinds, principal), query.kinds);
        if (principal.isAdmin) return wholeRead(principal.identityId, parts);
        // A bounded document is sent as a whole, or refused.
        return jsonParts(await inWholeTurn(principal.identityId, () => collected(parts)));
      },
    }),
    adminRoute('POST', 'state', {
      operationId: 'applyState',
      summary: 'Apply a document to the managed entities, completely or not at all',
      answer: dataAnswer(stateChangesSchema, 'What was created, changed and deleted, or would be'),
      refusals: [
        'could_not_parse_body',
        'unsupported_media_type',
        'could_not_validate',
        'conflict',
        'cannot_be_deleted',
        'cannot_delete_referenced',
      ],
      rawBody: [jsonType],
      describedBody: application,
      bodyLimit: largestDocument,
      query: changeParameters,
      async handler(context, { query }) {
        const { state, ...options } = applicationOf(context);
        const by = adminCallOf(context, query.force);
        const changes = await inWholeTurn(by.actor.identityId, () =>
          applyState(needs, by, { document: state, options }),
        );
        return envelope(changesDocument(changes));
      },
    }),
  ];
}

/** The document in its envelope. */
async function* stateDocument(
  state: ReturnType<typeof exportState>,
  kinds: readonly StateKind[],
): AsyncGenerator<string> {
  let last: StateKind | null = null;
  for await (const { kind, states } of state) {
    const begin = last === null ? '{"data":{' : '],';
    const text = JSON.stringify(states.map((each) => entityDocument(kind, each))).slice(1, -1);
    if (kind === last) yield `,${text}`;
    else yield `${begin}${JSON.stringify(kind)}:[${text}`;
    last = kind;
  }
  yield kinds.length === 0 ? '{"data":{},"meta":{}}' : ']},"meta":{}}';
}

/** Durations are text on the wire. */
function entityDocument(kind: StateKind, state: NamedState): object {
  if (kind === 'auth-policy') return policyDocument(state as AuthPolicyState);
  return kind === 'oidc-client' ? { ...state, ...durationsOf(state as OidcClientState) } : state;
}

function policyDocument(policy: AuthPolicyState): object {
  return policy.primary === undefined
    ? policy
    : { ...policy, primary: shownValue(authPolicyEntity.fields.primary, policy.primary) };
}

function durationsOf({ accessTokenDuration = null, refreshTokenDuration = null }: OidcClientState): object {
  return {
    accessTokenDuration: durationOf(accessTokenDuration),
    refreshTokenDuration: durationOf(refreshTokenDuration),
  };
}

function changesDocument(changes: StateChanges): StateChanges {
  const shown = (field: string, value: unknown): unknown => {
    if (field === 'jwks' && value !== null) return JSON.stringify(value);
    return /^(?:(?:access|refresh)TokenDuration|primary\.updb\.mustChangeAfter)$/.test(field) &&
      typeof value === 'number'
      ? durationOf(value)
      : value;
  };
  const changed = changes.changed.map((entity) => ({
    ...entity,
    fields: entity.fields.map(({ field, before, after }) => ({
      field,
      before: shown(field, before),
      after: shown(field, after),
    })),
  }));
  return { ...changes, changed };
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
