// The successes of an endpoint, which are part of its declaration. The API description is made from them and from
// declared-refusals.ts, and tests compare every answer with both.

import { z } from 'zod';
import { htmlType, jsonType } from './answer.ts';

/** One answer, by media type. Without content, the answer has no body. */
export interface DeclaredAnswer {
  readonly description: string;
  /** The schema of a JSON document. Other contents are text or bytes. */
  readonly content: Readonly<Record<string, z.ZodType>>;
  /** Headers that this answer may have beyond those that follow from guard and status, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** For a login that is not complete. */
export const totpRequiredHeader = {
  'totp-required': 'true: a TOTP code is still to be given',
} as const;

/** By status. */
export type DeclaredAnswers = Readonly<Record<number, DeclaredAnswer>>;

const text = z.string();
const noMeta = z.strictObject({});

/** A JSON document as it is. */
export function documentAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return { description, content: { [jsonType]: schema } };
}

/** The envelope of the Edge APIs around one document. */
export function dataAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return documentAnswer(z.strictObject({ data: schema, meta: noMeta }), description);
}

const pageMeta = z
  .strictObject({
    filterableFields: z.array(z.string()),
    pagination: z.strictObject({
      limit: z.int(),
      offset: z.int(),
      totalCount: z.int(),
      totalCountIsEstimate: z
        .literal(true)
        .optional()
        .describe('Only there when the list is too long to be counted: it has `totalCount` entries or more'),
    }),
  })
  .meta({ id: 'ListMeta' });

/** The envelope around one page of a list. */
export function listAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return documentAnswer(z.strictObject({ data: z.array(schema), meta: pageMeta }), description);
}

/** Says only that it is done. */
export const doneAnswer: DeclaredAnswer = dataAnswer(z.strictObject({}), 'Done');

export function redirectAnswer(description: string): DeclaredAnswer {
  return { description, content: {} };
}

/** Of endpoints that accept the forms of other sites; see route.ts. */
export const byLinkAnswer: DeclaredAnswer = redirectAnswer(
  'Here again with GET, if the form of another site has led here',
);

export function contentAnswer(mediaType: string, description: string): DeclaredAnswer {
  return { description, content: { [mediaType]: text } };
}

/** The same answer, which people get as a page. */
export function orPage({ content, ...answer }: DeclaredAnswer): DeclaredAnswer {
  return { ...answer, content: { ...content, [htmlType]: text } };
}
