import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Adjustment, adjustDurations } from './adjustments.ts';
import { type EdgeContent, edgeSchema } from './edge-settings.ts';
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
    listeners: resolveListeners(content, edge, folder),
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

function resolveListeners(content: FileContent, edge: EdgeContent, folder: string) {
  const oidc = oidcBindings({
    edgePresent: content.edge !== undefined,
    disableOidcAutoBinding: edge.api.disableOidcAutoBinding,
    listeners: content.web.map(({ apis }) => ({ bindings: apis.map(({ binding }) => binding) })),
  });
  return content.web.map((listener, index) => ({
    ...listener,
    identity: resolveIdentity(content.identity, listener, folder),
    apis: oidc[index] === 'automatic' ? [...listener.apis, automaticOidcApi] : listener.apis,
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

/** Where a listener's `edge-oidc` binding comes from, or `none`. */
type OidcBinding = 'explicit' | 'automatic' | 'none';

/**
 * Decides which listeners serve `edge-oidc`, one answer for each listener in their order.
 *
 * - A listener that lists it has it, alone or beside other APIs (rule 4).
 * - Once any listener lists it, nothing is added anywhere (rule 3).
 * - Otherwise every listener with `edge-client` gets it (rule 2), unless auto-binding is disabled.
 * - Without an `edge` section there is no OIDC provider (spec section 1, point 7). A listener that still lists
 *   `edge-oidc` is reported when the file is checked; here it has none.
 *
 * @see spec section 5.7 rules 2 to 4
 */
export function oidcBindings(input: {
  readonly edgePresent: boolean;
  readonly disableOidcAutoBinding: boolean;
  readonly listeners: readonly { readonly bindings: readonly Binding[] }[];
}): readonly OidcBinding[] {
  const { edgePresent, disableOidcAutoBinding, listeners } = input;
  if (!edgePresent) return listeners.map(() => 'none');
  const listedAnywhere = listeners.some(({ bindings }) => bindings.includes('edge-oidc'));
  return listeners.map(({ bindings }) => {
    if (bindings.includes('edge-oidc')) return 'explicit';
    if (listedAnywhere || disableOidcAutoBinding) return 'none';
    return bindings.includes('edge-client') ? 'automatic' : 'none';
  });
}
