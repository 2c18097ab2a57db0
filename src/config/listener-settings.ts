import * as z from 'zod';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { formatDuration } from '../platform/formats/durations.ts';
import { issuerOf } from './addresses.ts';
import { defaultPostLogoutUris, defaultRedirectUris, parseRedirectUri } from './redirect-uris.ts';
import { atRestart, fitting, orNone, says, section, seenAs } from './setting.ts';
import * as kind from './value-kinds.ts';

/** The runtime fires timers of more than 24.8 days at once. */
const socketTimeout = kind.duration({ min: SECOND, max: 24 * HOUR });

const identityFiles = {
  cert: says`PEM file of the certificate.`(kind.filePath),
  server_cert: says`PEM file of the chain that listeners present. Default: cert.`(kind.filePath.optional()),
  key: says`PEM file of the private key.`(kind.filePath),
  ca: says`PEM file of the overlay's own certificate authorities.`(kind.filePath),
};

/** Absolute paths of PEM files. */
export const identitySchema = seenAs(z.strictObject(identityFiles), {
  decode: ({ cert, server_cert = cert, key, ca }) => ({
    certFile: cert,
    serverCertFile: server_cert,
    keyFile: key,
    caFile: ca,
  }),
  encode: ({ certFile, serverCertFile, keyFile, caFile }) => ({
    cert: certFile,
    server_cert: serverCertFile,
    key: keyFile,
    ca: caFile,
  }),
});

/** A certificate that the service orders and renews by itself (RFC 8555). */
const acmeSchema = z.strictObject({
  directory: says`Directory of the ACME authority.`(
    kind.httpsUrl.prefault('https://acme-v02.api.letsencrypt.org/directory'),
  ),
  email: says`Where the authority may send warnings. Default: none.`(
    orNone(z.email({ error: 'not an e-mail address' })),
  ),
  hosts: says`Names that the certificate is for. The authority must reach this listener at port 443 of each.`(
    z.array(kind.hostName).min(1).max(100),
    { example: ['auth.example.com'] },
  ),
  trustedRoots:
    says`PEM files of authorities that are trusted for the directory, besides the system's: for a private one.`(
      z.array(kind.filePath).max(100).prefault([]),
    ),
  externalAccount:
    says`Binds the account to that of a customer, for authorities that ask for it. Default: none.`(
      orNone(
        z.strictObject({
          keyId: says`Key identifier that the authority has given you.`(kind.oneLine('key identifier', 500), {
            example: 'kid-1',
          }),
          hmacKeyFile:
            says`File with the HMAC key that belongs to it, in base64url, as the authority gives it. A secret.`(
              kind.filePath,
              { example: 'acme-hmac.key' },
            ),
        }),
      ),
    ),
  folder: says`Folder for certificate, key and account. Default: acme, beside this file.`(
    orNone(kind.folderPath),
  ),
});

export type AcmeContent = z.output<typeof acmeSchema>;

/** The files of the operator, or none where `acme` orders the certificate. */
const listenerIdentitySchema = fitting(
  z.strictObject({
    ...z.strictObject(identityFiles).partial().shape,
    acme: says`Orders the certificate at an ACME authority, such as Let's Encrypt, and renews it; instead of files.`(
      orNone(acmeSchema),
    ),
  }),
  ({ acme, ...files }, refuse) => {
    for (const name of ['cert', 'server_cert', 'key', 'ca'] as const) {
      const isGiven = files[name] !== undefined;
      if (acme === null ? !isGiven && name !== 'server_cert' : isGiven)
        refuse(name, `${name} names a file of yours, and acme orders a certificate: remove one of them`);
    }
  },
);

type Identity = z.output<typeof identitySchema>;
/** Beside `acme`, the files in use: those of the default identity until the certificate has been issued. */
type ListenerIdentity = Identity & { readonly acme?: AcmeContent };

const listenerIdentity = seenAs(listenerIdentitySchema, {
  decode: ({ acme, ...files }) =>
    (acme === null ? identitySchema.parse(files) : { acme }) as ListenerIdentity,
  encode: ({ acme, ...files }) =>
    acme === undefined ? { ...z.encode(identitySchema, files), acme: null } : { acme },
});

const bindPointSchema = seenAs(
  fitting(
    z.strictObject({
      interface: says`Where to listen, host:port, for example 0.0.0.0:1280.`(kind.hostAndPort),
      address: says`The address for clients, host:port. The issuer of tokens is derived from it.`(
        kind.dialableAddress,
      ),
    }),
    (bindPoint, refuse) => {
      if (bindPoint.address.endsWith(':0') && bindPoint.interface.port !== 0)
        refuse('address', 'port 0 means the port that the system chooses, and needs port 0 in interface too');
    },
  ),
  {
    /** `issuer` is `https://host[:port]/oidc`; `:443` is left out. */
    decode: (bindPoint) => ({ ...bindPoint, issuer: issuerOf(bindPoint.address) }),
    encode: ({ issuer: _, ...bindPoint }) => bindPoint,
  },
);

const tlsVersion = z.enum(['TLS1.2', 'TLS1.3']);

const optionsSchema = fitting(
  z.strictObject({
    minTLSVersion: says`Oldest TLS version accepted.`(tlsVersion.default('TLS1.2')),
    maxTLSVersion: says`Newest TLS version offered.`(tlsVersion.default('TLS1.3')),
    idleTimeout: says`An idle connection is closed after this long.`(socketTimeout.prefault('5s')),
    readTimeout: says`A request must have arrived within this time.`(socketTimeout.prefault('10s')),
    writeTimeout: says`A client must take each part of an answer (16 KB) within this time.`(
      socketTimeout.prefault('10s'),
    ),
    clientCertificates:
      says`request: ask for a client certificate, but do not require one. none: do not ask; certificate login is off here.`(
        z.enum(['request', 'none']).default('request'),
      ),
    strictTransportSecurity:
      says`Whether browsers are told to open this host by https only, for a year. auto: if a public authority issued the certificate.`(
        z.enum(['auto', 'on', 'off']).default('auto'),
        { rare: true },
      ),
    proxyProtocol: section({
      balancers:
        says`Load balancers that begin each connection with a PROXY header: addresses or CIDR ranges. Empty: off.`(
          z.array(kind.balancerRange).max(1000).prefault([]),
          { rare: true, example: ['192.0.2.5', '10.1.0.0/24'] },
        ),
    }),
  }),
  ({ minTLSVersion: least, maxTLSVersion: most }, refuse) => {
    if (least > most) refuse('minTLSVersion', `minTLSVersion ${least} is newer than maxTLSVersion ${most}`);
  },
);

const shortestSession = kind.duration({ min: MINUTE, max: kind.tenYears });

const browserSessionSchema = fitting(
  z.strictObject({
    idle: says`It ends after this long without a use.`(shortestSession, { example: '30m' }),
    absolute: says`It ends this long after the login, however often it is used.`(shortestSession, {
      example: '12h',
    }),
  }),
  ({ idle, absolute }, refuse) => {
    const [given, end] = [idle, absolute].map(formatDuration);
    if (idle > absolute)
      refuse('idle', `idle ${given} is longer than absolute ${end}, which ends the session anyway`);
  },
);

/** An empty list is the loopback defaults. */
function redirectUris(defaults: readonly string[]) {
  return seenAs(z.array(kind.redirectUri).max(200), {
    decode: (listed) => (listed.length > 0 ? listed : defaults.map(parseRedirectUri)),
    encode: (uris) => uris,
  }).prefault([]);
}

const oidcApiSchema = z.strictObject({
  binding: z.literal('edge-oidc'),
  options: section({
    redirectURIs:
      says`Where authorization codes may be sent; * may stand only for a whole port. Default: /auth/callback on any port of a loopback host.`(
        redirectUris(defaultRedirectUris),
        { example: ['http://localhost:*/auth/callback', 'https://console.example.com/auth/callback'] },
      ),
    postLogoutURIs:
      says`Where a browser may go after logout, in the same form. Default: /auth/logout on any port of a loopback host.`(
        redirectUris(defaultPostLogoutUris),
        { example: ['https://console.example.com/'] },
      ),
    browserSession:
      says`People stay signed in in their browser, and further applications do not ask again. Default: off.`(
        orNone(browserSessionSchema),
      ),
  }),
});

/** The binding that spec section 5.7 adds to listeners by itself. */
export const automaticOidcApi = oidcApiSchema.parse({ binding: 'edge-oidc' });

const apiSchema = z.discriminatedUnion('binding', [
  oidcApiSchema,
  seenAs(
    z.strictObject({
      binding: z.enum(['edge-client', 'edge-management', 'health-checks', 'metrics']),
      options: z.strictObject({}).optional().describe('This binding has no options.'),
    }),
    { decode: ({ binding }) => ({ binding }), encode: (api) => api },
  ),
]);

/** One entry of `web`. `identity` is null if it has none of its own. */
export const listenerSchema = seenAs(
  z.strictObject({
    name: atRestart`Names the listener in logs.`(
      z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'a name has 1 to 63 letters, digits, dots, hyphens'),
    ),
    bindPoints: atRestart`Where it listens, and the address for clients.`(
      z.array(bindPointSchema).min(1).max(64),
    ),
    identity: says`Replaces the default identity as a whole.`(orNone(listenerIdentity)),
    options: atRestart`TLS and time limits of connections.`(optionsSchema.prefault({})),
    apis: says`The APIs that it serves: edge-client, edge-management, edge-oidc, health-checks, metrics. Where the file lists no edge-oidc, every listener with edge-client has it.`(
      z.array(apiSchema).min(1),
      { named: 'binding' },
    ),
  }),
  {
    decode: ({ options, ...listener }) => ({ ...listener, ...options }),
    encode: ({ name, bindPoints, identity, apis, ...options }) => ({
      name,
      bindPoints,
      identity,
      options,
      apis,
    }),
  },
);
