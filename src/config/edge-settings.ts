import * as z from 'zod';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { largestHashCost, leastHashCost } from '../platform/secrets/hash-cost.ts';
import { atRestart, orNone, says, section, seenAs } from './setting.ts';
import * as kind from './value-kinds.ts';

// The section `edge`: logging in, tokens and what is kept of them.

/** Anything from zero: a value that is too short is raised (spec section 5.7), not refused. */
const adjustedLifetime = kind.duration({ min: 0, max: kind.tenYears });
/** One minute less, which refresh tokens are valid for longer. */
const accessLifetime = kind.duration({ min: 0, max: kind.tenYears - MINUTE });

const hostNames = z.array(kind.hostName).max(1000).prefault([]);
const ipRanges = z.array(kind.ipRange).max(1000).prefault([]);
const recordsKept = z.int().min(1000).max(100_000_000).default(100_000);

const apiSchema = z.strictObject({
  sessionTimeout: says`A legacy session ends after this long without activity.`(
    kind.lifetime.prefault('30m'),
  ),
  address:
    atRestart`Main address, host:port: a bind point address of a listener with edge-client. Default: the first.`(
      orNone(kind.address),
    ),
  disableOidcAutoBinding: atRestart`true: the OIDC provider is only where edge-oidc is listed.`(
    z.boolean().default(false),
  ),
});

const signingCertSchema = seenAs(
  z.strictObject({
    cert: says`PEM file of the certificate authority.`(kind.filePath, { example: 'ca.cert.pem' }),
    key: says`PEM file of its private key.`(kind.filePath, { example: 'ca.key.pem' }),
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
  edgeIdentity: section({ duration: says`Lifetime of an enrollment token.`(kind.lifetime.prefault('180m')) }),
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
    kind.lifetime.prefault('720h'),
  ),
  refreshTokenGrace:
    says`How long a client that lost the answer to a refresh gets the same successor again, while that is unused. At most 60s.`(
      kind.duration({ min: 0, max: MINUTE }).prefault('0s'),
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
        kind.duration({ min: 0, max: MINUTE }).prefault('10s'),
      ),
    freshProofForFactors:
      says`Whether these clients too need a fresh proof of their user before an authenticator app is added or removed or gets new recovery codes.`(
        z.boolean().default(false),
        { rare: true },
      ),
  }),
});

const jwksFetchSchema = z.strictObject({
  timeout: says`For one whole fetch, redirects included.`(
    kind.duration({ min: SECOND, max: HOUR }).prefault('5s'),
  ),
  maxRedirects: says`0 follows none.`(z.int().min(0).max(20).default(5)),
  blockPrivateAddresses:
    says`Connect to private and loopback addresses only if additionalHostnames, allowedHostnames or allowedIPs names them.`(
      z.boolean().default(true),
    ),
  additionalHostnames:
    says`Exact names, such as that of a provider on a private network, that are allowed in addition to all public ones.`(
      hostNames,
    ),
  allowedHostnames: says`Exact names; when not empty, no other host is asked.`(hostNames),
  deniedHostnames: says`Exact names that are never asked.`(hostNames),
  allowedIPs: says`Addresses or CIDR ranges; when not empty, no other address is asked.`(ipRanges),
  deniedIPs: says`Addresses or CIDR ranges that are never asked.`(ipRanges),
  trustedRoots: says`PEM files of authorities that are trusted for other servers, besides the system's.`(
    z.array(kind.filePath).max(100).prefault([]),
  ),
  proxy:
    says`URL of the HTTP proxy through which other servers are asked. The environment variable OVERLAY_AUTH_PROXY replaces it, which keeps a password out of this file. Default: none.`(
      orNone(kind.proxyUrl),
      { example: 'http://proxy.example.com:3128' },
    ),
  noProxy:
    says`Hosts that are asked without the proxy: names, .example.com for everything below a domain, addresses, CIDR ranges.`(
      z.array(kind.sparedHost).max(1000).prefault([]),
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
      orNone(kind.hostName),
      { example: 'example.com' },
    ),
    trustedRoots:
      says`PEM files of makers of authenticators. Auth policies that allow certain models (primary.passkey.allowedAuthenticators) need them.`(
        z.array(kind.filePath).max(100).prefault([]),
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
  passwordHash: atRestart`The cost of a password hash.`(
    seenAs(
      z.strictObject({
        memory: says`Memory of one password hash (argon2id). At least 19MiB.`(
          kind.hashMemory.prefault('46MiB'),
          {
            rare: true,
          },
        ),
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
    keep: says`How long decision records of logins are kept.`(kind.lifetime.prefault('720h')),
    keepAtMost:
      says`Records of logins kept at most, and a quarter as many of other refused requests; beyond that, the identity or source with most records loses its oldest.`(
        recordsKept,
      ),
  }),
  auditEvents: section({
    keep: says`How long audit events are kept in the database.`(kind.lifetime.prefault('8760h')),
    keepAtMost: says`Audit events kept at most; beyond that, the author with most events loses their oldest.`(
      recordsKept,
    ),
  }),
  externalJwtSigners: section({
    maxNewIdentities:
      says`Identities that tokens of one signer create, at logins or by enrollment, without an hour's pause.`(
        z.int().min(1).max(10_000_000).default(1000),
      ),
    jwksFetch: jwksFetchSchema.prefault({}),
  }),
});

export type EdgeContent = z.output<typeof edgeSchema>;
