// `/identities/bulk/jobs`: as `/identities/bulk`, for any number of identities. The caller carries a job on until it is done.
// `/identities/import`: new ones from a table.

import { z } from 'zod';
import type { ImportProblem } from '../../admin/bulk.ts';
import {
  carryOnBulkJob,
  createBulkJob,
  deleteBulkJob,
  getBulkJob,
  type KnownBulkJob,
  listBulkJobs,
} from '../../admin/bulk-jobs.ts';
import { importPeople } from '../../admin/import-table.ts';
import { inLanguage } from '../../explain/in-language.ts';
import { importColumns } from '../../model/bulk-actions.ts';
import { decodeUtf8 } from '../../platform/formats/strict-input.ts';
import { bulkJobStates } from '../../store/contracts/bulk-jobs.ts';
import { issuerForLinks } from '../documents/invite-path.ts';
import { inWholeTurn } from '../documents/lists.ts';
import { documentsBy, timeSchema } from '../documents/wire.ts';
import { readRawBody } from '../request/body.ts';
import { changeParameters, flag } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import {
  invitationDocuments,
  invitationsSchema,
  largestOrder,
  named,
  order,
  orderOf,
  previewDocument,
  previewSchema,
} from './identities-bulk.ts';

const jobOrder = order.omit({ matched: true });

const createdSchema = z.array(named).describe('The new identities');
const members = {
  id: z.string(),
  reference: z.string().describe('The reference id that all audit events of the job have (requestId)'),
  madeBy: z.string().describe('The id of the identity that ordered it'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  filter: z.string().describe('Empty: it was ordered for ids, or imports a table'),
  action: z.string().nullable().describe('Also import, of a table'),
  changes: z.array(z.string()).describe('The names of the fields that it changes'),
  state: z
    .enum(bulkJobStates)
    .describe('checked: it waits for the caller who has read the preview, and continues with `confirmed`'),
  done: z.int().describe('For how many identities it is done'),
  preview: previewSchema.describe('Of the identities that were checked so far'),
};
const jobSchema = schemaNamed('BulkJob', members);
const problemsSchema = z.array(
  z.strictObject({ line: z.int().nullable(), column: z.string().nullable(), reason: z.string() }),
);
const carriedOnSchema = schemaNamed('CarriedOnBulkJob', {
  ...members,
  invitations: invitationsSchema,
  created: createdSchema,
  problems: problemsSchema.describe('Of a table, the rows that this call found'),
});

const largestTable = 4 * 1024 * 1024;
const csvType = 'text/csv';
const importSchema = schemaNamed('ImportResult', {
  rows: z.int(),
  created: createdSchema,
  problems: problemsSchema,
  job: jobSchema.optional().describe('With `asJob`, if there are many rows'),
});

const continuation = z.strictObject({
  confirmed: z.boolean().optional().describe('Whether a checked job may begin to change'),
});

/** Only for administrators, like `/identities/bulk`. */
export function bulkJobRoutes(needs: EdgeServices): readonly Route[] {
  const root = 'identities/bulk/jobs';
  return [
    adminRoute('POST', root, {
      operationId: 'createBulkJob',
      summary:
        'Order a change or action for any number of identities; nothing is done before it is continued',
      status: 201,
      answer: dataAnswer(jobSchema, 'The job'),
      refusals: ['invalid_filter', 'could_not_validate', 'conflict'],
      bodyLimit: largestOrder,
      body: jobOrder,
      async data(context, { body }) {
        const issuer = body.action === 'invite' ? issuerForLinks(context, needs.config.listeners) : '';
        const ordered = orderOf(body, { now: needs.clock.now(), issuer });
        const job = await createBulkJob(needs, context.adminCall(), ordered);
        return jobDocument(context, job);
      },
    }),
    adminRoute('GET', root, {
      operationId: 'listBulkJobs',
      summary: 'List the jobs, the newest first',
      permission: null,
      answer: dataAnswer(z.array(jobSchema), 'The jobs'),
      data: async (context) => (await listBulkJobs(needs)).map((job) => jobDocument(context, job)),
    }),
    adminRoute('GET', `${root}/:id`, {
      operationId: 'getBulkJob',
      summary: 'Say how far a job is',
      permission: null,
      answer: dataAnswer(jobSchema, 'The job'),
      data: async (context) => jobDocument(context, await getBulkJob(needs, context.id)),
    }),
    adminRoute('POST', `${root}/:id/continue`, {
      operationId: 'continueBulkJob',
      summary:
        'Carry a job on for about a thousand identities: it checks all of them, then changes them a piece at a time',
      answer: dataAnswer(carriedOnSchema, 'How far it is, and the links of invitations'),
      refusals: ['invalid_filter', 'could_not_validate', 'conflict', 'forbidden'],
      body: continuation,
      query: changeParameters,
      async data(context, { body, query }) {
        const by = context.adminCall(query.force);
        const { job, invitations, created, problems } = await inWholeTurn(by.actor.identityId, () =>
          carryOnBulkJob(needs, by, { id: context.id, isConfirmed: body.confirmed === true }),
        );
        const issuer = invitations.length === 0 ? '' : issuerForLinks(context, needs.config.listeners);
        return {
          ...jobDocument(context, job),
          invitations: invitationDocuments(invitations, issuer),
          created,
          problems: problemDocuments(context, problems),
        };
      },
    }),
    adminRoute('DELETE', `${root}/:id`, {
      operationId: 'deleteBulkJob',
      summary: 'End a job; finished changes stay',
      does: (context) => deleteBulkJob(needs, context.adminCall(), context.id),
    }),
    importRoute(needs),
  ];
}

function importRoute(needs: EdgeServices): Route {
  return adminRoute('POST', 'identities/import', {
    operationId: 'importIdentities',
    summary: 'Create identities from a table (CSV), all of them or none',
    answer: dataAnswer(
      importSchema,
      `The identities that it made: none with problems or \`dryRun\`. The first line names the columns: ${importColumns.join(', ')}; role attributes are separated by commas, semicolons or bars`,
    ),
    refusals: ['could_not_parse_body', 'could_not_validate', 'not_found', 'conflict'],
    rawBody: [csvType],
    bodyLimit: largestTable,
    query: changeParameters.extend({
      job: z
        .string()
        .optional()
        .describe(
          'The job to which the rows are added, for a table that is sent in parts, each with the head: new for the first part, then the id of that job',
        ),
      linesBefore: z.coerce
        .number()
        .int()
        .min(0)
        .max(1e9)
        .default(0)
        .describe('The number of lines of the whole table before this part, without the head'),
      dryRun: flag.describe('Only checks the table'),
      asJob: flag.describe(
        'Many rows are neither checked nor made now: the answer has a job, which does so when it is continued',
      ),
    }),
    async data(context, { query }) {
      const by = context.adminCall(query.force);
      const csv = decodeUtf8(readRawBody(context, [csvType]));
      const { job, ...result } = await inWholeTurn(by.actor.identityId, () =>
        importPeople(needs, by, { csv, ...query }),
      );
      const problems = problemDocuments(context, result.problems);
      return { ...result, problems, ...(job !== undefined && { job: jobDocument(context, job) }) };
    },
  });
}

function problemDocuments(context: RequestContext, problems: readonly ImportProblem[]) {
  const { language } = context;
  return problems.map((problem) => ({ ...problem, reason: inLanguage(problem.reason, language) }));
}

const shownJob = documentsBy(jobSchema);

function jobDocument({ language }: RequestContext, job: KnownBulkJob) {
  const { work, found, matched } = job;
  return shownJob({
    ...job,
    filter: job.selection ?? '',
    action: 'action' in work ? work.action : null,
    changes: 'change' in work ? Object.keys(work.change) : [],
    preview: previewDocument({ ...found, matched }, language),
  });
}
