// A caller's own passkeys, on both Edge APIs and for both mechanisms.

import { z } from 'zod';
import {
  addOwnPasskey,
  askForOwnPasskey,
  listOwnPasskeys,
  removeOwnPasskey,
  renameOwnPasskey,
} from '../../account/own-passkeys.ts';
import { attestationSchema } from '../../platform/webauthn.ts';
import {
  creationOptionsSchema,
  passkeyDocument,
  passkeySchema,
  webAuthnAnswer,
} from '../documents/passkey-document.ts';
import { dataAnswer, type EdgeApi, edgeRoutes, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { currentPassword, freshProofRefusals, offeredProof } from './mfa.ts';

const name = z.string().max(200);
const addition = z.object({ response: webAuthnAnswer(attestationSchema), name: name.optional() });

export function ownPasskeyRoutes(needs: EdgeServices, api: EdgeApi): readonly Route[] {
  const at = edgeRoutes(api);
  const path = 'current-identity/passkeys';
  return [
    at('GET', path, {
      summary: 'List your passkeys',
      answer: dataAnswer(z.array(passkeySchema), 'All of them'),
      data: async ({ principal }) => (await listOwnPasskeys(needs, principal)).map(passkeyDocument),
    }),
    at('POST', `${path}/options`, {
      summary: 'Ask for the options with which a browser or authenticator creates a passkey',
      answer: dataAnswer(creationOptionsSchema, 'For navigator.credentials.create'),
      refusals: ['conflict', ...freshProofRefusals],
      body: z.object({ currentPassword }),
      data: (context, { body }) => askForOwnPasskey(needs, context.ownCall, offeredProof(context, body)),
    }),
    at('POST', path, {
      summary: 'Add a passkey',
      answer: dataAnswer(passkeySchema, 'Added'),
      status: 201,
      refusals: ['invalid_passkey', 'conflict'],
      body: addition,
      async data(context, { body: { response, name } }) {
        const added = await addOwnPasskey(needs, context.ownCall, { answer: response, name });
        return passkeyDocument(added);
      },
    }),
    at('PATCH', `${path}/:id`, {
      summary: 'Rename one of your passkeys',
      body: z.object({ name }),
      does: ({ id, ownCall }, { body }) => renameOwnPasskey(needs, ownCall, { id, name: body.name }),
    }),
    at('DELETE', `${path}/:id`, {
      summary: 'Remove one of your passkeys, and end the sessions that it opened',
      refusals: ['conflict', ...freshProofRefusals],
      body: z.object({ currentPassword, evenIfLast: z.boolean().optional() }),
      async does(context, { body }) {
        const { evenIfLast = false } = body;
        const wish = { ...offeredProof(context, body), id: context.id, evenIfLast };
        await removeOwnPasskey(needs, context.ownCall, wish);
      },
    }),
  ];
}
