import { z } from 'zod';
import { userInfo } from '../../oidc/userinfo.ts';
import { json } from '../request/answer.ts';
import { documentAnswer, type Route, route } from '../request/route.ts';
import type { PageServices } from './login-step.ts';

const userInfoSchema = z
  .strictObject({
    sub: z.string(),
    name: z.string().optional(),
    preferred_username: z.string().optional(),
    email: z.string().optional(),
    email_verified: z.boolean().optional(),
    groups: z.array(z.string()).optional(),
  })
  .meta({ id: 'UserInfo' });

/** GET and POST `/oidc/userinfo` (OIDC Core 5.3). The token is in the Authorization header, or in a form (RFC 6750 2.2). */
export function userInfoRoute(needs: PageServices): Route {
  return route({
    methods: ['GET', 'POST'],
    path: '/oidc/userinfo',
    api: 'oidc',
    guard: 'full',
    errors: 'oauth',
    summary: 'Read claims about the caller (OIDC Core 5.3)',
    answers: { 200: documentAnswer(userInfoSchema, 'The claims') },
    refusals: ['insufficient_scope', 'could_not_validate', 'could_not_parse_body', 'unsupported_media_type'],
    takesFormToken: true,
    handler: async (context) => json(await userInfo(needs, context.principal)),
  });
}
