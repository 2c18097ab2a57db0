import { z } from 'zod';
import { discoveryDocument } from '../../oidc/discovery.ts';
import { SECOND } from '../../platform/clock.ts';
import { jwksMaxAge } from '../../tokens/key-ring.ts';
import { json } from '../request/answer.ts';
import { fixedRoute } from '../request/fixed-route.ts';
import { documentAnswer, type Route, schemaNamed } from '../request/route.ts';
import { publicFor } from '../request/security-headers.ts';
import type { PageServices } from './login-step.ts';

/** The schema of the discovery document follows from the document: all of its texts are addresses. */
function schemaOf(value: unknown): z.ZodType {
  if (Array.isArray(value)) return z.array(z.string());
  if (typeof value === 'boolean') return z.boolean();
  return typeof value === 'string' ? z.url() : z.record(z.string(), z.url());
}

// The other members depend on the key type.
const jwksSchema = schemaNamed('Jwks', {
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string(), use: z.literal('sig'), alg: z.string() })),
});

const discoveryPaths = [
  '/.well-known/openid-configuration',
  '/oidc/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server/oidc',
];

/** The discovery document at its paths (spec 4.1, RFC 8414 3.1), and the JWKS (RFC 7517 5). */
export function documentRoutes(needs: PageServices): readonly Route[] {
  const cached = publicFor(jwksMaxAge / SECOND);
  const documentAt = (issuer: string) => discoveryDocument(issuer, needs);
  const members = Object.entries(documentAt('https://localhost/oidc'));
  const shape = Object.fromEntries(members.map(([name, value]) => [name, schemaOf(value)]));
  const schema = schemaNamed('Discovery', shape);
  const discovery = discoveryPaths.map((path) =>
    fixedRoute(path, {
      api: 'oidc',
      errors: 'oauth',
      readableByAll: true,
      summary: 'Read the discovery document (OIDC Discovery 1.0, RFC 8414)',
      answers: { 200: documentAnswer(schema, 'The discovery document') },
      madeOf: () => [needs.clients.registered()],
      make: ({ issuer }) => json(documentAt(issuer), { headers: cached }),
    }),
  );
  const keys = fixedRoute('/oidc/keys', {
    api: 'oidc',
    errors: 'oauth',
    readableByAll: true,
    summary: 'Read the public keys that sign tokens (RFC 7517)',
    answers: { 200: documentAnswer(jwksSchema, 'The keys') },
    madeOf: () => needs.ring.jwks(needs.clock.now()).keys,
    make: () => json(needs.ring.jwks(needs.clock.now()), { headers: cached }),
  });
  return [...discovery, keys];
}
