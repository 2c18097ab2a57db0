import { resolve } from 'node:path';
import { issuerOf } from './addresses.ts';
import { type Adjustment, adjustDurations } from './adjustments.ts';
import { readableShade, textOn } from './colors.ts';
import type {
  Binding,
  Config,
  DbConfig,
  IdentityFiles,
  Listener,
  ListenerApi,
  TlsVersion,
} from './config.ts';
import { defaultPostLogoutUris, defaultRedirectUris, parseRedirectUri } from './redirect-uris.ts';
import { type EdgeContent, edgeSchema, type FileContent, type ListenerContent } from './schema.ts';

const tlsVersions: Readonly<Record<'TLS1.2' | 'TLS1.3', TlsVersion>> = {
  'TLS1.2': 'TLSv1.2',
  'TLS1.3': 'TLSv1.3',
};

/**
 * Turns the contents of the file into the effective configuration: defaults that depend on other values, automatic
 * bindings, adjustments, absolute paths.
 * @param content consistent (`checkConsistency` found nothing)
 * @param folder  absolute; the base of relative paths
 */
export function resolveConfig(
  content: FileContent,
  folder: string,
): { readonly config: Config; readonly adjustments: readonly Adjustment[] } {
  const edge: EdgeContent = content.edge ?? edgeSchema.parse({});
  const { durations, adjustments } = adjustDurations(edge.oidc);
  const identity = resolveIdentity(content.identity, folder);
  const apiAddress = edge.api.address ?? defaultApiAddress(content.web);
  const { signingCert } = edge.enrollment;
  const { memory, passes, lanes } = edge.passwordHash;
  const config: Config = {
    v: content.v,
    db: resolveDb(content.db, folder),
    threads: content.threads,
    secrets: { keyFile: resolve(folder, content.secrets.keyFile) },
    identity,
    listeners: resolveListeners(content, { edge, defaultIdentity: identity, folder }),
    node: { name: content.node.name ?? null },
    edge: {
      present: content.edge !== undefined,
      api: { ...edge.api, address: apiAddress },
      enrollment: {
        signingCert:
          signingCert === undefined
            ? null
            : { certFile: resolve(folder, signingCert.cert), keyFile: resolve(folder, signingCert.key) },
        edgeIdentity: edge.enrollment.edgeIdentity,
      },
      oidc: { ...edge.oidc, ...durations },
      totp: { issuer: edge.totp.issuer ?? defaultTotpIssuer(content.branding.name, apiAddress) },
      sessions: edge.sessions,
      passwordHash: { memoryKiB: memory, passes, lanes },
      loginAttempts: edge.loginAttempts,
      auditEvents: edge.auditEvents,
      externalJwtSigners: edge.externalJwtSigners,
    },
    branding: resolveBranding(content.branding, folder),
    telemetry: resolveTelemetry(content.telemetry, folder),
    log: content.log,
  };
  return { config, adjustments };
}

const defaultColors = { light: '#1f5fd0', dark: '#8ab4ff' } as const;

function resolveBranding(branding: FileContent['branding'], folder: string): Config['branding'] {
  const { name = 'Overlay', logo, logoDark, color, colorDark } = branding;
  const light = color ?? defaultColors.light;
  const dark = colorDark ?? (color === undefined ? defaultColors.dark : readableShade(color, 'dark'));
  return {
    name,
    logoFile: logo === undefined ? null : resolve(folder, logo),
    logoDarkFile: logoDark === undefined ? null : resolve(folder, logoDark),
    colors: {
      light: { accent: light, on: textOn(light) },
      dark: { accent: dark, on: textOn(dark) },
    },
  };
}

function resolveTelemetry(telemetry: FileContent['telemetry'], folder: string): Config['telemetry'] {
  if (telemetry === undefined) return null;
  const { headersFile, ca, ...rest } = telemetry;
  return {
    ...rest,
    headersFile: headersFile === undefined ? null : resolve(folder, headersFile),
    caFile: ca === undefined ? null : resolve(folder, ca),
  };
}

function resolveListeners(
  content: FileContent,
  context: { readonly edge: EdgeContent; readonly defaultIdentity: IdentityFiles; readonly folder: string },
): readonly Listener[] {
  const { edge, defaultIdentity, folder } = context;
  const oidc = oidcBindings({
    edgePresent: content.edge !== undefined,
    disableOidcAutoBinding: edge.api.disableOidcAutoBinding,
    listeners: content.web.map(({ apis }) => ({ bindings: apis.map(({ binding }) => binding) })),
  });
  return content.web.map((listener, index) => {
    const { options } = listener;
    const apis = listener.apis.map(resolveApi);
    return {
      name: listener.name,
      bindPoints: listener.bindPoints.map((bindPoint) => ({
        interface: bindPoint.interface,
        address: bindPoint.address.text,
        issuer: issuerOf(bindPoint.address.text),
      })),
      identity:
        listener.identity === undefined ? defaultIdentity : resolveIdentity(listener.identity, folder),
      tls: {
        minVersion: tlsVersions[options.minTLSVersion],
        maxVersion: tlsVersions[options.maxTLSVersion],
      },
      timeouts: { idle: options.idleTimeout, read: options.readTimeout, write: options.writeTimeout },
      clientCertificates: options.clientCertificates,
      proxyProtocol: options.proxyProtocol,
      apis: oidc[index] === 'automatic' ? [...apis, automaticOidcApi()] : apis,
    };
  });
}

function resolveApi(api: ListenerContent['apis'][number]): ListenerApi {
  if (api.binding !== 'edge-oidc') return { binding: api.binding };
  const { redirectURIs, postLogoutURIs, browserSession = null } = api.options;
  const defaults = automaticOidcApi();
  return {
    binding: 'edge-oidc',
    explicit: true,
    redirectUris: redirectURIs.length > 0 ? redirectURIs : defaults.redirectUris,
    postLogoutUris: postLogoutURIs.length > 0 ? postLogoutURIs : defaults.postLogoutUris,
    browserSession,
  };
}

function automaticOidcApi(): Extract<ListenerApi, { binding: 'edge-oidc' }> {
  return {
    binding: 'edge-oidc',
    explicit: false,
    redirectUris: defaultRedirectUris.map(parseRedirectUri),
    postLogoutUris: defaultPostLogoutUris.map(parseRedirectUri),
    browserSession: null,
  };
}

function resolveDb(db: FileContent['db'], folder: string): DbConfig {
  return db.engine === 'sqlite' ? { engine: 'sqlite', file: resolve(folder, db.file) } : db;
}

function resolveIdentity(identity: FileContent['identity'], folder: string): IdentityFiles {
  return {
    certFile: resolve(folder, identity.cert),
    serverCertFile: resolve(folder, identity.server_cert ?? identity.cert),
    keyFile: resolve(folder, identity.key),
    caFile: resolve(folder, identity.ca),
  };
}

/** The first bind point of the first listener with `edge-client`, or of the first listener if none has it. */
function defaultApiAddress(web: FileContent['web']): string {
  const hosting = web.find(({ apis }) => apis.some(({ binding }) => binding === 'edge-client')) ?? web[0];
  return hosting?.bindPoints[0]?.address.text ?? '';
}

/**
 * The operator's name if the configuration has one, otherwise the address's host. The label that apps show cannot
 * contain a colon, so an IPv6 address cannot be used.
 */
function defaultTotpIssuer(name: string | undefined, address: string): string {
  if (name !== undefined) return name.replaceAll(':', ' ');
  return address.startsWith('[') ? 'overlay' : address.replace(/:\d+$/, '');
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
