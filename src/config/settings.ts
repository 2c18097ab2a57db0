import * as z from 'zod';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { isPlainLoopback } from '../platform/network/address-rules.ts';
import { largestHashCost, leastHashCost } from '../platform/secrets/hash-cost.ts';
import { readableShade, textOn } from './colors.ts';
import { identitySchema, listenerSchema } from './listener-settings.ts';
import { isLoopbackHost } from './redirect-uris.ts';
import { atRestart, orNone, says, section, seenAs } from './setting.ts';
import {
  address,
  collectorUrl,
  color,
  dbSchema,
  duration,
  filePath,
  hashMemory,
  hostName,
  ipRange,
  lifetime,
  linkUrl,
  mailbox,
  proxyUrl,
  sparedHost,
  tenYears,
} from './value-kinds.ts';

// Every setting of the file, in its order. Every map is strict. Rules about one value are here; rules between values of
// different sections are in consistency.ts.

/** Anything from zero: a value that is too short is raised (spec section 5.7), not refused. */
const adjustedLifetime = duration({ min: 0, max: tenYears });
/** One minute less, which refresh tokens are valid for longer. */
const accessLifetime = duration({ min: 0, max: tenYears - MINUTE });

const hostNames = z.array(hostName).max(1000).prefault([]);
const ipRanges = z.array(ipRange).max(1000).prefault([]);
const recordsKept = z.int().min(1000).max(100_000_000).default(100_000);

const apiSchema = z.strictObject({
  sessionTimeout: says`A legacy session ends after this long without activity.`(lifetime.prefault('30m')),
  address:
    atRestart`Main address, host:port: a bind point address of a listener with edge-client. Default: the first.`(
      orNone(address),
    ),
  disableOidcAutoBinding: atRestart`true: the OIDC provider is only where edge-oidc is listed.`(
    z.boolean().default(false),
  ),
});

const signingCertSchema = seenAs(
  z.strictObject({
    cert: says`PEM file of the certificate authority.`(filePath, { example: 'ca.cert.pem' }),
    key: says`PEM file of its private key.`(filePath, { example: 'ca.key.pem' }),
  }),
  {
    decode: ({ cert, key }) => ({ certFile: cert, keyFile: key }),
    encode: ({ certFile, keyFile }) => ({ cert: certFile, key: keyFile }),
  },
);

const enrollmentSchema = z.strictObject({
  signingCert:
    says`The authority that signs client certificates. Without it, enrollment by certificate signing request is refused.`(
      orNone(signingCertSchema),
    ),
  edgeIdentity: section({
    duration: says`Lifetime of an enrollment token.`(lifetime.prefault('180m')),
  }),
});

const oidcSchema = z.strictObject({
  accessTokenDuration:
    says`Lifetime of access tokens. At least 1m, and 1m shorter than refreshTokenDuration.`(
      accessLifetime.prefault('30m'),
    ),
  idTokenDuration: says`Lifetime of ID tokens. At least 1m.`(adjustedLifetime.prefault('30m')),
  refreshTokenDuration: says`Lifetime of one refresh token. At least 1m longer than accessTokenDuration.`(
    adjustedLifetime.prefault('24h'),
  ),
  refreshFamilyDuration: says`After this long people log in again, however often tokens were refreshed.`(
    lifetime.prefault('720h'),
  ),
  refreshTokenGrace:
    says`For so long a refresh token whose answer was lost gets the same successor again, while that is unused. At most 60s.`(
      duration({ min: 0, max: MINUTE }).prefault('0s'),
    ),
  // Every node must publish its keys before it signs.
  idTokenSigningAlg: atRestart`ES256, RS256 or EdDSA: the algorithm of ID tokens for the client overlay.`(
    z.enum(['ES256', 'RS256', 'EdDSA']).default('ES256'),
  ),
  compatibility: section({
    // The profile adds endpoints, and issues refresh tokens that keys must outlive.
    clientIds: atRestart`Alias client ids that get the compatibility profile.`(
      z
        .array(
          z
            .string()
            .regex(/^[\x21-\x7e]{1,128}$/, 'a client id has 1 to 128 visible ASCII characters')
            .refine((id) => id !== 'overlay', 'overlay is the client id of the service itself, not an alias'),
        )
        .max(50)
        .refine((ids) => new Set(ids).size === ids.length, 'a client id is listed twice')
        .default([]),
    ),
    refreshTokenGrace:
      says`The same as edge.oidc.refreshTokenGrace for these clients, whose commands share one refresh token.`(
        duration({ min: 0, max: MINUTE }).prefault('10s'),
      ),
    freshProofForFactors:
      says`Whether these clients too need a fresh proof of their user before an authenticator app is added or removed.`(
        z.boolean().default(false),
        { rare: true },
      ),
  }),
});

const jwksFetchSchema = z.strictObject({
  timeout: says`For one whole fetch, redirects included.`(duration({ min: 1, max: HOUR }).prefault('5s')),
  maxRedirects: says`0 follows none.`(z.int().min(0).max(20).default(5)),
  blockPrivateAddresses:
    says`Ask no private or loopback address but those that additionalHostnames, allowedHostnames or allowedIPs name.`(
      z.boolean().default(true),
    ),
  additionalHostnames:
    says`Exact names, such as that of a provider on a private network, that are asked besides all others.`(
      hostNames,
    ),
  allowedHostnames: says`Exact names; when not empty, no other host is asked.`(hostNames),
  deniedHostnames: says`Exact names that are never asked.`(hostNames),
  allowedIPs: says`Addresses or CIDR ranges; when not empty, no other address is asked.`(ipRanges),
  deniedIPs: says`Addresses or CIDR ranges that are never asked.`(ipRanges),
  trustedRoots: says`PEM files of authorities that are trusted for other servers, besides the system's.`(
    z.array(filePath).max(100).prefault([]),
  ),
  proxy:
    says`URL of the HTTP proxy through which other servers are asked. The environment variable OVERLAY_AUTH_PROXY replaces it, which keeps a password out of this file. Default: none.`(
      orNone(proxyUrl),
      { example: 'http://proxy.example.com:3128' },
    ),
  noProxy:
    says`Hosts that are asked without the proxy: names, .example.com for everything below a domain, addresses, CIDR ranges.`(
      z.array(sparedHost).max(1000).prefault([]),
    ),
});

export const edgeSchema = z.strictObject({
  api: apiSchema.prefault({}),
  enrollment: enrollmentSchema.prefault({}),
  oidc: oidcSchema.prefault({}),
  totp: section({
    issuer:
      says`The name that authenticator apps show. Default: branding.name, or the host of edge.api.address.`(
        orNone(
          z
            .string()
            .regex(/^[^\p{C}\p{Zl}\p{Zp}:]{1,64}$/u, 'the issuer has 1 to 64 characters, no colon')
            .regex(/\S/, 'the issuer is blank'),
        ),
        { example: 'Example' },
      ),
  }),
  passkeys: section({
    rpId: says`The domain to which passkeys belong, for several hosts below it. Default: the host of each bind point. Passkeys of another domain no longer work.`(
      orNone(hostName),
      { example: 'example.com' },
    ),
    trustedRoots:
      says`PEM files of makers of authenticators. Auth policies that allow certain models (primary.passkey.allowedAuthenticators) need them.`(
        z.array(filePath).max(100).prefault([]),
        { rare: true },
      ),
  }),
  sessions: section({
    maxPerIdentity: says`Live sessions that one identity may have; a login beyond ends the oldest.`(
      z.int().min(1).max(1_000_000).default(100),
      { rare: true },
    ),
  }),
  // The hashing threads receive it at their start.
  passwordHash: atRestart`What a password hash costs.`(
    seenAs(
      z.strictObject({
        memory: says`Memory of one password hash (argon2id). At least 19MiB.`(hashMemory.prefault('46MiB'), {
          rare: true,
        }),
        passes: says`How often a hash goes over its memory.`(
          z.int().min(leastHashCost.passes).max(largestHashCost.passes).default(2),
          { rare: true },
        ),
        lanes: says`Parts of the memory that are worked on independently.`(
          z.int().min(leastHashCost.lanes).max(largestHashCost.lanes).default(1),
          { rare: true },
        ),
      }),
      {
        decode: ({ memory, ...cost }) => ({ memoryKiB: memory, ...cost }),
        encode: ({ memoryKiB, ...cost }) => ({ memory: memoryKiB, ...cost }),
      },
    ).prefault({}),
  ),
  loginAttempts: section({
    keep: says`How long decision records of logins are kept.`(lifetime.prefault('720h')),
    keepAtMost:
      says`Records of logins kept at most, and a quarter as many of other refused requests; beyond that, the identity or source with most records loses its oldest.`(
        recordsKept,
      ),
  }),
  auditEvents: section({
    keep: says`How long audit events are kept in the database.`(lifetime.prefault('8760h')),
    keepAtMost: says`Audit events kept at most; beyond that, the author with most events loses their oldest.`(
      recordsKept,
    ),
  }),
  externalJwtSigners: section({ jwksFetch: jwksFetchSchema.prefault({}) }),
});

const defaultColors = { light: '#1f5fd0', dark: '#8ab4ff' };

const brandingSchema = seenAs(
  z.strictObject({
    name: says`Whose login pages these are. Default: Overlay.`(
      orNone(
        z
          .string()
          .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u, 'the name has 1 to 60 characters')
          .regex(/\S/, 'the name is blank'),
      ),
      { example: 'Example' },
    ),
    logo: says`SVG or PNG file of at most 64 KiB, shown in place of the name.`(orNone(filePath), {
      example: 'logo.svg',
    }),
    logoDark: says`The same for the dark theme. Default: logo.`(orNone(filePath), {
      example: 'logo-dark.svg',
    }),
    color: says`Colour of links and buttons, #rrggbb; readable on white. Default: #1f5fd0.`(
      color('light').optional(),
      { example: defaultColors.light },
    ),
    colorDark: says`The same on dark ground. Default: color, as much lighter as it has to be.`(
      color('dark').optional(),
      { example: defaultColors.dark },
    ),
    help: says`Help for people who cannot sign in, shown on the login pages. Default: none.`(
      orNone(
        z.strictObject({
          text: says`Your words, as they are in every language.`(
            z
              .string()
              .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u, 'the text has 1 to 200 characters')
              .regex(/\S/, 'the text is blank'),
            { example: 'Forgotten your password?' },
          ),
          url: says`Where the text leads: https, mailto or tel. Default: nowhere.`(orNone(linkUrl), {
            example: 'https://help.example.com',
          }),
        }),
      ),
    ),
  }),
  {
    /** `on`: the colour of text on a button of the colour `accent`. */
    decode({ logo, logoDark, color: given, colorDark, ...branding }) {
      const light = given ?? defaultColors.light;
      const dark = colorDark ?? (given === undefined ? defaultColors.dark : readableShade(given, 'dark'));
      const colors = {
        light: { accent: light, on: textOn(light) },
        dark: { accent: dark, on: textOn(dark) },
      };
      return { ...branding, logoFile: logo, logoDarkFile: logoDark, colors };
    },
    encode: ({ logoFile, logoDarkFile, colors, ...branding }) => ({
      ...branding,
      logo: logoFile,
      logoDark: logoDarkFile,
      color: colors.light.accent,
      colorDark: colors.dark.accent,
    }),
  },
);

const telemetrySchema = z
  .strictObject({
    endpoint:
      says`URL of an OTLP collector, by HTTP with protobuf; /v1/traces and /v1/metrics are added to it.`(
        collectorUrl,
        { example: 'https://collector.example.com:4318' },
      ),
    headersFile: says`File with a line NAME: VALUE for each header that the collector asks for. A secret.`(
      orNone(filePath),
      { example: 'otlp.headers' },
    ),
    ca: says`PEM file of authorities that are trusted for the collector, besides the system's.`(
      orNone(filePath),
      { example: 'collector-ca.pem' },
    ),
    serviceName: says`The name of the service there: service.name.`(
      z
        .string()
        .regex(/^[\x21-\x7e]{1,100}$/, 'the name has 1 to 100 visible ASCII characters')
        .default('overlay-auth'),
    ),
    traces: section({
      sampling: says`Share of the requests that are traced, from 0 (none) to 1 (all).`(
        z.number().min(0).max(1).default(0.1),
      ),
      callersPerSecond: says`Requests a second that are traced besides, because their caller traces them.`(
        z.int().min(0).max(10_000).default(1),
      ),
    }),
    metrics: section({
      interval: says`How often the metrics are sent; 0s: never.`(
        duration({ min: 0, max: 24 * HOUR })
          .refine((millis) => millis === 0 || millis >= SECOND, 'the least is 1s; 0s sends no metrics')
          .prefault('60s'),
      ),
    }),
  })
  .superRefine(({ endpoint, headersFile }, context) => {
    if (headersFile === null || endpoint.startsWith('https:') || isPlainLoopback(endpoint)) return;
    context.addIssue({
      code: 'custom',
      path: ['endpoint'],
      message: 'the headers of headersFile would be sent in the clear; use https',
    });
  });

const smtpSchema = z
  .strictObject({
    host: says`Its name, which its certificate must contain.`(hostName, { example: 'smtp.example.com' }),
    port: says`Default: 587; with tls: implicit 465, with tls: none 25.`(orNone(z.int().min(1).max(65_535)), {
      example: 587,
    }),
    tls: says`required: STARTTLS, without which nothing is sent. implicit: TLS from the first byte. none: in the clear, for a server on this machine.`(
      z.enum(['required', 'implicit', 'none']).default('required'),
    ),
    user: says`Name for logging in there. Default: none, without a login.`(
      orNone(z.string().regex(/^[^\p{C}]{1,256}$/u, 'the name has 1 to 256 visible characters')),
      { example: 'overlay' },
    ),
    passwordFile: says`File with the password of user, in one line. A secret.`(orNone(filePath), {
      example: 'smtp.password',
    }),
    trustedRoots: says`PEM files of authorities that are trusted for it, besides the system's.`(
      z.array(filePath).max(100).prefault([]),
    ),
    timeout: says`For one whole mail, from connecting to the last answer.`(
      duration({ min: SECOND, max: 50 * SECOND }).prefault('30s'),
    ),
  })
  .superRefine(({ host, tls, user, passwordFile }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((user === null) !== (passwordFile === null)) {
      refuse(
        user === null ? 'user' : 'passwordFile',
        'user and passwordFile belong together; one is missing',
      );
    }
    if (tls === 'none' && user !== null && !isLoopbackHost(host)) {
      refuse('tls', 'the password would be sent in the clear; use required or implicit');
    }
  });

const mailSchema = z.strictObject({
  smtp: says`The server that takes the mails.`(smtpSchema),
  from: says`Sender of the mails: an address, or a name with the address in angle brackets.`(mailbox, {
    example: 'Example <no-reply@example.com>',
  }),
  language: says`en or de: the language of mails to people whose language is not known.`(
    z.enum(['en', 'de']).default('en'),
  ),
  notices:
    says`Whether people are told when a password, an authenticator app, a passkey or a certificate of their account was added, changed or removed. Only at verified addresses.`(
      z.boolean().default(true),
    ),
  passwordReset: section({
    allowed:
      says`Whether people who have forgotten their password may ask on the login page for a mail with which they choose another. Only to verified addresses.`(
        z.boolean().default(true),
      ),
    administrators:
      says`Whether this is also for identities that administer or have a permission: their mailbox then opens everything.`(
        z.boolean().default(false),
      ),
    lifetime: says`How long the link of such a mail works.`(
      duration({ min: 5 * MINUTE, max: 24 * HOUR }).prefault('30m'),
    ),
  }),
});

export const fileSchema = z
  .strictObject({
    v: atRestart`Version of this file format: 3.`(z.literal(3)),
    db: atRestart`sqlite:FILE for one node, postgres://USER@HOST/NAME for several. The environment variable OVERLAY_AUTH_DB replaces it, which keeps a password out of this file.`(
      dbSchema,
    ),
    threads: atRestart`Threads that answer requests: a number, or as many as the cores allow.`(
      z
        .union([z.literal('auto'), z.int().min(1).max(64)], {
          error: 'the value is auto or a number from 1 to 64',
        })
        .default('auto'),
      { rare: true },
    ),
    secrets: atRestart`Where the key-encryption key is.`(
      z.strictObject({
        keyFile:
          says`File of the key-encryption key. Back it up, but never together with the database: both open everything.`(
            filePath,
          ),
      }),
    ),
    identity: says`Default identity of listeners.`(identitySchema),
    web: says`Listeners.`(z.array(listenerSchema).min(1).max(64), { named: 'name' }),
    node: section({
      name: atRestart`Names this controller among several. Default: host name and port of the machine.`(
        orNone(
          z
            .string()
            .regex(
              /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
              'a name has letters, digits, dots, colons, hyphens',
            ),
        ),
        { example: 'ctrl-a' },
      ),
    }),
    edge: says`Present: the OIDC provider is on.`(edgeSchema.optional()),
    branding: says`How the login pages look.`(brandingSchema.prefault({})),
    mail: says`Mails to people: invitations, forgotten passwords, notices. Default: none are sent.`(
      orNone(mailSchema),
    ),
    telemetry: says`Traces and metrics for an OpenTelemetry collector. Default: none.`(
      orNone(telemetrySchema),
    ),
    log: section({
      format: atRestart`Form of the log: text or json.`(z.enum(['text', 'json']).default('text')),
      level: says`The least important lines that are logged: error, warn, info or debug.`(
        z.enum(['error', 'warn', 'info', 'debug']).default('info'),
      ),
    }),
  })
  .meta({ description: 'Configuration of the overlay authentication service.' });

/** The contents of a file, as they are written in it. */
export type GivenSettings = z.input<typeof fileSchema>;
/** The contents of the file, with values parsed and defaults filled in. */
export type FileContent = z.output<typeof fileSchema>;
export type EdgeContent = z.output<typeof edgeSchema>;
export type ListenerContent = z.output<typeof listenerSchema>;
