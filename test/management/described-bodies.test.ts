// What the API description says of bodies is what the server does: a generated client that keeps to it is not refused
// for an empty text, a missing member or a wrong word, and is not kept from what would be accepted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import type { JsonSchema } from '../../src/model/json-schema.ts';
import { authority } from '../support/chains.ts';
import { createdId, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

type Body = Readonly<Record<string, unknown>>;

const server = await serverOfFile({ signing: true });
const admin = await rootOf(server);
const root = '/edge/management/v1';
const { paths, components }: OpenApiDocument = (await server.get(`${root}/openapi.json`)).json;

const serial = Array.from({ length: 10_000 }, (_value, at) => at).values();
const unused = (prefix: string) => `${prefix}-${serial.next().value}`;
const identityId = async () => createdId(await admin.call('POST', 'identities', { name: unused('of') }));

/** A valid body of each entity that can be created, different with each call. */
const fresh: Readonly<Record<string, () => Body | Promise<Body>>> = {
  identities: () => ({ name: unused('identity'), type: 'User', email: 'ada@example.com' }),
  authenticators: async () => ({
    method: 'updb',
    identityId: await identityId(),
    username: unused('user'),
    password,
  }),
  'auth-policies': () => ({ name: unused('policy') }),
  'external-jwt-signers': () => ({
    name: unused('signer'),
    issuer: `https://idp.example/${unused('issuer')}`,
    audience: 'overlay',
    jwksEndpoint: 'https://idp.example/keys',
  }),
  cas: () => ({ name: unused('ca'), certPem: authority().certPem, externalIdClaim: { location: 'SAN_URI' } }),
  'oidc-clients': () => ({ name: unused('app'), type: 'confidential' }),
  enrollments: async () => ({ method: 'ott', identityId: await identityId() }),
  revocations: () => ({ id: unused('jti'), type: 'JTI' }),
  'config-types': () => ({ name: unused('type') }),
  'event-subscriptions': () => ({
    name: unused('subscriber'),
    type: 'webhook',
    url: `https://events.example/${unused('path')}`,
  }),
};

/** What no schema can say, because it depends on another member. */
const dependOnOthers: readonly string[] = [
  'PATCH identities.emailVerified',
  'POST authenticators.certPem',
  'POST cas.externalIdClaim.index',
  'POST enrollments.username',
  'POST external-jwt-signers.createIdentities',
  'PATCH external-jwt-signers.createIdentities',
];

const wrongValues = [undefined, null, '', 'no such word', 'x'.repeat(256), -1, 1.5, true, [''], {}];

/** The schema, and those that it is made of. */
function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const { $ref, anyOf, oneOf, allOf } = schema as Record<string, unknown>;
  if (typeof $ref === 'string') return alternatives(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const parts = (anyOf ?? oneOf ?? allOf) as readonly JsonSchema[] | undefined;
  return parts === undefined ? [schema] : parts.flatMap(alternatives);
}

/** Every member that a body may have, by its path. */
function membersIn(schema: JsonSchema, path: readonly string[] = []): [readonly string[], JsonSchema][] {
  return alternatives(schema).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, member]): [readonly string[], JsonSchema][] => [
      [[...path, name], member],
      ...membersIn(member, [...path, name]),
    ]),
  );
}

function withMember(body: Body, [name = '', ...rest]: readonly string[], value: unknown): Body {
  return { ...body, [name]: rest.length === 0 ? value : withMember((body[name] ?? {}) as Body, rest, value) };
}

/** Texts whose form only a rule knows are wrong without the schema saying so. */
function isSaidBySchema(schema: JsonSchema, value: unknown): boolean {
  const { enum: words, maxLength } = schema as Record<string, unknown>;
  if (value === 'no such word') return words !== undefined;
  return typeof value !== 'string' || value.length < 256 || maxLength !== undefined;
}

function verdictBy(schema: JsonSchema): (body: Body) => boolean {
  const whole = JSON.stringify({ ...schema, $defs: components.schemas });
  const zod = z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')));
  return (body) => zod.safeParse(body).success;
}

for (const method of ['POST', 'PATCH'] as const)
  for (const [collection, freshBody] of Object.entries(fresh)) {
    const path = `${root}/${collection}${method === 'POST' ? '' : '/{id}'}`;
    const schema = paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
    if (schema === undefined) continue;
    test(`${method} ${collection} takes what its description says`, async () => {
      const isAccepted = verdictBy(schema);
      const id =
        method === 'POST' ? null : createdId(await admin.call('POST', collection, await freshBody()));
      const differences: string[] = [];
      for (const [at, member] of membersIn(schema)) {
        if (dependOnOthers.some((one) => `${method} ${collection}.${at.join('.')}`.startsWith(one))) continue;
        for (const value of wrongValues) {
          if (!alternatives(member).some((one) => isSaidBySchema(one, value))) continue;
          const start = id === null ? await freshBody() : {};
          const body: Body = JSON.parse(JSON.stringify(withMember(start, at, value)));
          const answer = await admin.call(method, id === null ? collection : `${collection}/${id}`, body);
          if (answer.status < 300 !== isAccepted(body))
            differences.push(
              `${at.join('.')} = ${JSON.stringify(value)?.slice(0, 30)}: ${answer.text.slice(0, 150)}`,
            );
        }
      }
      assert.deepEqual(differences, []);
    });
  }
