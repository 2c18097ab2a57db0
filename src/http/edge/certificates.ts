// Certificates of the caller (client API): of their session, and the successor of the one that they log in with.

import { z } from 'zod';
import {
  certifySession,
  getSessionCertificate,
  revokeSessionCertificate,
  sessionCertificateLifetime,
} from '../../certificates/session-certificates.ts';
import { confirmExtension, extendCertificate } from '../../enrollment/extend-certificate.ts';
import type { SessionCertificate } from '../../model/session-certificate.ts';
import { shownFingerprint } from '../../platform/formats/fingerprint.ts';
import { displaySubject, parseCertificate } from '../../platform/x509/x509.ts';
import { wholeList } from '../documents/lists.ts';
import { documentsBy, entityMembers, linksSchema, timeSchema } from '../documents/wire.ts';
import { csrText } from '../request/fields.ts';
import { clientApi, dataAnswer, edgeRoutes, listAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const certificateSchema = schemaNamed('SessionCertificate', {
  ...entityMembers,
  subject: z.string(),
  fingerprint: z.string().describe('SHA-256 of the DER form, in hexadecimal with colons'),
  validFrom: timeSchema,
  validTo: timeSchema,
  certificate: z.string().describe('PEM'),
});

const issuedSchema = schemaNamed('IssuedSessionCertificate', {
  id: z.string(),
  _links: linksSchema,
  certificate: z.string().describe('PEM, the certificate first, then its intermediates'),
  cas: z.string().describe('PEM of the authorities of the overlay'),
});

const path = 'current-api-session/certificates';

export function sessionCertificateRoutes(needs: EdgeServices): readonly Route[] {
  const at = edgeRoutes(clientApi);
  return [
    at('GET', path, {
      summary: 'List the certificates of the session of the caller',
      answer: listAnswer(certificateSchema, 'All of them'),
      async handler({ principal }) {
        const now = needs.clock.now();
        const items = await needs.store.sessionCertificates.listOf(principal.apiSessionId, now);
        return wholeList(items.map(certificateDocument));
      },
    }),
    at('POST', path, {
      summary: 'Get a certificate for the session of the caller',
      answer: dataAnswer(issuedSchema, 'The certificate'),
      status: 201,
      refusals: ['csr_not_acceptable'],
      body: z.object({ csr: csrText }),
      async data(context, { body }) {
        const { apiSessionId: id, identityId } = context.principal;
        const key = needs.certificateIssuer.readRequest(body.csr);
        const issued = await certifySession(
          needs,
          { id, identityId },
          { key, lifetime: sessionCertificateLifetime, origin: context.origin },
        );
        const document = {
          id: issued.id,
          _links: linksOf(issued),
          certificate: issued.chainPem,
          cas: needs.publishedAuthorities.of(context.listener.name).pem,
        };
        return document;
      },
    }),
    at('GET', `${path}/:id`, {
      summary: 'Read a certificate of the session of the caller',
      answer: dataAnswer(certificateSchema, 'The certificate'),
      async data(context) {
        const { apiSessionId } = context.principal;
        return certificateDocument(await getSessionCertificate(needs, apiSessionId, context.id));
      },
    }),
    at('DELETE', `${path}/:id`, {
      summary: 'Revoke a certificate of the session of the caller',
      does: ({ id, ownCall }) => revokeSessionCertificate(needs, id, ownCall),
    }),
  ];
}

const shown = documentsBy(certificateSchema);

function certificateDocument(certificate: SessionCertificate): object {
  const { certPem, createdAt: updatedAt, expiresAt: validTo } = certificate;
  const parsed = parseCertificate(certPem);
  const fingerprint = shownFingerprint(certificate.thumbprint);
  const facts = { subject: displaySubject(parsed), fingerprint, validFrom: parsed.validFromDate.getTime() };
  const _links = linksOf(certificate);
  return shown({ ...certificate, updatedAt, _links, tags: {}, ...facts, validTo, certificate: certPem });
}

function linksOf({ id }: Pick<SessionCertificate, 'id'>) {
  return { self: { href: `./current-api-session/certificates/${id}` } };
}

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
