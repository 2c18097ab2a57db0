import { z } from 'zod';
import { discoverSigner } from '../../admin/discover-signer.ts';
import { signers } from '../../admin/external-jwt-signers.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { explanationOf } from '../../explain/read-attempts.ts';
import { type TriedToken, tryExternalJwt } from '../../login/external-jwt/try-external-jwt.ts';
import { policyOrigins } from '../../model/entities/identity.ts';
import { asId, type SignerId } from '../../model/ids.ts';
import type { LanguageTag } from '../../model/languages.ts';
import { ownerOf } from '../../model/principal.ts';
import { refusalReasons } from '../../model/refusal-reason.ts';
import { beginSignerTest, finishSignerTest, signerTestPath } from '../../oidc/flow/signer-test.ts';
import { entityRef, entityRefSchema } from '../documents/wire.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { entityRoutes } from './entity-routes.ts';
import { attemptCheckSchema, checksFor, explanationSchema } from './login-attempts.ts';

const tokenToTry = z.strictObject({
  token: z.string().describe('The JWT, as a client would send it after `Bearer`.'),
});
const triedSchema = schemaNamed('TriedExternalJwt', {
  isAccepted: z.boolean(),
  use: z.enum(['primary', 'secondary']).nullable(),
  reason: z.enum(refusalReasons).nullable(),
  claim: z.string().nullable(),
  identity: entityRefSchema.nullable(),
  creates: z
    .strictObject({
      name: z.string(),
      externalId: z.string().nullable(),
      email: z.string().nullable(),
      emailVerified: z.boolean(),
      roleAttributes: z.array(z.string()),
      authPolicyId: z.string(),
      authPolicyFrom: z.enum(policyOrigins),
    })
    .nullable()
    .describe('The identity that the login would create; null: none'),
  checks: z.array(attemptCheckSchema),
  explanation: explanationSchema.nullable(),
});

const begunTestSchema = schemaNamed('BegunSignerTest', {
  id: z.string().describe('Comes back with the answer'),
  href: z.string().describe('Path and query at this address'),
});
const answerOfTest = z.strictObject({
  answer: z.string().max(12_000).describe('The answer that the browser brought back to the console'),
});
const tokenPart = z.record(z.string(), z.unknown());
const testedSchema = triedSchema
  .extend({
    token: z
      .strictObject({ header: tokenPart, claims: tokenPart })
      .nullable()
      .describe('Without its signature; null when there was none, or it is not a JWT'),
  })
  .meta({ id: 'TestedExternalJwtSigner' });

const addressToDiscover = z.strictObject({
  address: z
    .string()
    .min(1)
    .max(2000)
    .meta({ description: 'Of the provider', examples: ['https://login.example.com'] }),
});
const discoveredSchema = schemaNamed('DiscoveredSigner', {
  issuer: z.string(),
  jwksEndpoint: z.string(),
  keys: z.int().describe('How many of its keys can be used'),
  externalAuthUrl: z.string().nullable(),
  scopes: z.array(z.string()),
  claims: z.array(z.string()),
});

/** `/external-jwt-signers` */
export function externalJwtSignerRoutes(needs: EdgeServices): readonly Route[] {
  return [
    ...entityRoutes(signers, needs),
    adminRoute('POST', 'external-jwt-signers/discover', {
      summary: 'Propose signer settings from the provider’s discovery document',
      operationId: 'discoverExternalJwtSigner',
      answer: dataAnswer(
        discoveredSchema,
        'The settings that the provider publishes, as fields of a signer. Nothing is stored.',
      ),
      body: addressToDiscover,
      data: (_context, { body }) => discoverSigner(needs, body.address),
    }),
    adminRoute('POST', 'external-jwt-signers/:id/verify', {
      summary: 'Say whether a token of a signer would be accepted, for whom, and if not, why',
      operationId: 'verifyExternalJwt',
      permission: 'read',
      answer: dataAnswer(
        triedSchema,
        'The decision that a login with this token would get now. No session is opened, and nothing is stored. `use` is `secondary` when the policy of the identity asks for this signer in addition to another method.',
      ),
      body: tokenToTry,
      refusals: ['not_found'],
      async data(context, { body }) {
        const signer = needs.signers.find(asId(context.id));
        if (signer === undefined) throw new AuthError('not_found');
        return triedDocument(await tryExternalJwt(needs, signer, body.token), context.language);
      },
    }),
    ...signInTestRoutes(needs),
  ];
}

/** The same for a token that the administrator fetches by signing in at the provider in the browser. */
function signInTestRoutes(needs: EdgeServices): readonly Route[] {
  return [
    adminRoute('POST', 'external-jwt-signers/:id/test', {
      summary: 'Begin a test of a signer by a sign-in at its provider',
      operationId: 'beginExternalJwtSignerTest',
      permission: 'read',
      answer: dataAnswer(
        begunTestSchema,
        'Where a browser begins the test within ten minutes. It returns to the console, in the window where it began. No session is opened, and the result is for this session only.',
      ),
      refusals: ['not_found', 'could_not_validate'],
      async data(context) {
        const signerId = asId<SignerId>(context.id);
        const by = ownerOf(context.principal);
        const { id, link } = beginSignerTest(needs, { signerId, issuer: context.issuer }, by);
        return { id, href: `${signerTestPath}?${new URLSearchParams({ test: link })}` };
      },
    }),
    adminRoute('POST', 'external-jwt-signers/:id/test-result', {
      summary: 'Say whether the token that came of a test would be accepted, for whom, and if not, why',
      operationId: 'finishExternalJwtSignerTest',
      permission: 'read',
      answer: dataAnswer(
        testedSchema,
        'As for a token that is sent, with its claims. Once for each test, and for the session that began it.',
      ),
      body: answerOfTest,
      refusals: ['not_found', 'could_not_validate', 'auth_request_unknown', 'unavailable'],
      async data(context, { body }) {
        const { token, ...tried } = await finishSignerTest(
          needs,
          { signerId: context.id, sealedAnswer: body.answer },
          ownerOf(context.principal),
        );
        return { ...triedDocument(tried, context.language), token };
      },
    }),
  ];
}

function triedDocument(
  { use, reason, claim, identity, creates, checks }: TriedToken,
  language: LanguageTag,
): object {
  return {
    isAccepted: use !== null,
    use,
    reason,
    claim,
    identity: identity && entityRef('identities', identity.id, identity.name),
    creates: creates ?? null,
    checks: checksFor(checks, language),
    explanation: explanationOf({ reason, name: identity?.name ?? null }, language),
  };
}
