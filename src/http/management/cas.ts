import { z } from 'zod';
import { authorityJwt, createCa, deleteCa, getCa, updateCa, verifyCa } from '../../admin/cas.ts';
import { type Ca, claimLocations, claimMatchers, claimParsers } from '../../model/entities/ca.ts';
import { caListFields } from '../../model/list-fields.ts';
import { isoTimeOrNull } from '../../platform/clock.ts';
import { mapPage } from '../documents/lists.ts';
import { entityHead, entityMembers, timeSchema } from '../documents/wire.ts';
import { adminCallOf } from '../request/admin-call.ts';
import { envelope } from '../request/answer.ts';
import { parseMediaType, readBody, readRawBody } from '../request/body.ts';
import { contentAnswer, doneAnswer } from '../request/declared-answers.ts';
import { idOf, tags } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Route } from '../request/route.ts';
import { adminRoute } from './admin-route.ts';
import type { ManagementNeeds } from './needs.ts';
import { operation, resourceRoutes } from './resource.ts';

// Some clients send null for a field that they leave at its default.
function orDefault<Schema extends z.ZodType, Value extends z.output<Schema>>(schema: Schema, value: Value) {
  return schema.nullish().transform((given) => given ?? value);
}

const claim = z
  .strictObject({
    location: z.enum(claimLocations),
    matcher: orDefault(z.enum(claimMatchers), 'ALL'),
    matcherCriteria: orDefault(z.string(), ''),
    parser: orDefault(z.enum(claimParsers), 'NONE'),
    parserCriteria: orDefault(z.string(), ''),
    index: orDefault(z.number(), 0),
    removeMatched: z.boolean().optional(),
  })
  .nullable();

const fields = z.strictObject({
  name: z.string(),
  certPem: z.string(),
  isAuthEnabled: z.boolean(),
  isAutoCaEnrollmentEnabled: z.boolean(),
  isOttCaEnrollmentEnabled: z.boolean(),
  identityRoles: z
    .array(z.string())
    .nullable()
    .transform((roles) => roles ?? []),
  identityNameFormat: z.string(),
  externalIdClaim: claim,
  tags,
});
const { shape } = fields;

const newCa = fields.extend({
  isAuthEnabled: orDefault(shape.isAuthEnabled, false),
  isAutoCaEnrollmentEnabled: orDefault(shape.isAutoCaEnrollmentEnabled, false),
  isOttCaEnrollmentEnabled: orDefault(shape.isOttCaEnrollmentEnabled, false),
  identityRoles: shape.identityRoles.default([]),
  identityNameFormat: orDefault(shape.identityNameFormat, ''),
  externalIdClaim: claim.default(null),
  tags: tags.default({}),
});
/** The certificate does not change and may be omitted. */
const replacement = newCa.extend({ certPem: shape.certPem.optional() });

const pemTypes = ['text/plain', 'application/x-pem-file', 'application/pem-certificate-chain'];
const jwtType = 'application/jwt';
const proof = z.strictObject({ certPem: z.string() });

const caSchema = z
  .strictObject({
    ...entityMembers,
    name: z.string(),
    certPem: z.string(),
    fingerprint: z.string(),
    isAuthEnabled: z.boolean(),
    isAutoCaEnrollmentEnabled: z.boolean(),
    isOttCaEnrollmentEnabled: z.boolean(),
    identityRoles: z.array(z.string()),
    identityNameFormat: z.string(),
    externalIdClaim: z
      .strictObject({
        location: z.enum(claimLocations),
        matcher: z.enum(claimMatchers),
        matcherCriteria: z.string(),
        parser: z.enum(claimParsers),
        parserCriteria: z.string(),
        index: z.int(),
        removeMatched: z.boolean().optional(),
      })
      .nullable(),
    isVerified: z.boolean(),
    verifiedAt: timeSchema.nullable(),
    verificationToken: z.string().nullable(),
  })
  .meta({ id: 'Ca' });

/** `/cas` */
export function caRoutes(needs: ManagementNeeds): readonly Route[] {
  return [
    ...resourceRoutes({
      collection: 'cas',
      versioned: { entity: 'cas', versions: needs.store.versions },
      noun: 'an authority',
      document: caSchema,
      listFields: caListFields,
      list: async (query) => mapPage(await needs.store.cas.list(query), caDocument),
      get: async (id) => caDocument(await getCa(needs, id)),
      create: operation(newCa, (by, ca) => createCa(needs, by, ca)),
      replace: operation(replacement, (by, ca, id) => updateCa(needs, by, { id, fields: ca })),
      patch: operation(fields.partial(), (by, some, id) => updateCa(needs, by, { id, fields: some })),
      remove: (by, id) => deleteCa(needs, by, id),
    }),
    adminRoute('GET', 'cas/:id/jwt', {
      summary: 'Read the JWT with which holders of certificates of an authority enroll',
      operationId: 'getCaJwt',
      answer: contentAnswer(jwtType, 'The JWT; it works once the authority is verified and may enroll'),
      produces: [jwtType, 'application/json', 'text/plain'],
      async handler(context) {
        const body = await authorityJwt(needs, idOf(context));
        return { status: 200, headers: { 'content-type': jwtType }, body };
      },
    }),
    adminRoute('POST', 'cas/:id/verify', {
      summary: 'Prove that the key of an authority is held',
      answer: doneAnswer,
      operationId: 'verifyCa',
      rawBody: ['application/json', ...pemTypes],
      describedBody: proof,
      refusals: ['conflict', 'could_not_parse_body', 'could_not_validate', 'unsupported_media_type'],
      async handler(context) {
        await verifyCa(needs, adminCallOf(context), { id: idOf(context), pem: proofIn(context) });
        return envelope({});
      },
    }),
  ];
}

/** The certificate as it is, or inside a JSON document. */
function proofIn(context: RequestContext): string {
  const isJson = parseMediaType(context.headers['content-type'] ?? '')?.essence === 'application/json';
  return isJson
    ? readBody(context, { json: true, form: false, schema: proof }).certPem
    : readRawBody(context, pemTypes).toString('latin1');
}

function caDocument(ca: Ca): object {
  const { id, createdAt, updatedAt, tags: caTags, thumbprint, verifiedAt, verificationToken, ...rest } = ca;
  return {
    ...entityHead(
      'cas',
      { id, createdAt, updatedAt, tags: caTags },
      { jwt: { href: `./cas/${id}/jwt` }, verify: { href: `./cas/${id}/verify` } },
    ),
    ...rest,
    fingerprint: thumbprint,
    isVerified: verifiedAt !== null,
    verifiedAt: isoTimeOrNull(verifiedAt),
    // Of no further use once the CA is verified.
    verificationToken: verifiedAt === null ? verificationToken : null,
  };
}
