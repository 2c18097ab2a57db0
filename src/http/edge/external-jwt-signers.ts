import { z } from 'zod';
import { listEnabledSigners } from '../../admin/external-jwt-signers.ts';
import { type ExternalJwtSigner, targetTokens } from '../../model/entities/external-jwt-signer.ts';
import { publicSignerListFields } from '../../model/list-fields.ts';
import { discoveryAddress } from '../../platform/jwk/jwks-cache.ts';
import { widestSource } from '../../platform/network/sources.ts';
import { mapPage, pagedList } from '../documents/lists.ts';
import { documentsBy, entityMembers, selfLink } from '../documents/wire.ts';
import { listParametersOf } from '../request/fields.ts';
import { anonymous, listAnswer, type Route, route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const { tags: _tags, ...entityMembersWithoutTags } = entityMembers;

const publicSignerSchema = schemaNamed('PublicExternalJwtSigner', {
  ...entityMembersWithoutTags,
  name: z.string(),
  externalAuthUrl: z.string().nullable(),
  clientId: z.string().nullable(),
  scopes: z.array(z.string()),
  audience: z.string(),
  targetToken: z.enum(targetTokens),
  enrollToCertEnabled: z.boolean(),
  enrollToTokenEnabled: z.boolean(),
  openIdConfigurationUrl: z.string().nullable(),
});

/**
 * The enabled signers, for a person who wants to log in and needs to get a token: without issuer, keys and claims, and
 * without tags, which are the administrators' own notes.
 */
export function publicSignerRoute(needs: EdgeServices, path: string): Route {
  return route(['GET', 'HEAD'], path, {
    ...anonymous('edge-client', 'counted', 'edge'),
    summary: 'List the accepted identity providers',
    answers: { 200: listAnswer(publicSignerSchema, 'One page of the enabled signers') },
    refusals: ['invalid_filter'],
    query: listParametersOf(publicSignerListFields),
    handler({ remoteAddress }, { query }) {
      const reader = { source: widestSource(remoteAddress), isAdmin: false } as const;
      const asked = { parameters: query, fields: publicSignerListFields, reader };
      return pagedList(asked, async (page) =>
        mapPage(await listEnabledSigners(needs, page), publicSignerDocument),
      );
    },
  });
}

const shown = documentsBy(publicSignerSchema);

function publicSignerDocument(signer: ExternalJwtSigner): object {
  const { id, externalAuthUrl } = signer;
  const openIdConfigurationUrl = externalAuthUrl === null ? null : discoveryAddress(externalAuthUrl);
  const _links = { self: selfLink('external-jwt-signers', id) };
  return shown({ ...signer, _links, openIdConfigurationUrl });
}
