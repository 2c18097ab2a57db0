// Passkeys, and the questions to authenticators, as documents.

import { z } from 'zod';
import { userVerifications } from '../../model/entities/auth-policy.ts';
import type { Passkey } from '../../model/passkey.ts';
import { parseJson } from '../../platform/formats/json-shape.ts';
import { schemaNamed } from '../request/route.ts';
import { documentsBy, timeSchema } from './wire.ts';

export const passkeySchema = schemaNamed('Passkey', {
  id: z.string(),
  name: z.string(),
  rpId: z.string().describe('The domain at which it works'),
  aaguid: z.string().describe('The model of the authenticator; zeros: it does not say'),
  isModelProven: z.boolean().describe('Whether its maker confirmed that, as some policies ask'),
  transports: z.array(z.string()),
  isDiscoverable: z
    .boolean()
    .describe(
      'Whether it is discoverable: it identifies its owner. If not, its owner types the user name first',
    ),
  isBackupEligible: z.boolean().describe('Whether it can be on several devices of its owner'),
  isBackedUp: z.boolean(),
  clonedAt: timeSchema
    .nullable()
    .describe('When its counter last went back, as if another device had its key'),
  createdAt: timeSchema,
  lastUsedAt: timeSchema.nullable(),
});

export const passkeyDocument: (passkey: Passkey) => z.output<typeof passkeySchema> =
  documentsBy(passkeySchema);

const descriptors = z.array(
  z.strictObject({ type: z.literal('public-key'), id: z.string(), transports: z.array(z.string()) }),
);
const common = { challenge: z.string(), timeout: z.int() };
const userVerification = z.enum(userVerifications);

export const requestOptionsSchema = z
  .strictObject({ ...common, rpId: z.string(), userVerification, allowCredentials: descriptors })
  .meta({
    id: 'PasskeyRequestOptions',
    description: 'PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, section 5.1.9)',
  });

export const creationOptionsSchema = z
  .strictObject({
    ...common,
    rp: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.strictObject({ type: z.literal('public-key'), alg: z.int() })),
    excludeCredentials: descriptors,
    authenticatorSelection: z.strictObject({
      residentKey: z.string(),
      requireResidentKey: z.boolean(),
      userVerification,
    }),
    attestation: z.enum(['none', 'direct']),
    extensions: z.strictObject({ credProps: z.literal(true) }),
  })
  .meta({
    id: 'PasskeyCreationOptions',
    description: 'PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.1.8)',
  });

/** The answer of an authenticator: what `PublicKeyCredential.toJSON()` returns; in a form, as text. */
export function webAuthnAnswer<Schema extends z.ZodType>(schema: Schema) {
  const parsed = (sent: unknown) => (typeof sent === 'string' ? parseJson(sent) : sent);
  return z.preprocess(parsed, schema).describe('What PublicKeyCredential.toJSON() returns');
}
