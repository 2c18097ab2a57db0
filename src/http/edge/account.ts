// A caller's own authenticators, sessions and login attempts, on both Edge APIs and for both mechanisms.

import { z } from 'zod';
import { changeOwnPassword, getOwnAuthenticator, ownPasswordRules } from '../../account/own-password.ts';
import { endOtherSessions, endOwnSession } from '../../account/own-sessions.ts';
import { ofIdentity } from '../../admin/list-parameters.ts';
import { listLoginAttempts } from '../../explain/read-attempts.ts';
import type { Identity } from '../../model/entities/identity.ts';
import { ownLoginAttemptListFields } from '../../model/list-fields.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import { attemptMechanisms } from '../../model/login-attempt.ts';
import { isoTime } from '../../platform/clock.ts';
import { allowsIdentity } from '../../sessions/account-view.ts';
import type { ListedAttempt } from '../../store/contracts/login-attempts.ts';
import { apiSessionList, apiSessionSchema, lastLoginList } from '../documents/api-session-document.ts';
import {
  authenticatorDocument,
  authenticatorList,
  authenticatorSchema,
} from '../documents/authenticator-document.ts';
import { type Listed, listRules, mapPage } from '../documents/lists.ts';
import { timeSchema } from '../documents/wire.ts';
import type { AuthenticatedContext } from '../request/request-context.ts';
import { dataAnswer, type EdgeApi, edgeRoutes, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const someOfPassword = z.object({
  username: z.string().optional(),
  password: z.string().optional(),
  currentPassword: z.string(),
});
const wholePassword = someOfPassword.required();

const rulesSchema = schemaNamed('PasswordRules', {
  minLength: z.int(),
  maxBytes: z.int(),
  requireMixedCase: z.boolean(),
  requireNumberChar: z.boolean(),
  requireSpecialChar: z.boolean(),
});
const ownAttemptSchema = schemaNamed('OwnLoginAttempt', {
  reference: z.string(),
  at: timeSchema,
  method: z.string(),
  mechanism: z.enum(attemptMechanisms),
  outcome: z.enum(['passed', 'refused']),
  ipAddress: z.string(),
});
const ownSessionSchema = schemaNamed('OwnSession', { ...apiSessionSchema.shape, isCurrent: z.boolean() });

const applicationSchema = schemaNamed('Application', {
  id: z.string(),
  name: z.string(),
  url: z.string(),
  logoUri: z.string().nullable().describe('A picture as a data URI'),
});

/** The registered applications that an identity may use and that say where they are. */
function applicationsOf(
  { clients }: Pick<EdgeServices, 'clients'>,
  identity: Identity,
  issuer: string,
): readonly z.output<typeof applicationSchema>[] {
  return clients
    .registered()
    .filter((client) => allowsIdentity(client, identity))
    .flatMap(({ id, name, clientUri, initiateLoginUri, logoUri }) => {
      const url = initiateLoginUri === null ? clientUri : loginBegunBy(initiateLoginUri, issuer);
      return url === null ? [] : [{ id, name, url, logoUri }];
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** OIDC Core 4: the application learns who asks it to begin a login. */
function loginBegunBy(initiateLoginUri: string, issuer: string): string {
  const url = new URL(initiateLoginUri);
  url.searchParams.set('iss', issuer);
  return url.href;
}

/** @param path of the identity of the caller */
function applicationsRoute(needs: EdgeServices, api: EdgeApi, path: string): Route {
  return edgeRoutes(api)('GET', `${path}/applications`, {
    summary: 'List the applications that you may open',
    answer: dataAnswer(z.array(applicationSchema), 'By name'),
    data: ({ principal, issuer }) => applicationsOf(needs, principal.account.identity, issuer),
  });
}

export function ownAccountRoutes(needs: EdgeServices, api: EdgeApi): readonly Route[] {
  const at = edgeRoutes(api);
  const path = 'current-identity';
  const change = (method: 'PUT' | 'PATCH', schema: typeof someOfPassword | typeof wholePassword) =>
    at(method, `${path}/authenticators/:id`, {
      summary: method === 'PUT' ? 'Replace your user name and password' : 'Change your user name or password',
      refusals: ['conflict', 'invalid_field', 'password_not_acceptable', 'rate_limited'],
      body: schema,
      does: ({ id, ownCall }, { body }) => changeOwnPassword(needs, ownCall, { id, change: body }),
    });
  return [
    at('GET', `${path}/authenticators`, {
      summary: 'List your authenticators',
      ...ownList(authenticatorList(needs)),
    }),
    at('GET', `${path}/authenticators/:id`, {
      summary: 'Read one of your authenticators',
      answer: dataAnswer(authenticatorSchema, 'The document'),
      async data(context) {
        const authenticator = await getOwnAuthenticator(needs, context.principal, context.id);
        return authenticatorDocument(needs)(authenticator);
      },
    }),
    applicationsRoute(needs, api, path),
    change('PUT', wholePassword),
    change('PATCH', someOfPassword),
    at('GET', `${path}/password-rules`, {
      summary: 'Read the rules for your new password',
      answer: dataAnswer(rulesSchema, 'The rules; the server refuses common passwords and names too'),
      refusals: ['not_found'],
      data: ({ principal }) => ownPasswordRules(needs, principal),
    }),
    at('GET', `${path}/login-attempts`, {
      summary: 'List your login attempts, the newest first',
      ...ownList({
        document: ownAttemptSchema,
        listFields: ownLoginAttemptListFields,
        list: async (asked) => mapPage(await listLoginAttempts(needs, asked), ownAttemptDocument),
      }),
    }),
    at('GET', `${path}/last-logins`, {
      summary: 'List the programs with which you have logged in, and to what',
      ...ownList(lastLoginList(needs)),
    }),
    ...ownSessionRoutes(needs, api, `${path}/api-sessions`),
  ];
}

/** A list of what belongs to the caller, as the declaration of an endpoint. */
function ownList(
  listing: Listed & {
    list(query: ListQuery, context: AuthenticatedContext): Promise<Page<object>>;
  },
) {
  return listRules(listing, (query, context) =>
    listing.list(ofIdentity(context.principal.identityId, query), context),
  );
}

function ownSessionRoutes(needs: EdgeServices, api: EdgeApi, path: string): readonly Route[] {
  const at = edgeRoutes(api);
  const sessions = apiSessionList(needs);
  return [
    at('GET', path, {
      summary: 'List your sessions',
      ...ownList({
        ...sessions,
        document: ownSessionSchema,
        async list(asked, { principal }) {
          const page = await sessions.list(asked);
          const isCurrent = (id: string) => id === principal.apiSessionId;
          return { ...page, items: page.items.map((one) => ({ ...one, isCurrent: isCurrent(one.id) })) };
        },
      }),
    }),
    at('DELETE', path, {
      summary: 'End all your sessions except the one of the call',
      answer: dataAnswer(z.strictObject({ ended: z.int() }), 'How many were ended'),
      data: async ({ ownCall }) => ({ ended: await endOtherSessions(needs, ownCall) }),
    }),
    at('DELETE', `${path}/:id`, {
      summary: 'End one of your sessions',
      does: ({ id, ownCall }) => endOwnSession(needs, ownCall, id),
    }),
  ];
}

/** Without the checks and the reason. Administrators find these by the reference. */
function ownAttemptDocument({ reference, at, step, mechanism, outcome, ipAddress }: ListedAttempt): object {
  return { reference, at: isoTime(at), method: step, mechanism, outcome, ipAddress };
}
