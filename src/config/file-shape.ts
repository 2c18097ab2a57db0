import { formatDuration } from '../platform/formats/durations.ts';
import { formatHostAndPort } from './addresses.ts';
import type { BindPoint, Config, DbConfig, IdentityFiles, IpRange, Listener, ListenerApi } from './config.ts';
import type { ConfigPath } from './config-error.ts';
import { formatMemorySize } from './memory-sizes.ts';
import { formatRedirectUri } from './redirect-uris.ts';

export type FileValue =
  | string
  | number
  | boolean
  | readonly FileValue[]
  | { readonly [key: string]: FileValue };

/**
 * The effective configuration in the shape and order of the file, with every default written out. `config show` prints
 * it, and its paths look up the origin of each value. Reading it as a file gives the same configuration, except for a
 * database password, which is not printed.
 */
export function toFileShape(config: Config): { readonly [key: string]: FileValue } {
  const { edge } = config;
  return {
    v: config.v,
    db: dbText(config.db),
    threads: config.threads,
    secrets: { keyFile: config.secrets.keyFile },
    identity: identityShape(config.identity),
    web: config.listeners.map((listener) => listenerShape(listener, config.identity)),
    ...(config.node.name === null ? {} : { node: { name: config.node.name } }),
    ...(edge.present ? { edge: edgeShape(edge) } : {}),
    branding: brandingShape(config.branding),
    ...(config.telemetry === null ? {} : { telemetry: telemetryShape(config.telemetry) }),
    log: { format: config.log.format, level: config.log.level },
  };
}

function brandingShape({ name, logoFile, logoDarkFile, colors }: Config['branding']): FileValue {
  return {
    name,
    ...(logoFile === null ? {} : { logo: logoFile }),
    ...(logoDarkFile === null ? {} : { logoDark: logoDarkFile }),
    color: colors.light.accent,
    colorDark: colors.dark.accent,
  };
}

function telemetryShape(telemetry: NonNullable<Config['telemetry']>): FileValue {
  const { endpoint, headersFile, caFile, serviceName, traces, metrics } = telemetry;
  return {
    endpoint,
    ...(headersFile === null ? {} : { headersFile }),
    ...(caFile === null ? {} : { ca: caFile }),
    serviceName,
    traces: { sampling: traces.sampling, callersPerSecond: traces.callersPerSecond },
    metrics: { interval: formatDuration(metrics.interval) },
  };
}

/** A database URL that can be shown: a password in it becomes `***`. */
export function dbText(db: DbConfig): string {
  if (db.engine === 'sqlite') return `sqlite:${db.file}`;
  const url = new URL(db.url);
  if (url.password !== '') url.password = '***';
  for (const key of ['password', 'sslpassword']) {
    if (url.searchParams.has(key)) url.searchParams.set(key, '***');
  }
  return url.href;
}

function identityShape(identity: IdentityFiles): FileValue {
  return {
    cert: identity.certFile,
    server_cert: identity.serverCertFile,
    key: identity.keyFile,
    ca: identity.caFile,
  };
}

function listenerShape(listener: Listener, defaultIdentity: IdentityFiles): FileValue {
  const { tls, timeouts } = listener;
  const ownIdentity = JSON.stringify(listener.identity) !== JSON.stringify(defaultIdentity);
  return {
    name: listener.name,
    bindPoints: listener.bindPoints.map(bindPointShape),
    ...(ownIdentity ? { identity: identityShape(listener.identity) } : {}),
    options: {
      minTLSVersion: tls.minVersion.replace('TLSv', 'TLS'),
      maxTLSVersion: tls.maxVersion.replace('TLSv', 'TLS'),
      idleTimeout: formatDuration(timeouts.idle),
      readTimeout: formatDuration(timeouts.read),
      writeTimeout: formatDuration(timeouts.write),
      clientCertificates: listener.clientCertificates,
      proxyProtocol: { balancers: listener.proxyProtocol.balancers.map(ipRangeText) },
    },
    apis: listener.apis.map(apiShape),
  };
}

function bindPointShape(bindPoint: BindPoint): FileValue {
  return { interface: formatHostAndPort(bindPoint.interface), address: bindPoint.address };
}

function apiShape(api: ListenerApi): FileValue {
  if (api.binding !== 'edge-oidc') return { binding: api.binding };
  return {
    binding: api.binding,
    options: {
      redirectURIs: api.redirectUris.map(formatRedirectUri),
      postLogoutURIs: api.postLogoutUris.map(formatRedirectUri),
      ...(api.browserSession === null
        ? {}
        : {
            browserSession: {
              idle: formatDuration(api.browserSession.idle),
              absolute: formatDuration(api.browserSession.absolute),
            },
          }),
    },
  };
}

function edgeShape(edge: Config['edge']): FileValue {
  const { signingCert, edgeIdentity } = edge.enrollment;
  const { jwksFetch } = edge.externalJwtSigners;
  return {
    api: {
      sessionTimeout: formatDuration(edge.api.sessionTimeout),
      address: edge.api.address,
      disableOidcAutoBinding: edge.api.disableOidcAutoBinding,
    },
    enrollment: {
      ...(signingCert === null
        ? {}
        : { signingCert: { cert: signingCert.certFile, key: signingCert.keyFile } }),
      edgeIdentity: { duration: formatDuration(edgeIdentity.duration) },
    },
    oidc: {
      accessTokenDuration: formatDuration(edge.oidc.accessTokenDuration),
      idTokenDuration: formatDuration(edge.oidc.idTokenDuration),
      refreshTokenDuration: formatDuration(edge.oidc.refreshTokenDuration),
      refreshFamilyDuration: formatDuration(edge.oidc.refreshFamilyDuration),
      refreshTokenGrace: formatDuration(edge.oidc.refreshTokenGrace),
      idTokenSigningAlg: edge.oidc.idTokenSigningAlg,
      compatibility: edge.oidc.compatibility,
    },
    totp: { issuer: edge.totp.issuer },
    sessions: { maxPerIdentity: edge.sessions.maxPerIdentity },
    passwordHash: {
      memory: formatMemorySize(edge.passwordHash.memoryKiB),
      passes: edge.passwordHash.passes,
      lanes: edge.passwordHash.lanes,
    },
    loginAttempts: {
      keep: formatDuration(edge.loginAttempts.keep),
      keepAtMost: edge.loginAttempts.keepAtMost,
    },
    auditEvents: {
      keep: formatDuration(edge.auditEvents.keep),
      keepAtMost: edge.auditEvents.keepAtMost,
    },
    externalJwtSigners: {
      jwksFetch: {
        timeout: formatDuration(jwksFetch.timeout),
        maxRedirects: jwksFetch.maxRedirects,
        blockPrivateAddresses: jwksFetch.blockPrivateAddresses,
        allowedHostnames: jwksFetch.allowedHostnames,
        deniedHostnames: jwksFetch.deniedHostnames,
        allowedIPs: jwksFetch.allowedIPs.map(ipRangeText),
        deniedIPs: jwksFetch.deniedIPs.map(ipRangeText),
      },
    },
  };
}

function ipRangeText({ address, prefixLength, family }: IpRange): string {
  return prefixLength === (family === 'ipv4' ? 32 : 128) ? address : `${address}/${prefixLength}`;
}

/** The paths of all values that are not maps or lists with entries, in order. */
export function leafPaths(value: FileValue, path: ConfigPath = []): readonly ConfigPath[] {
  if (Array.isArray(value)) {
    const entries = value as readonly FileValue[];
    return entries.length === 0
      ? [path]
      : entries.flatMap((entry, index) => leafPaths(entry, [...path, index]));
  }
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([key, child]) => leafPaths(child, [...path, key]));
  }
  return [path];
}
