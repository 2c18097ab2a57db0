// External JWT signers: the issuers whose tokens prove an identity. signer-values.ts has the rules of single fields.

import { type ExternalJwtSigner, externalJwtSignerEntity } from '../model/entities/external-jwt-signer.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import { acceptableRoleAttributes, refusedField } from './acceptable-values.ts';
import { existingPolicy } from './auth-policies.ts';
import { managed } from './entity-rules.ts';
import type { AdminServices } from './services.ts';
import { clientProofOf } from './signer-client.ts';
import { keySourceOf } from './signer-keys.ts';
import {
  acceptableAudience,
  acceptableAuthUrl,
  acceptableClientId,
  acceptableIssuer,
  acceptableLeeway,
  acceptableLifetime,
  acceptableScopes,
  acceptableSelector,
} from './signer-values.ts';

export const signers = managed<typeof externalJwtSignerEntity>({
  entity: externalJwtSignerEntity,
  storeOf: ({ externalJwtSigners: stored }) => stored,
  fields: {
    issuer: (issuer, { issuers }) => acceptableIssuer(issuer, issuers),
    audience: acceptableAudience,
    claimsProperty: (selector) => acceptableSelector('claimsProperty', selector),
    leewaySeconds: acceptableLeeway,
    maxLifetimeSeconds: acceptableLifetime,
    externalAuthUrl: acceptableAuthUrl,
    clientId: acceptableClientId,
    scopes: acceptableScopes,
    enrollAuthPolicyId: (id, needs) => existingPolicy(needs, 'enrollAuthPolicyId', id),
    createIdentities: acceptableCreation,
    enrollNameClaimsSelector: (selector) => acceptableSelector('enrollNameClaimsSelector', selector),
    enrollAttributeClaimsSelector: (selector) =>
      selector === null ? null : acceptableSelector('enrollAttributeClaimsSelector', selector),
  },
  follows: (fields, before, needs) => ({
    // A certificate replaces the address of the keys, and an address replaces the certificate.
    ...keySourceOf(needs, fields, before),
    ...clientProofOf(needs, fields, before),
  }),
  check: ({ createIdentities, useExternalId }) => {
    // No token could name the id of an identity that it creates.
    if (createIdentities && !useExternalId)
      throw refusedField('createIdentities', 'needs useExternalId: the claim becomes the external id');
  },
});

async function acceptableCreation(
  creation: ExternalJwtSigner['createIdentities'],
  needs: AdminServices,
): Promise<ExternalJwtSigner['createIdentities']> {
  if (creation === null) return null;
  const { name, email, roleAttributes, allowedRoleAttributes, authPolicyId } = creation;
  const selectors = { name, email, roleAttributes };
  for (const [member, selector] of Object.entries(selectors))
    if (selector !== null) acceptableSelector(`createIdentities.${member}`, selector);
  return {
    ...selectors,
    ...(allowedRoleAttributes && { allowedRoleAttributes: acceptableRoleAttributes(allowedRoleAttributes) }),
    authPolicyId: await existingPolicy(needs, 'createIdentities.authPolicyId', authPolicyId),
  };
}

/** The signers that take part in logins, for anonymous callers who want to log in. */
export function listEnabledSigners(
  needs: { readonly store: Pick<AdminServices['store'], 'externalJwtSigners'> },
  query: ListQuery,
): Promise<Page<ExternalJwtSigner>> {
  const isEnabled = { op: '=', field: 'enabled', value: true } as const;
  const filter = { op: 'and', terms: [isEnabled, query.filter] } as const;
  return needs.store.externalJwtSigners.list({ ...query, filter });
}
