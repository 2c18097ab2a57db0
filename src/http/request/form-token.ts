import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { parseMediaType, readBody } from './body.ts';
import type { RequestContext } from './request-context.ts';

const tokenField = {
  json: false,
  form: true,
  schema: z.looseObject({ access_token: z.string().optional() }),
};

/**
 * Puts the access token that a form brings in its body (RFC 6750 2.2) in the place of an Authorization header. It is
 * looked for in POST requests with a form only; other bodies are not read.
 * @throws AuthError could_not_validate, could_not_parse_body   it stands there twice, or the form cannot be read
 * @throws AuthError invalid_request   an Authorization header has one too: only one way may be used (RFC 6750 2)
 */
export function takeFormToken(context: RequestContext): void {
  if (context.method !== 'POST') return;
  const mediaType = parseMediaType(context.headers['content-type'] ?? '');
  if (mediaType?.essence !== 'application/x-www-form-urlencoded') return;
  const { access_token: token } = readBody(context, tokenField);
  if (token === undefined) return;
  if (context.authorization.length > 0) {
    throw new AuthError('invalid_request', {
      description: 'The access token is given more than once: send it in the header or in the body',
    });
  }
  context.authorization = [`Bearer ${token}`];
}
