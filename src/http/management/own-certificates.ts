import { z } from 'zod';
import { signingAlgorithms } from '../../model/signing-key.ts';
import { describedKeys, keyUses } from '../../tokens/described-keys.ts';
import { documentsBy, timeSchema } from '../documents/wire.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices, OwnCertificate } from '../request/services.ts';

const ownCertificateSchema = schemaNamed('OwnCertificate', {
  use: z.enum(['server', 'authority', 'client-signing']),
  listeners: z.array(z.string()).describe('The names of the listeners that present it'),
  subject: z.string(),
  issuer: z.string(),
  names: z.array(z.string()).describe('The DNS names and addresses that it is for'),
  isCa: z.boolean(),
  signs: z
    .array(z.enum(['server', 'clients']))
    .describe('The certificates that the authority signs at present: those of listeners, those of clients'),
  serialNumber: z.string(),
  fingerprint: z.string(),
  notBefore: timeSchema,
  notAfter: timeSchema,
  certPem: z.string(),
});

/** `/own-certificates`: the certificates that this node presents to clients, trusts and signs with. */
export function ownCertificateRoutes({ ownCertificates }: EdgeServices): readonly Route[] {
  return [
    adminRoute('GET', 'own-certificates', {
      operationId: 'listOwnCertificates',
      summary: 'List the certificates of the node that answers',
      answer: dataAnswer(
        z.array(ownCertificateSchema),
        'Each certificate in the files that its configuration names',
      ),
      data: () => ownCertificates.map(ownCertificateDocument),
    }),
  ];
}

const shown = documentsBy(ownCertificateSchema);

function ownCertificateDocument({ subjectAltNames: { dns, ips }, pem: certPem, ...held }: OwnCertificate) {
  return shown({ ...held, names: [...dns, ...ips], certPem });
}

const signingKeySchema = schemaNamed('SigningKey', {
  kid: z.string(),
  alg: z.enum(signingAlgorithms),
  use: z.enum(keyUses),
  createdAt: timeSchema,
  signsFrom: timeSchema,
  signsUntil: timeSchema,
  removedAt: timeSchema.nullable(),
});

/** `/signing-keys`: what signs tokens, and until when. Keys rotate automatically, or on the host. */
export function signingKeyRoutes(needs: EdgeServices): readonly Route[] {
  return [
    adminRoute('GET', 'signing-keys', {
      operationId: 'listSigningKeys',
      summary: 'List the signing keys',
      answer: dataAnswer(z.array(signingKeySchema), 'Every key that is not removed, the oldest first'),
      data: () => describedKeys(needs.ring.list(), needs.clock.now()),
    }),
  ];
}
