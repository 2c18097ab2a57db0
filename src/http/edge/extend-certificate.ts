import { z } from 'zod';
import { confirmExtension, extendCertificate } from '../../enrollment/extend-certificate.ts';
import { csrText } from '../request/fields.ts';
import { clientApi, dataAnswer, edgeRoutes, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const pem = z.string().describe('PEM');
const extendedSchema = schemaNamed('ExtendedCertificate', { ca: pem, clientCert: pem });
const longestChain = 64 * 1024;

/** A client replaces the certificate that it logs in with, in two steps (client API). */
export function extendCertificateRoutes(needs: EdgeServices): readonly Route[] {
  const at = edgeRoutes(clientApi);
  const path = 'current-identity/authenticators/:id';
  return [
    at('POST', `${path}/extend`, {
      summary: 'Get the successor of a certificate that the connection presents',
      answer: dataAnswer(extendedSchema, 'The successor, and the authorities of the overlay'),
      refusals: ['csr_not_acceptable', 'forbidden', 'conflict'],
      body: z.object({ clientCertCsr: csrText }),
      async data(context, { body }) {
        const chain = context.sender.certificates?.chain ?? null;
        const clientCert = await extendCertificate(needs, context.ownCall, {
          id: context.id,
          request: body.clientCertCsr,
          chain,
        });
        return { ca: needs.publishedAuthorities.of(context.listener.name).pem, clientCert };
      },
    }),
    at('POST', `${path}/extend-verify`, {
      summary: 'Put the successor of a certificate in its place',
      body: z.object({ clientCert: z.string().max(longestChain) }),
      does: ({ id, ownCall }, { body }) => confirmExtension(needs, ownCall, { id, certPem: body.clientCert }),
    }),
  ];
}
