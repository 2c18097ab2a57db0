import { z } from 'zod';
import type { Binding, Config } from '../../config/config.ts';
import { envelope } from '../answer.ts';
import { dataAnswer } from '../declared-answers.ts';
import type { RequestContext } from '../request-context.ts';
import { type Route, route } from '../routes.ts';

export interface VersionNeeds {
  readonly config: Pick<Config, 'listeners' | 'edge'>;
}

/** The APIs that the document names, the names that clients look for, and where each begins. */
export const apis: readonly {
  readonly binding: Binding;
  readonly names: readonly string[];
  readonly path: string;
}[] = [
  { binding: 'edge-client', names: ['edge', 'edge-client'], path: '/edge/client/v1' },
  { binding: 'edge-management', names: ['edge-management'], path: '/edge/management/v1' },
  { binding: 'edge-oidc', names: ['edge-oidc'], path: '/oidc' },
];

const versionSchema = z
  .strictObject({
    version: z.string(),
    revision: z.string(),
    buildDate: z.string(),
    runtimeVersion: z.string(),
    capabilities: z.array(z.string()),
    apiVersions: z.record(
      z.string(),
      z.strictObject({
        v1: z.strictObject({ path: z.string(), version: z.string(), apiBaseUrls: z.array(z.string()) }),
      }),
    ),
  })
  .meta({ id: 'Version' });

/**
 * The version document, which clients read before they log in: where the APIs are, and whether to use OIDC.
 * Nothing in it tells which build runs: the members that would are empty.
 */
export function versionRoute(
  needs: VersionNeeds,
  api: 'edge-client' | 'edge-management',
  path: string,
): Route {
  return route({
    methods: ['GET'],
    path,
    api,
    guard: 'anonymous',
    errors: 'edge',
    summary: 'Find out where the APIs are and what the server can',
    answers: { 200: dataAnswer(versionSchema, 'Where the APIs are') },
    handler: (context) => envelope(versionDocument(needs.config, context)),
  });
}

function versionDocument(config: VersionNeeds['config'], context: RequestContext): object {
  const apiVersions: Record<string, unknown> = {};
  for (const { binding, names, path } of apis) {
    const bases = addressesOf(config, binding, context).map((address) => `https://${address}${path}`);
    if (bases.length === 0) continue;
    for (const name of names) apiVersions[name] = { v1: { path, version: 'v1', apiBaseUrls: bases } };
  }
  // The clients that look for the capability speak the compatibility profile; without it they must use sessions.
  const usesOidc = config.edge.oidc.compatibility.clientIds.length > 0 && 'edge-oidc' in apiVersions;
  return {
    version: 'v1.0.0',
    revision: '',
    buildDate: '',
    runtimeVersion: '',
    capabilities: usesOidc ? ['OIDC_AUTH'] : [],
    apiVersions,
  };
}

/** Where an API is bound: the address that was asked comes first. */
function addressesOf(
  { listeners }: VersionNeeds['config'],
  binding: Binding,
  { listener: asked, bindPoint }: RequestContext,
): readonly string[] {
  const addresses = new Set<string>();
  for (const listener of [asked, ...listeners]) {
    if (!listener.apis.some((api) => api.binding === binding)) continue;
    if (listener === asked) addresses.add(bindPoint.address);
    for (const { address } of listener.bindPoints) {
      // The system chooses such a port, and only the listener itself knows it.
      if (!address.endsWith(':0')) addresses.add(address);
    }
  }
  return [...addresses];
}
