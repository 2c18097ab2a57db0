import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Adjustment, adjustDurations } from './adjustments.ts';
import { edgeSchema } from './edge-settings.ts';
import { type AcmeContent, automaticOidcApi } from './listener-settings.ts';
import type { FileContent, ListenerContent } from './settings.ts';

type Binding = ListenerContent['apis'][number]['binding'];

/**
 * Turns the contents of the file into the effective configuration: defaults that depend on other values, automatic
 * bindings, adjustments.
 * @param content consistent (`checkConsistency` found nothing)
 * @param folder  absolute; the base of a relative path of the SQLite file, and of the folder of ordered certificates
 */
export function resolveConfig(content: FileContent, folder: string) {
  const { web, edge = edgeSchema.parse({}), db, branding, ...rest } = content;
  const { durations, adjustments } = adjustDurations(edge.oidc);
  const address = edge.api.address ?? defaultApiAddress(web);
  const config = {
    ...rest,
    db: db.engine === 'sqlite' ? { ...db, file: resolve(folder, db.file) } : db,
    listeners: resolveListeners(content, folder),
    edge: {
      ...edge,
      /** Whether the file has an `edge` section, which is what turns the OIDC provider on. */
      present: content.edge !== undefined,
      api: { ...edge.api, address },
      oidc: { ...edge.oidc, ...durations },
      totp: { issuer: edge.totp.issuer ?? defaultTotpIssuer(branding.name, address) },
    },
    branding: { ...branding, name: branding.name ?? 'Overlay' },
  };
  return { config, adjustments: adjustments as readonly Adjustment[] };
}

function resolveListeners(content: FileContent, folder: string) {
  const isAutomatic = automaticOidc(content);
  return content.web.map((listener, index) => ({
    ...listener,
    identity: resolveIdentity(content.identity, listener, folder),
    apis: isAutomatic[index] ? [...listener.apis, automaticOidcApi] : listener.apis,
  }));
}

/**
 * The files of a listener. Until its certificate has been ordered, it presents that of the default identity, and the
 * authority that issues it finds a listener to ask.
 */
function resolveIdentity(
  usual: FileContent['identity'],
  { name, identity }: ListenerContent,
  folder: string,
): NonNullable<ListenerContent['identity']> {
  if (identity?.acme === undefined) return identity ?? usual;
  const acme = { ...identity.acme, folder: identity.acme.folder ?? join(folder, 'acme') };
  const { cert, key } = acmeFiles(acme, name);
  const ordered = { certFile: cert, serverCertFile: cert, keyFile: key };
  return { ...usual, ...(existsSync(cert) ? ordered : {}), acme };
}

/**
 * Where the ordered certificate of a listener is kept, its key, the answer to the authority's challenge, and the key of
 * the account, which all listeners share.
 */
export function acmeFiles({ folder }: Pick<AcmeContent, 'folder'>, listener: string) {
  const named = (name: string) => join(folder ?? '', `${name}.pem`);
  return {
    cert: named(`${listener}.cert`),
    key: named(`${listener}.key`),
    challenge: named(`${listener}.challenge`),
    account: named('account'),
  };
}

/** The first bind point of the first listener with `edge-client`, or of the first listener if none has it. */
function defaultApiAddress(web: FileContent['web']): string {
  const hosting = web.find(({ apis }) => apis.some(({ binding }) => binding === 'edge-client')) ?? web[0];
  return hosting?.bindPoints[0]?.address ?? '';
}

/**
 * The operator's name if the configuration has one, otherwise the address's host. The label that apps show cannot
 * contain a colon, so an IPv6 address cannot be used. As long as the setting may be.
 */
function defaultTotpIssuer(name: string | null, address: string): string {
  const ofName = name?.replaceAll(':', ' ') ?? '';
  if (ofName.trim() !== '') return ofName;
  return address.startsWith('[') ? 'overlay' : address.replace(/:\d+$/, '').slice(0, 64);
}

/**
 * Decides which listeners get `edge-oidc` beside what they list, one answer for each listener in their order.
 *
 * - Once any listener lists it, nothing is added anywhere (rule 3).
 * - Otherwise every listener with `edge-client` gets it (rule 2), unless auto-binding is disabled.
 * - Without an `edge` section there is no OIDC provider (spec section 1, point 7).
 *
 * @see spec section 5.7 rules 2 to 4
 */
export function automaticOidc({ edge, web }: Bindings): readonly boolean[] {
  const lists = (binding: Binding) => (listener: Bindings['web'][number]) =>
    listener.apis.some((api) => api.binding === binding);
  const isAdded = edge?.api.disableOidcAutoBinding === false && !web.some(lists('edge-oidc'));
  return web.map((listener) => isAdded && lists('edge-client')(listener));
}

interface Bindings {
  readonly edge?: { readonly api: { readonly disableOidcAutoBinding: boolean } } | undefined;
  readonly web: readonly { readonly apis: readonly { readonly binding: Binding }[] }[];
}
