import { stringify } from 'yaml';

/** The values for a new `controller.yml`. Paths may be relative to the file's folder. */
export interface ControllerConfigTemplate {
  /** What clients dial, `host:port`. */
  readonly address: string;
  /** Where to listen, `host:port`. */
  readonly interface: string;
  /** `sqlite:FILE` or `postgres://…` */
  readonly dbUrl: string;
  readonly files: {
    /** The key-encryption key. */
    readonly masterKey: string;
    readonly cert: string;
    readonly serverCert: string;
    readonly key: string;
    /** The overlay's own certificate authorities. */
    readonly ca: string;
    /** The certificate authority that signs client certificates; absent: enrollment does not issue them. */
    readonly signingCert?: { readonly cert: string; readonly key: string };
  };
  /** The listener for metrics, `host:port` each; absent: none. */
  readonly metrics?: { readonly address: string; readonly interface: string };
}

function text(value: string): string {
  return stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' }).trimEnd();
}

/** On its own interface: people who may read metrics are not those who may log in. */
function metricsListener(metrics: ControllerConfigTemplate['metrics']): string {
  if (metrics === undefined) return '';
  return `
  # For Prometheus, from this machine. To scrape from another one, give the interface a private address.
  - name: metrics
    bindPoints:
      - interface: ${text(metrics.interface)}
        address: ${text(metrics.address)}
    options:
      clientCertificates: none
    apis:
      - binding: metrics
`;
}

/**
 * Writes a commented configuration file. `loadConfig` reads it without warnings or adjustments; every value in it is a
 * default or one of the given ones.
 */
export function renderControllerConfig(template: ControllerConfigTemplate): string {
  const { files } = template;
  return `# Configuration of the overlay authentication service.
#
#   overlay-auth config validate FILE        checks this file and says what is wrong, with line and column
#   overlay-auth config show --origin FILE   prints every value in force and where it comes from
#   overlay-auth config schema               prints the JSON Schema of this file, for editors
#
# Relative paths are relative to this file's folder. Durations are written like 30m, 24h or 1h30m.
v: 3

# sqlite:FILE for one node, postgres://USER@HOST/NAME for several. To keep a database password out of this
# file, give the whole URL in the environment variable OVERLAY_AUTH_DB instead; it replaces this value.
db: ${text(template.dbUrl)}

# threads: auto                    # threads that answer requests: a number, or as many as the cores allow

secrets:
  # The key that encrypts signing keys and TOTP seeds in the database. Back it up, but never together with
  # the database: whoever has both has everything.
  keyFile: ${text(files.masterKey)}

# What listeners present to clients, unless a listener has its own identity.
identity:
  cert: ${text(files.cert)}
  server_cert: ${text(files.serverCert)}
  key: ${text(files.key)}
  ca: ${text(files.ca)}            # the overlay's own certificate authorities

web:
  - name: default
    bindPoints:
      # interface: where to listen (0.0.0.0 or "[::]" for every address of the machine).
      # address: what clients dial; the issuer of tokens is https://ADDRESS/oidc.
      - interface: ${text(template.interface)}
        address: ${text(template.address)}
    options:
      minTLSVersion: TLS1.2
      maxTLSVersion: TLS1.3
      idleTimeout: 5s
      readTimeout: 10s
      writeTimeout: 10s
      clientCertificates: request  # none: do not ask for one; login by certificate is then off here
      # proxyProtocol:             # behind a load balancer: let it send PROXY headers, so that clients keep their
      #   balancers: [192.0.2.5]   # addresses here; from these addresses and ranges nothing else is accepted
    apis:
      - binding: edge-client
      - binding: edge-management
      # The OpenID Connect provider is added to every listener with edge-client, and allows redirects to
      # /auth/callback on any port of localhost, 127.0.0.1 and [::1]. To allow other redirects, list it; then
      # it is only where it is listed, and the list replaces the defaults:
      # - binding: edge-oidc
      #   options:
      #     redirectURIs:            # * may stand only for the whole port
      #       - http://localhost:*/auth/callback
      #       - https://console.example.com/auth/callback
      #     postLogoutURIs:
      #       - https://console.example.com/
      #     browserSession:          # people stay signed in in their browser; without it each application asks again
      #       idle: 30m
      #       absolute: 12h
      - binding: health-checks
${metricsListener(template.metrics)}
${edgeSection(template)}
# telemetry:                      # traces and metrics for an OpenTelemetry collector; see docs/monitoring/opentelemetry.md
#   endpoint: https://collector.example.com:4318
#   headersFile: otlp.headers     # a line NAME: VALUE for each header that it asks for
#   traces:
#     sampling: 0.1               # share of the requests, 0 to 1
#   metrics:
#     interval: 60s               # 0s: no metrics

log:
  format: text                     # text or json
  level: info                      # error, warn, info or debug
`;
}

function edgeSection({ address, files }: ControllerConfigTemplate): string {
  return `# This section present: the OpenID Connect provider is on.
edge:
  api:
    address: ${text(address)}
    sessionTimeout: 30m            # a legacy session ends after this long without activity
    disableOidcAutoBinding: false
  enrollment:
${signingLines(files.signingCert)}
    edgeIdentity:
      duration: 180m               # lifetime of an enrollment token
  oidc:
    accessTokenDuration: 30m       # at least 1m, and 1m shorter than refreshTokenDuration
    idTokenDuration: 30m           # at least 1m
    refreshTokenDuration: 24h      # of one token; each refresh gives a new one
    refreshFamilyDuration: 720h    # after this long people log in again, however often tokens were refreshed
    refreshTokenGrace: 0s          # at most 60s: a refresh whose answer was lost may be retried for so long
    idTokenSigningAlg: ES256       # ES256, RS256 or EdDSA
    compatibility:
      clientIds: []                # alias client ids that get the compatibility profile
      # freshProofForFactors: false  # whether they too prove anew who it is, to set up or remove an authenticator app
  # totp:
  #   issuer: Example              # the name that authenticator apps show; default: branding.name, or the host of edge.api.address
  # sessions:
  #   maxPerIdentity: 100          # a login beyond ends the oldest session of the identity
  # passwordHash:                  # what a password hash costs; "overlay-auth config tune-hash" proposes values
  #   memory: 46MiB                # at least 19MiB
  #   passes: 2                    # at least 2
  #   lanes: 1
  loginAttempts:                   # why logins were refused, for "overlay-auth explain REF"
    keep: 720h
    keepAtMost: 100000             # the identity or source with most loses its oldest
  auditEvents:                     # what was changed by whom, for "overlay-auth list audit-events"; the log has it too
    keep: 8760h
    keepAtMost: 100000
  externalJwtSigners:
    jwksFetch:                     # limits when fetching the keys of external JWT signers
      timeout: 5s
      maxRedirects: 5
      blockPrivateAddresses: true  # ask key servers on this machine or a private network only when one of the
                                   # two lists below names them
      allowedHostnames: []         # when not empty, no other host is asked
      deniedHostnames: []
      allowedIPs: []               # addresses or ranges such as 192.0.2.0/24
      deniedIPs: []
`;
}

function signingLines(signingCert: ControllerConfigTemplate['files']['signingCert']): string {
  return signingCert === undefined
    ? `    # signingCert:                 # signs client certificates; without it, enrollment by signing request is refused
    #   cert: ca.cert.pem
    #   key: ca.key.pem`
    : `    signingCert:                   # what client certificates are signed with
      cert: ${text(signingCert.cert)}
      key: ${text(signingCert.key)}`;
}
