import { z } from 'zod';
import {
  getInvitation,
  type InvitationFields,
  type IssuedInvitation,
  invitationLifetime,
  invite,
  withdrawInvitation,
} from '../../admin/invitations.ts';
import { invitationListFields } from '../../model/list-fields.ts';
import { isoTime } from '../../platform/clock.ts';
import type { ListedInvitation } from '../../store/contracts/invitations.ts';
import { inviteUrl, issuerForLinks } from '../documents/invite-path.ts';
import { listRules, mapPage } from '../documents/lists.ts';
import { documentsBy, entityRef, entityRefSchema, timeSchema } from '../documents/wire.ts';
import { durationField } from '../request/fields.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const body = z.strictObject({
  expiresIn: durationField
    .optional()
    .transform((millis) => millis ?? invitationLifetime)
    .meta({ description: 'From 5m to 30d; without it 24h', examples: ['24h'] }),
  endSessions: z.boolean().default(false).describe('Using the link ends every session of the identity'),
  send: z
    .boolean()
    .default(false)
    .describe('Mails the link to the email address of the identity; the answer then has no url'),
  show: z.boolean().optional().describe('With send: true has the url in the answer all the same'),
});

/** The fields of the invitation rule. @throws AuthError conflict   no listener shows pages */
export function invitationFields(
  { send, show = !send, ...fields }: Omit<z.output<typeof body>, 'show'> & { show?: boolean | undefined },
  issuer: string,
): InvitationFields {
  return { ...fields, send: send ? { issuer } : null, show };
}

/** The fields of the answer about a link that was made. */
export const issuedFields = {
  url: z
    .string()
    .optional()
    .meta({
      description:
        'For the person only: opening it is enough to choose the password. Shown once; missing if it is mailed only',
      examples: ['https://localhost:1280/invite?t=…'],
    }),
  sentTo: z.string().optional().describe('The address to which it is mailed'),
  expiresAt: timeSchema,
};

const issuedSchema = schemaNamed('IssuedInvitation', issuedFields);

export const invitationSchema = schemaNamed('Invitation', {
  createdAt: timeSchema,
  expiresAt: timeSchema,
  endSessions: z.boolean(),
});

const listedSchema = invitationSchema
  .extend({
    identityId: z.string(),
    identity: entityRefSchema,
    madeBy: entityRefSchema.nullable().describe('Null if an earlier version made it'),
  })
  .meta({ id: 'ListedInvitation' });

/** `/invitations` and `/identities/{id}/invitation` */
export function invitationRoutes(needs: EdgeServices): readonly Route[] {
  const path = 'identities/:id/invitation';
  return [
    adminRoute('GET', 'invitations', {
      operationId: 'listInvitations',
      summary: 'List the open invitations; expired ones stay for a week',
      ...listRules({ document: listedSchema, listFields: invitationListFields }, async (query) =>
        mapPage(await needs.store.invitations.list(query), listedInvitationDocument),
      ),
    }),
    adminRoute('POST', path, {
      permission: 'helpdesk',
      operationId: 'inviteIdentity',
      summary: 'Make a link with which a person chooses the password of an identity, once',
      status: 201,
      answer: dataAnswer(issuedSchema, 'The link; an earlier one no longer works'),
      refusals: ['conflict', 'could_not_validate'],
      body,
      async data(context, input) {
        // Before anything is changed, because there may be no page to link to.
        const issuer = issuerForLinks(context, needs.config.listeners);
        const fields = invitationFields(input.body, issuer);
        const issued = await invite(needs, context.adminCall(), { id: context.id, fields });
        return issuedDocument(issued, issuer);
      },
    }),
    adminRoute('GET', path, {
      operationId: 'getInvitation',
      summary: 'Say until when the link of an identity works; the link itself is not kept',
      answer: dataAnswer(invitationSchema, 'The invitation that can be used now'),
      data: async ({ id }) => invitationDocument(await getInvitation(needs, id)),
    }),
    adminRoute('DELETE', path, {
      permission: 'helpdesk',
      operationId: 'withdrawInvitation',
      summary: 'Withdraw the link of an identity',
      does: (context) => withdrawInvitation(needs, context.adminCall(), context.id),
    }),
  ];
}

/** @param issuer where its link leads */
export function issuedDocument({ token, sentTo, expiresAt }: IssuedInvitation, issuer: string) {
  return {
    ...(token !== null && { url: inviteUrl(issuer, token) }),
    ...(sentTo !== null && { sentTo }),
    expiresAt: isoTime(expiresAt),
  };
}

/** An invitation without its link. */
export const invitationDocument = documentsBy(invitationSchema);
const shownInvitation = documentsBy(listedSchema);

function listedInvitationDocument(invitation: ListedInvitation): object {
  const { madeBy: by, madeByName } = invitation;
  const madeBy = by === null ? null : entityRef('identities', by, madeByName ?? '');
  return shownInvitation({ ...invitation, madeBy });
}
