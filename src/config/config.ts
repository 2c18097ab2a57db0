// The configuration as the rest of the service sees it: every default is resolved, every path is absolute, every
// duration is Millis.
import type { BrowserSessionRules } from '../model/browser-session.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import type { Millis } from '../platform/clock.ts';
import type { HashCost } from '../platform/secrets/hash-cost.ts';

/** The effective configuration; deeply frozen. */
export interface Config {
  /** Version of the file format. */
  readonly v: 3;
  readonly db: DbConfig;
  /** Threads that answer requests; `auto`: as many as the cores allow (thread-count.ts). */
  readonly threads: 'auto' | number;
  readonly secrets: {
    /** File of the key-encryption key. */
    readonly keyFile: string;
  };
  /** The default identity; `caFile` is the overlay's own PKI. */
  readonly identity: IdentityFiles;
  readonly listeners: readonly Listener[];
  readonly node: {
    /** The name of this controller among several on one database; null: made from the host name and the port. */
    readonly name: string | null;
  };
  readonly edge: EdgeConfig;
  readonly branding: BrandingConfig;
  /** Null: nothing is sent, and no code for it is loaded. */
  readonly telemetry: TelemetryConfig | null;
  readonly log: LogConfig;
}

export type DbConfig =
  | { readonly engine: 'sqlite'; readonly file: string }
  /** `url` may contain a password: never print it; `dbText` of file-shape.ts masks it. */
  | { readonly engine: 'postgres'; readonly url: string };

/** Absolute paths of PEM files. */
export interface IdentityFiles {
  readonly certFile: string;
  /** Certificate chain that TLS listeners present; equals `certFile` unless given. */
  readonly serverCertFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

export interface Listener {
  /** Unique among the listeners. */
  readonly name: string;
  /** At least one. */
  readonly bindPoints: readonly BindPoint[];
  /** The listener's own identity or, if it has none, the default one. */
  readonly identity: IdentityFiles;
  readonly tls: { readonly minVersion: TlsVersion; readonly maxVersion: TlsVersion };
  readonly timeouts: { readonly idle: Millis; readonly read: Millis; readonly write: Millis };
  /** `request`: ask for a client certificate in the handshake, without requiring it; `none`: do not ask. */
  readonly clientCertificates: 'request' | 'none';
  /** The PROXY protocol (HAProxy's specification, versions 1 and 2). */
  readonly proxyProtocol: {
    /** Connections from these begin with a PROXY header, all others never do; empty: off. */
    readonly balancers: readonly IpRange[];
  };
  /** At least one, each binding at most once; includes an automatically bound `edge-oidc`. */
  readonly apis: readonly ListenerApi[];
}

export interface BindPoint {
  /** Where to listen. `host` has no brackets; `port` 0 lets the system choose (tests). */
  readonly interface: { readonly host: string; readonly port: number };
  /** What clients dial: `host:port`, host in lower case, IPv6 in brackets. Port 0 only with interface port 0. */
  readonly address: string;
  /** `https://host[:port]/oidc`; `:443` is left out. Computed by `issuerOf(address)` of addresses.ts. */
  readonly issuer: string;
}

/** As in `node:tls`. */
export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

export type Binding = 'edge-client' | 'edge-management' | 'edge-oidc' | 'health-checks' | 'metrics';

export type ListenerApi =
  | { readonly binding: Exclude<Binding, 'edge-oidc'> }
  | {
      readonly binding: 'edge-oidc';
      /** False: added by the auto-binding rule of spec section 5.7. */
      readonly explicit: boolean;
      /** Never empty: the loopback defaults replace an absent or empty list. */
      readonly redirectUris: readonly RedirectUriPattern[];
      readonly postLogoutUris: readonly RedirectUriPattern[];
      /** How long people stay signed in in their browser; null: each authorization asks again. */
      readonly browserSession: BrowserSessionRules | null;
    };

export interface EdgeConfig {
  /** Whether the file has an `edge` section, which is what turns the OIDC provider on. */
  readonly present: boolean;
  readonly api: {
    /** A legacy session ends after this long without activity. */
    readonly sessionTimeout: Millis;
    /** The main address, `host:port`: a bind point address of a listener with `edge-client`. */
    readonly address: string;
    readonly disableOidcAutoBinding: boolean;
  };
  readonly enrollment: {
    /** Signs client certificates; null: enrollment with a certificate signing request is off. */
    readonly signingCert: { readonly certFile: string; readonly keyFile: string } | null;
    readonly edgeIdentity: {
      /** Lifetime of an enrollment token. */
      readonly duration: Millis;
    };
  };
  readonly oidc: {
    readonly accessTokenDuration: Millis;
    readonly idTokenDuration: Millis;
    /** At least one minute longer than `accessTokenDuration`. */
    readonly refreshTokenDuration: Millis;
    /** Absolute end of a refresh family, counted from login; at least `refreshTokenDuration`. */
    readonly refreshFamilyDuration: Millis;
    /** How long a refresh may be retried; 0: not at all. */
    readonly refreshTokenGrace: Millis;
    readonly idTokenSigningAlg: IdTokenSigningAlg;
    readonly compatibility: {
      /** Alias client ids that get the compatibility profile; empty: the profile is off. */
      readonly clientIds: readonly string[];
      /** Whether sessions of these clients also need a fresh proof to add or remove a factor. */
      readonly freshProofForFactors: boolean;
    };
  };
  readonly totp: {
    /** The name that authenticator apps show. */
    readonly issuer: string;
  };
  readonly sessions: {
    /** Maximum of live sessions for one identity; a further one ends the oldest. */
    readonly maxPerIdentity: number;
  };
  /** For new password hashes. */
  readonly passwordHash: HashCost;
  /** Decision records of logins, for `explain`. */
  readonly loginAttempts: {
    readonly keep: Millis;
    readonly keepAtMost: number;
  };
  /** Who changed what, as the management API lists it; the log has it too. */
  readonly auditEvents: {
    readonly keep: Millis;
    readonly keepAtMost: number;
  };
  readonly externalJwtSigners: { readonly jwksFetch: JwksFetchConfig };
}

export type IdTokenSigningAlg = 'ES256' | 'RS256' | 'EdDSA';

/** Limits of outbound requests for signer keys. Link-local and metadata addresses are always refused. */
export interface JwksFetchConfig {
  /** For the whole fetch, redirects included. */
  readonly timeout: Millis;
  readonly maxRedirects: number;
  readonly blockPrivateAddresses: boolean;
  /** Exact names in lower case; an empty list allows every name. */
  readonly allowedHostnames: readonly string[];
  readonly deniedHostnames: readonly string[];
  /** An empty list allows every address. */
  readonly allowedIPs: readonly IpRange[];
  readonly deniedIPs: readonly IpRange[];
}

/** As `net.BlockList.addSubnet` takes it; a single address has the full prefix length. */
export interface IpRange {
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** How the pages for people look. */
export interface BrandingConfig {
  /** The operator's name. */
  readonly name: string;
  /** Absolute path of an SVG or PNG file; null: only the name is shown. */
  readonly logoFile: string | null;
  /** The same for the dark theme; null: one logo for both. */
  readonly logoDarkFile: string | null;
  /** `#rrggbb`: for links, buttons and the focus, and for the text on buttons. Readable on each scheme's background. */
  readonly colors: {
    readonly [Scheme in 'light' | 'dark']: { readonly accent: string; readonly on: string };
  };
}

/** Traces and metrics for an OTLP collector. */
export interface TelemetryConfig {
  /** URL without a trailing slash. */
  readonly endpoint: string;
  /** Absolute path of a file with a line `NAME: VALUE` for each header; null: none are needed. */
  readonly headersFile: string | null;
  /** Absolute path of PEM certificates that are trusted in addition to the system's; null: none. */
  readonly caFile: string | null;
  readonly serviceName: string;
  readonly traces: {
    /** Share of the requests that are traced, 0 to 1. */
    readonly sampling: number;
    /** Further requests per second that are traced because their caller traces them; for each thread. */
    readonly callersPerSecond: number;
  };
  readonly metrics: {
    /** 0: never. */
    readonly interval: Millis;
  };
}

export interface LogConfig {
  readonly format: 'text' | 'json';
  readonly level: 'error' | 'warn' | 'info' | 'debug';
}
