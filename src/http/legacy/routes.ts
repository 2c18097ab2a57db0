// The login endpoints of the legacy mechanism, the same on both Edge APIs (spec 4.6). The mechanism consists of this
// folder, legacy/, and sessions/zt-session.ts with its view. Without these only OIDC is left.

import { z } from 'zod';
import type { NamedApiSession } from '../../admin/sessions.ts';
import {
  type CertificateExtension,
  certificateExtension,
} from '../../certificates/client-certificate-issuer.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { authenticate, type OpenedSession, submitTotp } from '../../legacy/authenticate.ts';
import { authQueryOf } from '../../login/auth-query.ts';
import { secondaryChallenge } from '../../login/external-jwt/external-jwt-challenge.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import { type ApiSessionId, asId } from '../../model/ids.ts';
import { type Credentials, type Factor, legacyMethods } from '../../model/login.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import {
  apiSessionDocument,
  extensionMembers,
  ownApiSessionSchema,
} from '../documents/api-session-document.ts';
import { selfLink } from '../documents/wire.ts';
import { type Answer, envelope } from '../request/answer.ts';
import { validate } from '../request/body.ts';
import { challengeLines } from '../request/challenges.ts';
import { clientInfoMembers, clientInfoOf, configTypes, idText, totpCode } from '../request/fields.ts';
import { sessionHeaders } from '../request/guard.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  type DeclaredAnswer,
  dataAnswer,
  type EdgeApi,
  edgeRoutes,
  managementApi,
  type Route,
  route,
  schemaNamed,
  totpRequiredHeader,
} from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const methodQuery = z.object({ method: z.enum(legacyMethods, 'must be password, cert or ext-jwt') });
const passwordBody = z.object({ username: z.string(), password: z.string() });
const otherBody = z.object({ configTypes, ...clientInfoMembers });
/** For the API description: only the method `password` has a password. */
const loginBody = z.object({ ...passwordBody.partial().shape, ...otherBody.shape });
/** The members of a password are required only once the method is known. */
const anyBody = z.looseObject({});

export const legacySessionSchema = schemaNamed('LegacyApiSession', {
  ...ownApiSessionSchema.shape,
  token: z.string().describe('The value of the zt-session header'),
  isMfaRequired: z.boolean(),
  isMfaComplete: z.boolean(),
  improperClientCertChain: z.boolean(),
});

const opened: DeclaredAnswer = {
  ...dataAnswer(legacySessionSchema, 'The session, with the outstanding factors in authQueries'),
  headers: {
    'zt-session': 'The token of the session',
    'expires-at': 'When the session ends if it is not used (RFC 3339)',
    'expiration-seconds': 'The same in seconds from now',
    ...totpRequiredHeader,
    'www-authenticate': 'Which external JWT is still to be sent with every call',
  },
};

export function legacyRoutes(needs: EdgeServices, { api, root }: EdgeApi): readonly Route[] {
  return [
    route('POST', `${root}/authenticate`, {
      api,
      errors: 'edge',
      isDeprecated: true,
      summary: 'Log in for a session of the zt-session header (deprecated: use OIDC)',
      answers: { 200: opened },
      refusals: [
        'invalid_auth',
        'password_change_required',
        'passkey_required',
        'unauthorized',
        'rate_limited',
      ],
      guard: 'anonymous',
      load: 'counted-unless-proven',
      described: { body: loginBody },
      query: methodQuery,
      body: { json: true, form: false, schema: anyBody },
      async handler(context, { query, body }) {
        const bearers = context.bearers;
        const credentials = credentialsOf(context, query.method, { body, tokens: bearers });
        const other = validate(body, otherBody);
        const clientInfo = clientInfoOf(other);
        const { configTypes } = other;
        const came = { bearers, configTypes, origin: context.origin, clientInfo };
        return sessionAnswer(needs, await authenticate(needs, credentials, came));
      },
    }),
    edgeRoutes({ api, root })('POST', 'authenticate/mfa', {
      isDeprecated: true,
      summary: 'Answer the TOTP query of a session',
      refusals: ['invalid_totp_code', 'invalid_auth', 'not_found', 'rate_limited'],
      guard: 'partial',
      body: z.object({ code: totpCode }),
      async does(context, { body }) {
        const { principal } = context;
        if (principal.mechanism !== 'legacy')
          throw new AuthError('invalid_request', {
            description: 'Only a session of the zt-session header takes codes here; log in again instead',
          });
        await submitTotp(needs, principal, { code: body.code, origin: context.origin });
      },
    }),
  ];
}

function credentialsOf(
  context: RequestContext,
  method: (typeof legacyMethods)[number],
  { body, tokens }: { body: unknown; tokens: readonly string[] },
): Credentials {
  if (method === 'password') return { method, ...validate(body, passwordBody) };
  if (method === 'ext-jwt') return { method, tokens };
  return { method, chain: context.sender.certificates?.chain ?? null };
}

/** 200 even when factors are outstanding: `authQueries` lists them, and a challenge names a missing external JWT. */
async function sessionAnswer(needs: EdgeServices, opened: OpenedSession): Promise<Answer> {
  const { signers, sessionTimeout } = needs;
  const { session, token, outstanding, jwtError } = opened;
  const challenges = outstanding
    .filter((factor) => factor.type === 'ext-jwt')
    .map((factor) => secondaryChallenge(signers, factor.signerId, jwtError));
  const { expiresAt, createdAt: issuedAt } = session;
  const headers = {
    'zt-session': token,
    ...sessionHeaders({ issuedAt, expiresAt }, issuedAt),
    ...(outstanding.some(({ type }) => type === 'totp') ? { 'totp-required': 'true' } : {}),
    ...(challenges.length > 0 ? { 'www-authenticate': challengeLines(challenges) } : {}),
  };
  const named = { ...session, identityName: opened.identity.name };
  const extension = await certificateExtension(needs, session);
  const document = legacySessionDocument(signers, named, {
    token,
    outstanding,
    timeout: sessionTimeout,
    extension,
  });
  return envelope(document, {}, { headers });
}

const heartbeat = z.object({ ids: z.array(idText).max(1000) });

/**
 * A router reports the legacy sessions whose connections it keeps, which resets their timeout (spec 5.6). Only an
 * identity of type `Router` that logged in with its certificate may do this.
 */
export function heartbeatRoute(needs: EdgeServices): Route {
  return edgeRoutes(managementApi)('POST', 'api-sessions/heartbeats', {
    summary: 'Report the sessions whose router connections are kept',
    answer: dataAnswer(z.strictObject({ alive: z.int() }), 'How many of them are alive'),
    refusals: ['forbidden'],
    body: heartbeat,
    async data({ principal }, { body }) {
      const { type } = principal.account.identity;
      if (type !== 'Router' || !principal.passed.includes('cert')) throw new AuthError('forbidden');
      const alive = await needs.keepAlive(body.ids.map((id) => asId<ApiSessionId>(id)));
      return { alive };
    },
  });
}

/**
 * A legacy session as its owner sees it (spec 2.8), with the members that clients of the mechanism expect.
 * `expirationSeconds` is the whole timeout, because the session lives that long after this answer.
 */
export function legacySessionDocument(
  signers: SignerDirectory,
  session: NamedApiSession,
  {
    token,
    outstanding,
    timeout,
    extension,
  }: { token: string; outstanding: readonly Factor[]; timeout: Millis; extension: CertificateExtension },
): object {
  const isMfaComplete = session.passed.includes('totp');
  return {
    ...apiSessionDocument(session),
    _links: {
      self: selfLink('api-sessions', session.id),
      session: { href: `./api-sessions/${session.id}/sessions` },
    },
    token,
    authQueries: outstanding.map((factor) => authQueryOf(factor, { totpUrl: './authenticate/mfa', signers })),
    isMfaRequired: isMfaComplete || outstanding.some(({ type }) => type === 'totp'),
    isMfaComplete,
    ...extensionMembers(extension),
    improperClientCertChain: false,
    expirationSeconds: Math.floor(timeout / SECOND),
  };
}
