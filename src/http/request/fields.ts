// Fields that several endpoints read, each with its bounds.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { longestCertificateRequest } from '../../platform/x509/certificate-request.ts';
import type { RequestContext } from './request-context.ts';

/** The id in the path. @throws AuthError not_found   for what cannot be one */
export function idOf({ params }: Pick<RequestContext, 'params'>): string {
  const id = params.id ?? '';
  // Ids are ours and have no other characters; whatever else was sent must not reach the store.
  if (!/^[\w.-]{1,64}$/.test(id)) throw new AuthError('not_found');
  return id;
}

/** An id in a body. Ids are ours: no other characters occur in them. */
export const idText = z.string().regex(/^[\w.-]{1,64}$/, 'must be an id');

/** Null is what some clients send for none. */
export const tags = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .nullable()
  .transform((value) => value ?? {});

/** RFC 3339; left out or null: none. */
export const optionalTime = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2030-01-31T12:00:00Z' })
  .nullish()
  .transform((text) => (text == null ? null : Date.parse(text)));

/** Of a list. What would narrow it elsewhere and is not understood here is refused, not ignored. */
export const listParameters = z.object({
  filter: z
    .string()
    .optional()
    .meta({
      description:
        'By the fields of meta.filterableFields: = != < <= > >= contains icontains in, and, or, not; may end in sort by, skip, limit',
      examples: [
        'name contains "lab" and isAdmin = false sort by name limit 20',
        'createdAt > datetime(2026-01-01T00:00:00Z)',
      ],
    }),
  limit: z
    .string()
    .optional()
    .meta({
      description:
        'At most 500, or none, which gives 500 to callers who are no administrators; without it 10',
      examples: ['50', 'none'],
    }),
  offset: z
    .string()
    .optional()
    .meta({ description: 'How many to leave out', examples: ['100'] }),
  sort: z
    .string()
    .optional()
    .meta({ description: 'Fields, each with asc or desc', examples: ['name', 'createdAt desc, name'] }),
  roleFilter: z
    .literal('', 'is not supported')
    .optional()
    .meta({ description: 'Only for clients that send it empty' }),
});

/** Of a change. `force`: also when no administrator is left who can log in. */
export const changeParameters = z.object({
  force: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Also when no administrator is left who can log in' })
    .transform((text) => text === 'true'),
});

/** A certificate signing request in a body, PEM. */
export const csrText = z.string().max(longestCertificateRequest);

/** Asks for a certificate of the session (PEM), which then comes with the tokens. */
export const csrPem = csrText.optional();

/** A TOTP or recovery code in a body or header; what it looks like otherwise is for the rule to judge. */
export const totpCode = z.string().max(64);

/** Names or ids of configuration types: one, several or none. */
export const configTypes = z
  .union([z.string(), z.array(z.string().max(100)).max(32)])
  .optional()
  .transform((value) => (value === undefined ? [] : typeof value === 'string' ? [value] : value));
