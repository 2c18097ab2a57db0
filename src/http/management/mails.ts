import { z } from 'zod';
import { type ListedMail, listMails, sendMailsAgain } from '../../admin/mails.ts';
import { noticeKinds } from '../../model/mail.ts';
import { documentsBy, entityRef, entityRefSchema } from '../documents/wire.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { deliveryFields, deliveryQuery, inReadersLanguage } from './oidc-clients.ts';

const mailSchema = schemaNamed('Mail', {
  ...deliveryFields,
  identity: entityRefSchema.nullable().describe('Null: deleted since'),
  to: z.string().describe('The address'),
  about: z.enum(['invitation', 'reset', ...noticeKinds]).describe('What the mail is about'),
});
// As long as the ids of mails get.
const mailId = z.string().min(1).max(300);

/** `/mails`: the mails to people that wait, were sent or were given up. */
export function mailRoutes(needs: EdgeServices): readonly Route[] {
  return [
    adminRoute('GET', 'mails', {
      operationId: 'listMails',
      summary: 'List the mails to people that wait, were sent or were given up',
      query: deliveryQuery,
      answer: dataAnswer(z.array(mailSchema), 'The newest first'),
      data: async (context, { query }) =>
        (await listMails(needs, query)).map(inReadersLanguage(context)).map(mailDocument),
    }),
    adminRoute('POST', 'mails/send-again', {
      operationId: 'sendMailsAgain',
      summary: 'Send mails again that were given up; without a body all of them',
      answer: dataAnswer(schemaNamed('MailsSentAgain', { replayed: z.int() }), 'How many'),
      body: z.strictObject({ ids: z.array(mailId).min(1).max(500).optional() }),
      data: async (context, { body }) => ({
        replayed: await sendMailsAgain(needs, context.adminCall(), body.ids ?? null),
      }),
    }),
  ];
}

const shown = documentsBy(mailSchema);

function mailDocument({ payload, name, ...delivery }: ListedMail): object {
  const { identityId, to, matter } = payload;
  const identity = name === null ? null : entityRef('identities', identityId, name);
  return shown({ ...delivery, identity, to, about: matter.kind === 'notice' ? matter.notice : matter.kind });
}
