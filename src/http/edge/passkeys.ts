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
import { envelope } from '../request/answer.ts';
import { idOf } from '../request/fields.ts';
import { ownCallOf } from '../request/request-context.ts';
import { dataAnswer, doneAnswer, type Route, route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { currentPassword, freshProofRefusals, offeredProof } from './mfa.ts';

const name = z.string().max(200);
const addition = z.object({ response: webAuthnAnswer(attestationSchema), name: name.optional() });

/** @param root of the API, such as `/edge/client/v1` */
export function ownPasskeyRoutes(
  needs: EdgeServices,
  api: 'edge-client' | 'edge-management',
  root: string,
): readonly Route[] {
  const common = { api, errors: 'edge', guard: 'full' } as const;
  const path = `${root}/current-identity/passkeys`;
  return [
    route({
      ...common,
      methods: ['GET', 'HEAD'],
      path,
      summary: 'List your passkeys',
      answers: { 200: dataAnswer(z.array(passkeySchema), 'All of them') },
      handler: async ({ principal }) =>
        envelope((await listOwnPasskeys(needs, principal)).map(passkeyDocument)),
    }),
    route({
      ...common,
      methods: ['POST'],
      path: `${path}/options`,
      summary: 'Ask for a new passkey: what a browser or authenticator is given',
      answers: { 200: dataAnswer(creationOptionsSchema, 'For navigator.credentials.create') },
      refusals: ['conflict', ...freshProofRefusals],
      body: { json: true, form: false, schema: z.object({ currentPassword }) },
      async handler(context, { body }) {
        return envelope(await askForOwnPasskey(needs, ownCallOf(context), offeredProof(context, body)));
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path,
      summary: 'Add a passkey',
      answers: { 201: dataAnswer(passkeySchema, 'Added') },
      refusals: ['invalid_passkey', 'conflict'],
      body: { json: true, form: false, schema: addition },
      async handler(context, { body: { response, name } }) {
        const added = await addOwnPasskey(needs, ownCallOf(context), { answer: response, name });
        return envelope(passkeyDocument(added), {}, { status: 201 });
      },
    }),
    route({
      ...common,
      methods: ['PATCH'],
      path: `${path}/:id`,
      summary: 'Rename one of your passkeys',
      answers: { 200: doneAnswer },
      body: { json: true, form: false, schema: z.object({ name }) },
      async handler(context, { body }) {
        await renameOwnPasskey(needs, ownCallOf(context), { id: idOf(context), name: body.name });
        return envelope({});
      },
    }),
    route({
      ...common,
      methods: ['DELETE'],
      path: `${path}/:id`,
      summary: 'Remove one of your passkeys; what it opened ends',
      answers: { 200: doneAnswer },
      refusals: ['conflict', ...freshProofRefusals],
      body: {
        json: true,
        form: false,
        schema: z.object({ currentPassword, evenIfLast: z.boolean().optional() }),
      },
      async handler(context, { body }) {
        const { evenIfLast = false } = body;
        const wish = { ...offeredProof(context, body), id: idOf(context), evenIfLast };
        await removeOwnPasskey(needs, ownCallOf(context), wish);
        return envelope({});
      },
    }),
  ];
}
