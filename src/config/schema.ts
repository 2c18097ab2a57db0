import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { HOUR, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import { DurationError, formatDuration, parseDuration } from '../platform/formats/durations.ts';
import { isPlainLoopback } from '../platform/network/address-rules.ts';
import { PostgresPoolerError, readPostgresPooler } from '../platform/network/postgres-pooler.ts';
import { PostgresTlsError, readPostgresTls } from '../platform/network/postgres-tls.ts';
import { largestHashCost, leastHashCost } from '../platform/secrets/hash-cost.ts';
import {
  AddressError,
  formatHostAndPort,
  isHostName,
  isUnspecified,
  parseHostAndPort,
  parseIpRange,
} from './addresses.ts';
import { ColorError, parseColor, requireContrast } from './colors.ts';
import { formatMemorySize, MemorySizeError, parseMemorySize } from './memory-sizes.ts';
import { parseRedirectUri, RedirectUriError } from './redirect-uris.ts';

// The shape of the configuration file, with its texts for operators: the keys here are the file's own, not the names
// used inside. Every map is strict. Rules about one value are here; rules between values of different sections are in
// consistency.ts.

/** Ten years: far more than anybody needs, and such durations added to a point in time stay exact numbers. */
const tenYears = 87_600 * HOUR;

/** Text that `read` turns into a value. A refusal becomes a problem with the sentence of `read`. */
function textReadBy<T>(read: (text: string) => T) {
  return z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
}

class Refusal extends Error {}

function isRefusal(error: unknown): error is Error {
  return [
    Refusal,
    DurationError,
    MemorySizeError,
    AddressError,
    RedirectUriError,
    ColorError,
    PostgresTlsError,
    PostgresPoolerError,
  ].some((kind) => error instanceof kind);
}

function duration(limits: { readonly min: Millis; readonly max: Millis }) {
  return textReadBy((text) => {
    const millis = parseDuration(text);
    if (millis < limits.min)
      throw new Refusal(`"${text}" is too short; the least is ${formatDuration(limits.min)}`);
    if (millis > limits.max)
      throw new Refusal(`"${text}" is too long; the most is ${formatDuration(limits.max)}`);
    return millis;
  });
}

const hashMemory = textReadBy((text) => {
  const kib = parseMemorySize(text);
  const [least, most] = [leastHashCost.memoryKiB, largestHashCost.memoryKiB];
  if (kib < least)
    throw new Refusal(
      `${text} is too little; the least that protects passwords is ${formatMemorySize(least)}`,
    );
  if (kib > most) throw new Refusal(`${text} is too much; the most is ${formatMemorySize(most)}`);
  return kib;
});

const lifetime = duration({ min: 1, max: tenYears });
/** Anything from zero: a value that is too short is raised (spec section 5.7), not refused. */
const adjustedLifetime = duration({ min: 0, max: tenYears });
/** The runtime fires timers of more than 24.8 days at once. */
const socketTimeout = duration({ min: 1, max: 24 * HOUR });

/** Path of a file; relative paths are relative to the configuration file's folder. */
const filePath = textReadBy((text) => {
  if (text.trim() === '') throw new Refusal('the path of a file is empty');
  if (text.includes('\0')) throw new Refusal('the path contains a NUL character');
  return text;
});

/** Reads the database URL. Its messages never repeat the URL, which may contain a password. */
export const dbSchema = textReadBy((text) => {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (file === '' || file.endsWith('/')) throw new Refusal('the path of the SQLite file is missing');
    if (file === ':memory:') throw new Refusal('a database in memory would forget every session');
    if (/[?#\0]/.test(file) || (file.startsWith('//') && isAbsolute(file))) {
      throw new Refusal('after sqlite: only the path of a file may follow');
    }
    return { engine: 'sqlite' as const, file };
  }
  if (/^postgres(ql)?:\/\//.test(text)) {
    const url = URL.parse(text);
    const hosts = /^\w+:\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(text)?.[1] ?? '';
    if (`${hosts}${url?.searchParams.get('host') ?? ''}`.includes(',')) {
      throw new Refusal(
        'a PostgreSQL URL names one host; for failover, name what leads to the server in charge: a DNS name, a virtual address or a proxy',
      );
    }
    if (url === null) throw new Refusal('the PostgreSQL URL cannot be parsed');
    if (url.hostname === '' && !url.searchParams.has('host')) {
      throw new Refusal('the PostgreSQL URL names no host');
    }
    readPostgresTls(url);
    readPostgresPooler(url);
    return { engine: 'postgres' as const, url: text };
  }
  throw new Refusal('the database must be sqlite:FILE or postgres://USER@HOST/NAME');
});

const identitySchema = z.strictObject({
  cert: filePath.describe('PEM file of the certificate.'),
  server_cert: filePath.optional().describe('PEM file of the chain that listeners present. Default: cert.'),
  key: filePath.describe('PEM file of the private key.'),
  ca: filePath.describe("PEM file of the overlay's own certificate authorities."),
});

const bindPointSchema = z
  .strictObject({
    interface: textReadBy(parseHostAndPort).describe('Where to listen, host:port, for example 0.0.0.0:1280.'),
    address: textReadBy((text) => {
      const address = parseHostAndPort(text);
      if (isUnspecified(address.host)) {
        throw new Refusal(`${text} is not an address that clients can dial; name the host as they see it`);
      }
      return { text: formatHostAndPort(address), port: address.port, asGiven: text };
    }).describe('What clients dial, host:port without a scheme. The issuer of tokens is derived from it.'),
  })
  .superRefine((bindPoint, context) => {
    if (bindPoint.address.port === 0 && bindPoint.interface.port !== 0) {
      context.addIssue({
        code: 'custom',
        path: ['address'],
        message: 'port 0 means the port that the system chooses, and needs port 0 in interface too',
      });
    }
  });

const tlsVersions = ['TLS1.2', 'TLS1.3'] as const;

/** A host in such a range is trusted with every address that it reports for its clients. */
const balancerRange = textReadBy((text) => {
  const range = parseIpRange(text);
  if (range.prefixLength === 0) {
    throw new Refusal(
      `${text} is every address, and any client could claim any address; name the load balancers, for example 192.0.2.5 or 10.1.0.0/24`,
    );
  }
  return range;
});

const listenerOptionsSchema = z
  .strictObject({
    minTLSVersion: z.enum(tlsVersions).default('TLS1.2').describe('Oldest TLS version accepted.'),
    maxTLSVersion: z.enum(tlsVersions).default('TLS1.3').describe('Newest TLS version offered.'),
    idleTimeout: socketTimeout.prefault('5s').describe('An idle connection is closed after this long.'),
    readTimeout: socketTimeout.prefault('10s').describe('A request must have arrived within this time.'),
    writeTimeout: socketTimeout
      .prefault('10s')
      .describe('A client must take each part of an answer (16 KB) within this time.'),
    clientCertificates: z
      .enum(['request', 'none'])
      .default('request')
      .describe(
        'request: ask for a client certificate, but do not require one. none: do not ask; certificate login is off here.',
      ),
    proxyProtocol: z
      .strictObject({
        balancers: z
          .array(balancerRange)
          .max(1000)
          .default([])
          .describe(
            'Load balancers that begin each connection with a PROXY header: addresses or CIDR ranges. Empty: off.',
          ),
      })
      .prefault({}),
  })
  .superRefine((options, context) => {
    if (options.minTLSVersion > options.maxTLSVersion) {
      context.addIssue({
        code: 'custom',
        path: ['minTLSVersion'],
        message: `minTLSVersion ${options.minTLSVersion} is newer than maxTLSVersion ${options.maxTLSVersion}`,
      });
    }
  });

const browserSessionSchema = z
  .strictObject({
    idle: duration({ min: MINUTE, max: tenYears }).describe('It ends after this long without a use.'),
    absolute: duration({ min: MINUTE, max: tenYears }).describe(
      'It ends this long after the login, however often it is used.',
    ),
  })
  .superRefine(({ idle, absolute }, context) => {
    if (idle <= absolute) return;
    context.addIssue({
      code: 'custom',
      path: ['idle'],
      message: `idle ${formatDuration(idle)} is longer than absolute ${formatDuration(absolute)}, which ends the session anyway`,
    });
  });

const redirectUris = z.array(textReadBy(parseRedirectUri)).max(200).default([]);

const apiSchema = z.discriminatedUnion('binding', [
  z.strictObject({
    binding: z.literal('edge-oidc'),
    options: z
      .strictObject({
        redirectURIs: redirectUris.describe(
          'Where authorization codes may be sent. Default: /auth/callback on any port of a loopback host.',
        ),
        postLogoutURIs: redirectUris.describe(
          'Where a browser may go after logout. Default: /auth/logout on any port of a loopback host.',
        ),
        browserSession: browserSessionSchema
          .optional()
          .describe(
            'People stay signed in in their browser, and further applications do not ask again. Default: off.',
          ),
      })
      .prefault({}),
  }),
  z.strictObject({
    binding: z.enum(['edge-client', 'edge-management', 'health-checks', 'metrics']),
    options: z.strictObject({}).optional().describe('This binding has no options.'),
  }),
]);

export const listenerSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'a name has 1 to 63 letters, digits, dots, hyphens')
    .describe('Names the listener in logs.'),
  bindPoints: z.array(bindPointSchema).min(1).max(64),
  identity: identitySchema.optional().describe('Replaces the default identity as a whole.'),
  options: listenerOptionsSchema.prefault({}),
  apis: z.array(apiSchema).min(1),
});

const hostNames = z
  .array(
    textReadBy((text) => {
      const name = text.toLowerCase();
      if (!isHostName(name))
        throw new Refusal(`${JSON.stringify(text)} is not a host name; patterns are not`);
      return name;
    }),
  )
  .max(1000)
  .default([]);
const ipRanges = z.array(textReadBy(parseIpRange)).max(1000).default([]);

const jwksFetchSchema = z.strictObject({
  timeout: duration({ min: 1, max: HOUR })
    .prefault('5s')
    .describe('For one whole fetch, redirects included.'),
  maxRedirects: z.int().min(0).max(20).default(5).describe('0 follows none.'),
  blockPrivateAddresses: z
    .boolean()
    .default(true)
    .describe('Ask no private or loopback address but those that allowedHostnames or allowedIPs name.'),
  allowedHostnames: hostNames.describe('Exact names; when not empty, no other host is asked.'),
  deniedHostnames: hostNames.describe('Exact names that are never asked.'),
  allowedIPs: ipRanges.describe('Addresses or CIDR ranges; when not empty, no other address is asked.'),
  deniedIPs: ipRanges.describe('Addresses or CIDR ranges that are never asked.'),
});

const apiSectionSchema = z.strictObject({
  sessionTimeout: lifetime
    .prefault('30m')
    .describe('A legacy session ends after this long without activity.'),
  address: textReadBy((text) => formatHostAndPort(parseHostAndPort(text)))
    .optional()
    .describe(
      'Main address, host:port: a bind point address of a listener with edge-client. Default: the first.',
    ),
  disableOidcAutoBinding: z
    .boolean()
    .default(false)
    .describe('true: the OIDC provider is only where edge-oidc is listed.'),
});

const enrollmentSchema = z.strictObject({
  signingCert: z
    .strictObject({
      cert: filePath.describe('PEM file of the certificate authority.'),
      key: filePath.describe('PEM file of its private key.'),
    })
    .optional()
    .describe(
      'The authority that signs client certificates. Without it, enrollment by certificate signing request is refused.',
    ),
  edgeIdentity: z
    .strictObject({ duration: lifetime.prefault('180m').describe('Lifetime of an enrollment token.') })
    .prefault({}),
});

const oidcSchema = z.strictObject({
  accessTokenDuration: adjustedLifetime
    .prefault('30m')
    .describe('Lifetime of access tokens. At least 1m, and 1m shorter than refreshTokenDuration.'),
  idTokenDuration: adjustedLifetime.prefault('30m').describe('Lifetime of ID tokens. At least 1m.'),
  refreshTokenDuration: adjustedLifetime
    .prefault('24h')
    .describe('Lifetime of one refresh token. At least 1m longer than accessTokenDuration.'),
  refreshFamilyDuration: lifetime
    .prefault('720h')
    .describe('After this long people log in again, however often tokens were refreshed.'),
  refreshTokenGrace: duration({ min: 0, max: MINUTE })
    .prefault('0s')
    .describe(
      'For so long a refresh token whose answer was lost gets the same successor again, while that is unused. At most 60s.',
    ),
  idTokenSigningAlg: z.enum(['ES256', 'RS256', 'EdDSA']).default('ES256'),
  compatibility: z
    .strictObject({
      clientIds: z
        .array(
          z
            .string()
            .regex(/^[\x21-\x7e]{1,128}$/, 'a client id has 1 to 128 visible ASCII characters')
            .refine((id) => id !== 'overlay', 'overlay is the client id of the service itself, not an alias'),
        )
        .max(50)
        .refine((ids) => new Set(ids).size === ids.length, 'a client id is listed twice')
        .default([])
        .describe('Alias client ids that get the compatibility profile.'),
      freshProofForFactors: z
        .boolean()
        .default(false)
        .describe(
          'Whether these clients too need a fresh proof of their user before an authenticator app is added or removed.',
        ),
    })
    .prefault({}),
});

export const edgeSchema = z.strictObject({
  api: apiSectionSchema.prefault({}),
  enrollment: enrollmentSchema.prefault({}),
  oidc: oidcSchema.prefault({}),
  totp: z
    .strictObject({
      issuer: z
        .string()
        .regex(/^[^\p{C}\p{Zl}\p{Zp}:]{1,64}$/u, 'the issuer has 1 to 64 characters, no colon')
        .regex(/\S/, 'the issuer is blank')
        .optional()
        .describe(
          'The name that authenticator apps show. Default: branding.name, or the host of edge.api.address.',
        ),
    })
    .prefault({}),
  sessions: z
    .strictObject({
      maxPerIdentity: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(100)
        .describe('Live sessions that one identity may have; a login beyond ends the oldest.'),
    })
    .prefault({}),
  passwordHash: z
    .strictObject({
      memory: hashMemory
        .prefault('46MiB')
        .describe('Memory of one password hash (argon2id). At least 19MiB.'),
      passes: z
        .int()
        .min(leastHashCost.passes)
        .max(largestHashCost.passes)
        .default(2)
        .describe('How often a hash goes over its memory.'),
      lanes: z
        .int()
        .min(leastHashCost.lanes)
        .max(largestHashCost.lanes)
        .default(1)
        .describe('Parts of the memory that are worked on independently.'),
    })
    .prefault({}),
  loginAttempts: z
    .strictObject({
      keep: lifetime.prefault('720h').describe('How long decision records of logins are kept.'),
      keepAtMost: z
        .int()
        .min(1000)
        .max(100_000_000)
        .default(100_000)
        .describe(
          'Records kept at most; beyond that, the identity or source with most records loses its oldest.',
        ),
    })
    .prefault({}),
  auditEvents: z
    .strictObject({
      keep: lifetime.prefault('8760h').describe('How long audit events are kept in the database.'),
      keepAtMost: z
        .int()
        .min(1000)
        .max(100_000_000)
        .default(100_000)
        .describe('Audit events kept at most; beyond that, the author with most events loses their oldest.'),
    })
    .prefault({}),
  externalJwtSigners: z.strictObject({ jwksFetch: jwksFetchSchema.prefault({}) }).prefault({}),
});

const brandingSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u, 'the name has 1 to 60 characters')
    .regex(/\S/, 'the name is blank')
    .optional()
    .describe('Whose login pages these are. Default: Overlay.'),
  logo: filePath.optional().describe('SVG or PNG file of at most 64 KiB, shown in place of the name.'),
  logoDark: filePath.optional().describe('The same for the dark theme. Default: logo.'),
  color: textReadBy((text) => requireContrast(parseColor(text), 'light'))
    .optional()
    .describe('Colour of links and buttons, #rrggbb; readable on white.'),
  colorDark: textReadBy((text) => requireContrast(parseColor(text), 'dark'))
    .optional()
    .describe('The same on dark ground. Default: color, as much lighter as it has to be.'),
});

const collector = textReadBy((text) => {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) {
    throw new Refusal(
      `${JSON.stringify(text)} is not the URL of a collector, such as https://collector:4318`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new Refusal('the URL holds a user or a password; put what the collector asks for into headersFile');
  }
  if (url.search !== '' || url.hash !== '') throw new Refusal('the URL has a query or a fragment');
  return url.href.replace(/\/+$/, '');
});

const telemetrySchema = z
  .strictObject({
    endpoint: collector.describe(
      'URL of an OTLP collector, by HTTP with protobuf; /v1/traces and /v1/metrics are added to it.',
    ),
    headersFile: filePath
      .optional()
      .describe('File with a line NAME: VALUE for each header that the collector asks for. A secret.'),
    ca: filePath
      .optional()
      .describe("PEM file of authorities that are trusted for the collector, besides the system's."),
    serviceName: z
      .string()
      .regex(/^[\x21-\x7e]{1,100}$/, 'the name has 1 to 100 visible ASCII characters')
      .default('overlay-auth')
      .describe('The name of the service there: service.name.'),
    traces: z
      .strictObject({
        sampling: z
          .number()
          .min(0)
          .max(1)
          .default(0.1)
          .describe('Share of the requests that are traced, from 0 (none) to 1 (all).'),
        callersPerSecond: z
          .int()
          .min(0)
          .max(10_000)
          .default(1)
          .describe('Requests a second that are traced besides, because their caller traces them.'),
      })
      .prefault({}),
    metrics: z
      .strictObject({
        interval: duration({ min: 0, max: 24 * HOUR })
          .refine((millis) => millis === 0 || millis >= SECOND, 'the least is 1s; 0s sends no metrics')
          .prefault('60s')
          .describe('How often the metrics are sent; 0s: never.'),
      })
      .prefault({}),
  })
  .superRefine(({ endpoint, headersFile }, context) => {
    if (headersFile === undefined || endpoint.startsWith('https:') || isPlainLoopback(endpoint)) return;
    context.addIssue({
      code: 'custom',
      path: ['endpoint'],
      message: 'the headers of headersFile would be sent in the clear; use https',
    });
  });

export const fileSchema = z
  .strictObject({
    v: z.literal(3).describe('Version of this file format: 3.'),
    db: dbSchema.describe('sqlite:FILE or postgres://USER@HOST/NAME.'),
    threads: z
      .union([z.literal('auto'), z.int().min(1).max(64)], {
        error: 'the value is auto or a number from 1 to 64',
      })
      .default('auto')
      .describe('Threads that answer requests: a number, or as many as the cores allow.'),
    secrets: z.strictObject({
      keyFile: filePath.describe('File of the key-encryption key; kept apart from the database.'),
    }),
    identity: identitySchema.describe('Default identity of listeners.'),
    web: z.array(listenerSchema).min(1).max(64).describe('Listeners.'),
    node: z
      .strictObject({
        name: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, 'a name has letters, digits, dots, colons, hyphens')
          .optional()
          .describe('Names this controller among several. Default: host name and port of the machine.'),
      })
      .prefault({}),
    edge: edgeSchema.optional().describe('Present: the OIDC provider is on.'),
    branding: brandingSchema.prefault({}).describe('How the login pages look.'),
    telemetry: telemetrySchema
      .optional()
      .describe('Traces and metrics for an OpenTelemetry collector. Default: none.'),
    log: z
      .strictObject({
        format: z.enum(['text', 'json']).default('text'),
        level: z.enum(['error', 'warn', 'info', 'debug']).default('info'),
      })
      .prefault({}),
  })
  .describe('Configuration of the overlay authentication service.');

/** The contents of the file, with values parsed and defaults filled in; paths still relative. */
export type FileContent = z.output<typeof fileSchema>;
export type ListenerContent = z.output<typeof listenerSchema>;
export type EdgeContent = z.output<typeof edgeSchema>;

/** The file's JSON Schema (draft 2020-12), for editors and for `config schema`. */
export function jsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(fileSchema, { io: 'input' }) as Record<string, unknown>;
}
