import { z } from 'zod';
import { confirmExtension, extendCertificate } from '../../enrollment/extend-certificate.ts';
import { envelope } from '../request/answer.ts';
import { csrText, idOf } from '../request/fields.ts';
import { ownCallOf } from '../request/request-context.ts';
import { dataAnswer, doneAnswer, type Route, route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const pem = z.string().meta({ description: 'PEM' });
const extendedSchema = z.strictObject({ ca: pem, clientCert: pem }).meta({ id: 'ExtendedCertificate' });
const longestChain = 64 * 1024;

/** A client replaces the certificate that it logs in with, in two steps (client API). */
export function extendCertificateRoutes(needs: EdgeServices, root: string): readonly Route[] {
  const path = `${root}/current-identity/authenticators/:id`;
  const common = { methods: ['POST'], api: 'edge-client', errors: 'edge', guard: 'full' } as const;
  return [
    route({
      ...common,
      path: `${path}/extend`,
      summary: 'Get the successor of a certificate that the connection presents',
      answers: { 200: dataAnswer(extendedSchema, 'The successor, and the authorities of the overlay') },
      refusals: ['csr_not_acceptable', 'forbidden', 'conflict'],
      body: { json: true, form: false, schema: z.object({ clientCertCsr: csrText }) },
      async handler(context, { body }) {
        const chain = context.sender.certificates?.chain ?? null;
        const clientCert = await extendCertificate(needs, ownCallOf(context), {
          id: idOf(context),
          request: body.clientCertCsr,
          chain,
        });
        return envelope({ ca: needs.publishedAuthorities.of(context.listener.name).pem, clientCert });
      },
    }),
    route({
      ...common,
      path: `${path}/extend-verify`,
      summary: 'Put the successor of a certificate in its place',
      answers: { 200: doneAnswer },
      body: { json: true, form: false, schema: z.object({ clientCert: z.string().max(longestChain) }) },
      async handler(context, { body }) {
        await confirmExtension(needs, ownCallOf(context), { id: idOf(context), certPem: body.clientCert });
        return envelope({});
      },
    }),
  ];
}
