import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { ConfigError, type Problem } from '../../src/config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';

export const configFile = '/srv/overlay/controller.yml';

/** A plain tree that becomes the YAML of a configuration file. */
export type Tree = { [key: string]: unknown };

/** The least a configuration file can say. */
export function minimalFile(): Tree {
  return {
    v: 3,
    db: 'sqlite:./overlay.db',
    secrets: { keyFile: './secrets/master.key' },
    identity: { cert: './pki/cert.pem', key: './pki/key.pem', ca: './pki/ca.pem' },
    web: [
      {
        name: 'default',
        bindPoints: [{ interface: '127.0.0.1:1280', address: 'localhost:1280' }],
        apis: [{ binding: 'edge-client' }, { binding: 'edge-management' }],
      },
    ],
    edge: {},
  };
}

/** A file that gives every key there is, none with its default. */
export function fullFile(): Tree {
  return {
    v: 3,
    db: 'postgres://overlay@db.example/overlay',
    secrets: { keyFile: '/etc/overlay/master.key' },
    identity: {
      cert: 'pki/cert.pem',
      server_cert: 'pki/server.pem',
      key: 'pki/key.pem',
      ca: 'pki/ca.pem',
    },
    web: [
      {
        name: 'public',
        bindPoints: [
          { interface: '0.0.0.0:1280', address: 'ctrl.example.com:443' },
          { interface: '[::]:1281', address: '[2001:db8::5]:1281' },
        ],
        options: {
          minTLSVersion: 'TLS1.3',
          maxTLSVersion: 'TLS1.3',
          idleTimeout: '6s',
          readTimeout: '11s',
          writeTimeout: '1m30s',
          clientCertificates: 'none',
          strictTransportSecurity: 'on',
          proxyProtocol: { balancers: ['192.0.2.5', '10.1.0.0/24', '2001:db8:5::/64'] },
        },
        apis: [{ binding: 'edge-client' }, { binding: 'edge-management' }, { binding: 'health-checks' }],
      },
      {
        name: 'login',
        bindPoints: [{ interface: '0.0.0.0:1290', address: 'login.example.com:1290' }],
        identity: {
          cert: 'login/cert.pem',
          server_cert: 'login/server.pem',
          key: 'login/key.pem',
          ca: 'login/ca.pem',
        },
        apis: [
          {
            binding: 'edge-oidc',
            options: {
              redirectURIs: ['http://localhost:*/auth/callback', 'https://console.example.com/auth/callback'],
              postLogoutURIs: ['https://console.example.com/'],
              browserSession: { idle: '30m', absolute: '12h' },
            },
          },
          { binding: 'metrics' },
        ],
      },
      {
        name: 'issued',
        bindPoints: [{ interface: '0.0.0.0:1443', address: 'auth.example.com:443' }],
        identity: {
          acme: {
            directory: 'https://ca.example.com/acme/directory',
            email: 'operator@example.com',
            hosts: ['auth.example.com'],
            trustedRoots: ['acme-root.pem'],
            externalAccount: { keyId: 'kid-1', hmacKeyFile: 'acme-hmac.key' },
            folder: 'issued',
          },
        },
        apis: [{ binding: 'health-checks' }],
      },
    ],
    threads: 3,
    node: { name: 'ctrl-1' },
    edge: {
      api: { sessionTimeout: '45m', address: 'ctrl.example.com:443', disableOidcAutoBinding: true },
      enrollment: {
        signingCert: { cert: 'pki/signing.pem', key: 'pki/signing.key' },
        edgeIdentity: { duration: '1h' },
      },
      oidc: {
        accessTokenDuration: '10m',
        idTokenDuration: '20m',
        refreshTokenDuration: '12h',
        refreshFamilyDuration: '240h',
        refreshTokenGrace: '60s',
        idTokenSigningAlg: 'EdDSA',
        compatibility: { clientIds: ['native', 'sdk'], refreshTokenGrace: '20s', freshProofForFactors: true },
      },
      totp: { issuer: 'Example Corp' },
      passkeys: { rpId: 'example.com', trustedRoots: ['makers.pem'] },
      sessions: { maxPerIdentity: 7 },
      passwordHash: { memory: '64MiB', passes: 3, lanes: 2 },
      loginAttempts: { keep: '48h', keepAtMost: 5000 },
      auditEvents: { keep: '96h', keepAtMost: 6000 },
      externalJwtSigners: {
        maxNewIdentities: 5,
        jwksFetch: {
          timeout: '3s',
          maxRedirects: 0,
          blockPrivateAddresses: true,
          allowedHostnames: ['idp.example.com'],
          deniedHostnames: ['bad.example.com'],
          allowedIPs: ['192.0.2.0/24', '2001:db8::/32'],
          deniedIPs: ['192.0.2.7'],
          additionalHostnames: ['idp.corp.example'],
          trustedRoots: ['idp-ca.pem'],
          proxy: 'http://proxy.example.com:3128/',
          noProxy: ['near.example.com', '.corp.example', '10.0.0.0/8'],
        },
      },
    },
    branding: {
      name: 'Example Net',
      logo: 'logo.svg',
      logoDark: 'logo-dark.svg',
      color: '#123456',
      colorDark: '#abcdef',
      help: { text: 'Forgotten your password?', url: 'https://help.example.com/' },
    },
    mail: {
      smtp: {
        host: 'smtp.example.com',
        port: 2525,
        tls: 'implicit',
        user: 'overlay',
        passwordFile: 'smtp.password',
        trustedRoots: ['/etc/overlay/smtp-ca.pem'],
        timeout: '20s',
      },
      from: 'Example <no-reply@example.com>',
      language: 'de',
      notices: false,
      passwordReset: { allowed: false, administrators: true, lifetime: '10m' },
    },
    telemetry: {
      endpoint: 'https://collector.example.com:4318',
      headersFile: 'otlp.headers',
      ca: '/etc/overlay/collector-ca.pem',
      serviceName: 'login',
      traces: { sampling: 0.5, callersPerSecond: 3 },
      metrics: { interval: '15s' },
    },
    log: { format: 'json', level: 'warn' },
  };
}

/** Loads a tree, or the text of a file, as if it stood at `/srv/overlay/controller.yml`. */
export function load(file: Tree | string, env: Record<string, string> = {}): LoadedConfig {
  const text = typeof file === 'string' ? file : stringify(file);
  return loadConfig(configFile, { readFile: () => text, env });
}

/** The problems for which the file is refused; fails when it is accepted. */
export function problemsOf(file: Tree | string, env: Record<string, string> = {}): readonly Problem[] {
  try {
    load(file, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    assert.ok(error.problems.length > 0);
    return error.problems;
  }
  return assert.fail('the configuration was accepted');
}

/** Replaces what stands at a path of keys and indices; `undefined` removes it. */
export function replaceAt(file: Tree, path: readonly (string | number)[], value: unknown): Tree {
  let at = file as Record<string | number, unknown>;
  for (const segment of path.slice(0, -1)) {
    at[segment] ??= {};
    at = at[segment] as Record<string | number, unknown>;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return file;
}
