import { z } from 'zod';
import type { Binding, BindPoint, Listener } from '../../config/config.ts';
import type { ApiAddress } from '../../model/node.ts';
import { wholeList } from '../documents/lists.ts';
import { envelope } from '../request/answer.ts';
import { fixedRoute, type Place } from '../request/fixed-route.ts';
import { dataAnswer, type EdgeApi, listAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

/** The APIs in the document: the names that clients look for, and the path of each. */
const apis: readonly {
  readonly binding: Binding;
  readonly names: readonly string[];
  readonly path: string;
}[] = [
  { binding: 'edge-client', names: ['edge', 'edge-client'], path: '/edge/client/v1' },
  { binding: 'edge-management', names: ['edge-management'], path: '/edge/management/v1' },
  { binding: 'edge-oidc', names: ['edge-oidc'], path: '/oidc' },
];

/** Version of the API, which existing SDKs parse and compare. The version of the release is not for strangers. */
const apiVersion = 'v1.0.0';

/** Capabilities that existing SDKs know. */
const capabilities = ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR', 'HA_CONTROLLER'] as const;
type Capability = (typeof capabilities)[number];

const versionSchema = schemaNamed('Version', {
  version: z.string(),
  revision: z.string(),
  buildDate: z.string(),
  runtimeVersion: z.string(),
  capabilities: z.array(z.enum(capabilities)),
  apiVersions: z.record(
    z.string(),
    z.strictObject({
      v1: z.strictObject({ path: z.string(), version: z.string(), apiBaseUrls: z.array(z.string()) }),
    }),
  ),
});

/**
 * The version document, which clients read before they log in: where the APIs are, and whether to use OIDC. It contains
 * the release and Node's major version, which existing clients print, but no patch levels.
 */
export function versionRoute(needs: EdgeServices, { api, root }: EdgeApi): Route {
  return fixedRoute(`${root}/version`, {
    api,
    errors: 'edge',
    summary: 'Read the addresses of the APIs and the capabilities of the server',
    answers: { 200: dataAnswer(versionSchema, 'Where the APIs are') },
    madeOf: ({ listener }) => capabilitiesOf(needs, { listener }),
    make: (place) => envelope(versionDocument(needs, place)),
  });
}

const protocolsSchema = z.strictObject({ https: z.strictObject({ address: z.string() }) });
const link = z.strictObject({ href: z.string() });
const specSchema = z.strictObject({
  _links: z.strictObject({ self: link, spec: link }),
  id: z.string(),
  name: z.string(),
});

/** Facts about such a controller that clients read besides its version: protocols, descriptions, capabilities. */
export function descriptionRoutes({ config }: EdgeServices, { api, root }: EdgeApi): readonly Route[] {
  const rules = { api, errors: 'edge' } as const;
  const name = api.replace('edge-', '');
  const spec = {
    _links: { self: { href: `${root}/specs/${name}` }, spec: { href: `${root}/specs/${name}/spec` } },
    id: name,
    name,
  };
  return [
    fixedRoute(`${root}/enumerated-capabilities`, {
      ...rules,
      summary: 'List the capabilities that a server can have',
      answers: { 200: dataAnswer(z.array(z.enum(capabilities)), 'The capabilities that clients know') },
      make: () => envelope(capabilities),
    }),
    fixedRoute(`${root}/protocols`, {
      ...rules,
      summary: 'List the protocols of the API',
      answers: { 200: dataAnswer(protocolsSchema, 'Their addresses') },
      make: () => envelope({ https: { address: config.edge.api.address } }),
    }),
    fixedRoute(`${root}/specs`, {
      ...rules,
      summary: 'List the descriptions of the API',
      answers: { 200: listAnswer(specSchema, 'The only one') },
      make: () => wholeList([spec]),
    }),
    fixedRoute(`${root}/specs/${name}`, {
      ...rules,
      summary: 'Read the description of the API in the list',
      answers: { 200: dataAnswer(specSchema, 'Where its text is') },
      make: () => envelope(spec),
    }),
  ];
}

function versionDocument(needs: EdgeServices, place: Place): object {
  const apiVersions: Record<string, unknown> = {};
  for (const { binding, names, path } of apis) {
    const bases = addressesOf(needs.config, binding, place).map((address) => `https://${address}${path}`);
    if (bases.length === 0) continue;
    for (const name of names) apiVersions[name] = { v1: { path, version: 'v1', apiBaseUrls: bases } };
  }
  return {
    version: apiVersion,
    revision: needs.build.revision,
    buildDate: needs.build.date,
    runtimeVersion: needs.build.runtime,
    capabilities: capabilitiesOf(needs, place),
    apiVersions,
  };
}

/**
 * By this, clients decide how to log in. Those that look for `OIDC_AUTH` use the compatibility profile and expect its
 * endpoints at the address they asked; without it they use legacy sessions. With `OIDC_AUTH_WITH_CSR` they send a
 * certificate request with login, refresh and exchange.
 */
export function capabilitiesOf(
  {
    config,
    certificateIssuer,
    node,
  }: Pick<EdgeServices, 'certificateIssuer' | 'node'> & {
    config: { edge: { oidc: { compatibility: { clientIds: readonly string[] } } } };
  },
  { listener }: { listener: { apis: readonly { binding: Binding }[] } },
): readonly Capability[] {
  const hasOidc =
    listener.apis.some(({ binding }) => binding === 'edge-oidc') &&
    config.edge.oidc.compatibility.clientIds.length > 0;
  const isTrue: Readonly<Record<Capability, boolean>> = {
    OIDC_AUTH: hasOidc,
    OIDC_AUTH_WITH_CSR: hasOidc && certificateIssuer.isAvailable,
    HA_CONTROLLER: node.isCluster,
  };
  return capabilities.filter((capability) => isTrue[capability]);
}

/** Where an API is bound. The address of this request comes first. */
function addressesOf(
  { listeners }: EdgeServices['config'],
  binding: Binding,
  { listener: asked, bindPoint }: Place,
): readonly string[] {
  const addresses = new Set<string>();
  for (const listener of [asked, ...listeners]) {
    if (!listener.apis.some((api) => api.binding === binding)) continue;
    if (listener === asked) addresses.add(bindPoint.address);
    for (const { address } of listener.bindPoints) {
      // The system chose this port, and only the listener itself knows it.
      if (!address.endsWith(':0')) addresses.add(address);
    }
  }
  return [...addresses];
}

/** Where a listener serves which API. @param bindPoints with their real ports */
export function apiAddressesOf({ apis: bound }: Listener, bindPoints: readonly BindPoint[]): ApiAddress[] {
  const bindings = new Set(bound.map(({ binding }) => binding));
  return apis
    .filter(({ binding }) => bindings.has(binding))
    .flatMap(({ binding, path }) =>
      bindPoints.map(({ address }) => ({ binding, url: `https://${address}${path}`, version: 'v1' })),
    );
}
