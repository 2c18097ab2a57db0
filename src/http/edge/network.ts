// Facts about the network for clients: before they have an identity, and later about its other nodes.

import { z } from 'zod';
import { nodeListFields } from '../../model/list-fields.ts';
import { networkName } from '../../tokens/enrollment-jwt.ts';
import { controllerDocument, controllerSchema } from '../documents/controller-document.ts';
import { listRules, mapPage, wholeList } from '../documents/lists.ts';
import { fixedRoute } from '../request/fixed-route.ts';
import {
  clientApi,
  contentAnswer,
  type EdgeApi,
  edgeRoutes,
  listAnswer,
  type Route,
  schemaNamed,
} from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const pkcs7Type = 'application/pkcs7-mime';

/**
 * The authorities by which clients recognize this server (RFC 7030 section 4.1). Clients that always ask for JSON get
 * the same, because there is no other form.
 */
export function cacertsRoute({ publishedAuthorities }: EdgeServices): Route {
  return fixedRoute(`${clientApi.root}/.well-known/est/cacerts`, {
    api: clientApi.api,
    errors: 'edge',
    summary: 'Read the authorities by which this server is known',
    answers: { 200: contentAnswer(pkcs7Type, 'A degenerate PKCS #7 in base64 (RFC 7030)') },
    produces: [pkcs7Type, 'application/json', 'text/plain'],
    madeOf: ({ listener }) => [publishedAuthorities.of(listener.name)],
    make: ({ listener }) => ({
      status: 200,
      headers: { 'content-type': pkcs7Type, 'content-transfer-encoding': 'base64' },
      body: publishedAuthorities.of(listener.name).pkcs7,
    }),
  });
}

const networkJwtSchema = schemaNamed('NetworkJwt', { name: z.string(), token: z.string() });

/** The JWT with which a person who has only an external JWT finds this network. It is not a secret. */
export function networkJwtRoute({ enrollmentSigner }: EdgeServices, { api, root }: EdgeApi): Route {
  return fixedRoute(`${root}/network-jwts`, {
    api,
    errors: 'edge',
    summary: 'Read the JWT with which clients find this network',
    answers: { 200: listAnswer(networkJwtSchema, 'The JWT') },
    madeOf: () => [enrollmentSigner.networkJwt],
    make: () => wholeList([{ name: networkName, token: enrollmentSigner.networkJwt }]),
  });
}

/** Which other nodes a client that has logged in can use. */
export function controllersRoute(needs: EdgeServices): Route {
  return edgeRoutes(clientApi)('GET', 'controllers', {
    summary: 'List the controllers and where each serves its APIs',
    ...listRules(
      { document: controllerSchema, listFields: nodeListFields, what: 'controllers' },
      async (query) => {
        const now = needs.clock.now();
        return mapPage(await needs.store.nodes.list(query), (node) => controllerDocument(node, now));
      },
    ),
  });
}
