import { z } from 'zod';
import { authorityJwt, cas, verifyCa } from '../../admin/cas.ts';
import { type Ca, caEntity } from '../../model/entities/ca.ts';
import { documentSchema, entityDocument } from '../documents/entity-schemas.ts';
import { documentsBy, timeSchema } from '../documents/wire.ts';
import { parseMediaType, readBody, readRawBody } from '../request/body.ts';
import type { RequestContext } from '../request/request-context.ts';
import { adminRoute, contentAnswer, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { entityRoutes } from './entity-routes.ts';

const pemTypes = ['text/plain', 'application/x-pem-file', 'application/pem-certificate-chain'];
const jwtType = 'application/jwt';
const proof = z.strictObject({ certPem: z.string() });

const caSchema = documentSchema(caEntity, {
  isVerified: z.boolean(),
  verificationToken: z.string().nullable(),
});

const listStateSchema = schemaNamed('RevocationListState', {
  url: z.string().describe('Its address; of a list that was put in, a name that begins with crlPem'),
  issuer: z.string().nullable(),
  isDelta: z.boolean().nullable(),
  listNumber: z.string().nullable().describe('The CRL number, hex'),
  thisUpdate: timeSchema.nullable(),
  nextUpdate: timeSchema.nullable(),
  entries: z.number().int().nullable(),
  fetchedAt: timeSchema.nullable(),
  triedAt: timeSchema,
  error: z.string().nullable(),
});

/** `/cas` */
export function caRoutes(needs: EdgeServices): readonly Route[] {
  return [
    ...entityRoutes(cas, needs, { described: { document: caSchema }, documentOf: caDocument }),
    adminRoute('GET', 'cas/:id/jwt', {
      summary: 'Read the JWT with which holders of certificates of an authority enroll',
      operationId: 'getCaJwt',
      answer: contentAnswer(jwtType, 'The JWT; it works once the authority is verified and may enroll'),
      produces: [jwtType, 'application/json', 'text/plain'],
      async handler(context) {
        const body = await authorityJwt(needs, context.id);
        return { status: 200, headers: { 'content-type': jwtType }, body };
      },
    }),
    adminRoute('GET', 'cas/:id/revocation', {
      summary: 'Read how the revocation lists of an authority stand',
      operationId: 'getCaRevocation',
      answer: dataAnswer(
        z.array(listStateSchema),
        'The lists by their address, and why one could not be had',
      ),
      async data(context) {
        const ca = await cas.get(needs, context.id);
        return (await needs.store.revocationLists.describe(ca.id)).map(documentsBy(listStateSchema));
      },
    }),
    adminRoute('POST', 'cas/:id/verify', {
      summary: 'Prove that the key of an authority is held',
      operationId: 'verifyCa',
      rawBody: ['application/json', ...pemTypes],
      described: { body: proof },
      refusals: ['conflict', 'could_not_parse_body', 'could_not_validate'],
      does: (context) => verifyCa(needs, context.adminCall(), { id: context.id, pem: proofIn(context) }),
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
  const { id, verifiedAt, verificationToken } = ca;
  const links = { jwt: { href: `./cas/${id}/jwt` }, verify: { href: `./cas/${id}/verify` } };
  return {
    ...entityDocument(caEntity, ca, links),
    isVerified: verifiedAt !== null,
    // Of no further use once the CA is verified.
    verificationToken: verifiedAt === null ? verificationToken : null,
  };
}
