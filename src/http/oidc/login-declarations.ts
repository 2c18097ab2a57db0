// The possible answers of login steps, for their declarations.

import { z } from 'zod';
import type { ErrorCode } from '../../errors/codes.ts';
import { authQueriesSchema } from '../documents/api-session-document.ts';
import {
  type DeclaredAnswers,
  documentAnswer,
  orPage,
  redirectAnswer,
  totpRequiredHeader,
} from '../request/route.ts';

const queries = documentAnswer(
  z.strictObject({ authQueries: authQueriesSchema }).meta({ id: 'OutstandingQueries' }),
  'What remains to be answered',
);

/** A step ends in the redirect with the code or in what remains (spec 3.1). */
export const stepAnswers: DeclaredAnswers = {
  200: {
    ...orPage(queries),
    headers: { ...totpRequiredHeader, 'www-authenticate': 'Which external JWT is still to be sent' },
  },
  302: redirectAnswer('To the redirect URI of the client, with the code'),
};

/** For programs, how to submit a login; for people, the page. */
export const entryAnswers: DeclaredAnswers = {
  200: {
    ...orPage(
      documentAnswer(
        z
          .strictObject({
            authRequestId: z.string(),
            httpMethod: z.string(),
            httpUrl: z.string(),
            fields: z.array(z.string()).optional(),
            header: z.string().optional(),
          })
          .meta({ id: 'LoginEntry' }),
        'How to continue',
      ),
    ),
    headers: { 'auth-request-id': 'The id of the login, for the steps that follow' },
  },
};

/** Every step may be refused for these: the auth request, and the browser in which it began. */
export const stepRefusals: readonly ErrorCode[] = ['auth_request_unknown'];
export const primaryRefusals: readonly ErrorCode[] = [
  ...stepRefusals,
  'invalid_auth',
  'client_not_allowed',
  'password_change_required',
  'passkey_required',
  'invalid_passkey',
  'csr_not_acceptable',
  'conflict',
  'rate_limited',
];
export const totpRefusals: readonly ErrorCode[] = [
  ...stepRefusals,
  'invalid_auth',
  'client_not_allowed',
  'password_change_required',
  'passkey_required',
  'invalid_totp_code',
  'mfa_exists',
  'not_found',
  'conflict',
  'rate_limited',
];
