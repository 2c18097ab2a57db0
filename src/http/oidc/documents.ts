import type { SigningAlgorithm } from '../../model/signing-key.ts';
import type { ClientRegistry } from '../../oidc/clients.ts';
import { discoveryDocument } from '../../oidc/discovery.ts';
import type { Clock } from '../../platform/clock.ts';
import { SECOND } from '../../platform/clock.ts';
import { jwksMaxAge, type KeyRing } from '../../tokens/key-ring.ts';
import { json } from '../answer.ts';
import { type Route, route } from '../routes.ts';
import { publicFor } from '../security-headers.ts';

/** The discovery document at both of its paths (spec 4.1), and the JWKS (RFC 7517 5). */
export function documentRoutes(needs: {
  readonly ring: KeyRing;
  readonly clock: Clock;
  readonly idTokenAlg: SigningAlgorithm;
  readonly clients: ClientRegistry;
}): readonly Route[] {
  const cached = publicFor(jwksMaxAge / SECOND);
  const discovery = ['/.well-known/openid-configuration', '/oidc/.well-known/openid-configuration'].map(
    (path) =>
      route({
        methods: ['GET', 'HEAD'],
        path,
        api: 'oidc',
        guard: 'anonymous',
        errors: 'oauth',
        handler: (context) =>
          json(discoveryDocument(context.issuer, needs.idTokenAlg, needs.clients), { headers: cached }),
      }),
  );
  const keys = route({
    methods: ['GET', 'HEAD'],
    path: '/oidc/keys',
    api: 'oidc',
    guard: 'anonymous',
    errors: 'oauth',
    handler: () => json(needs.ring.jwks(needs.clock.now()), { headers: cached }),
  });
  return [...discovery, keys];
}
