// Keycloak as Maven Central has it, downloaded and built once into a cache of this clone. Only `--peers` asks for it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { userPassword } from '../overlay/seed.ts';

export const keycloakVersion = '26.7.3';
const cache = fileURLToPath(new URL('../../node_modules/.cache/keycloak', import.meta.url));

/** The client that asks about tokens. */
export const asking = { clientId: 'asks', secret: 'a secret of a benchmark' };

/** What the other peers have: one public client with PKCE, ES256, rotation, and a password hash of one round. */
const realm = {
  realm: 'overlay',
  enabled: true,
  defaultSignatureAlgorithm: 'ES256',
  revokeRefreshToken: true,
  refreshTokenMaxReuse: 0,
  accessTokenLifespan: 1800,
  passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)',
  clients: [
    {
      clientId: 'overlay',
      publicClient: true,
      redirectUris: ['http://localhost:8400/auth/callback'],
      attributes: { 'pkce.code.challenge.method': 'S256', 'id.token.signed.response.alg': 'ES256' },
    },
    { ...asking, standardFlowEnabled: false },
  ],
  users: [
    {
      username: 'somebody',
      enabled: true,
      email: 'somebody@example.com',
      firstName: 'Some',
      lastName: 'Body',
      credentials: [{ type: 'password', value: userPassword }],
    },
  ],
};

/** @returns why it cannot run on this machine; null: it can */
export function whyNoKeycloak(): string | null {
  const missing = ['java', 'mvn', 'unzip'].filter(
    (program) => spawnSync(program, ['-v']).error !== undefined,
  );
  return missing.length === 0 ? null : `it needs ${missing.join(', ')}`;
}

/** @returns its folder, without sessions of an earlier run. @throws Error when it cannot be downloaded or built */
export function installKeycloak(): string {
  const folder = join(cache, `keycloak-${keycloakVersion}`);
  const mark = join(folder, '.built');
  if (!existsSync(mark)) {
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    const run = (program: string, args: readonly string[]) =>
      execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const artifact = `org.keycloak:keycloak-quarkus-dist:${keycloakVersion}:zip`;
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
    run('mvn', ['-q', '-B', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`]);
    run('unzip', ['-q', join(cache, `keycloak-quarkus-dist-${keycloakVersion}.zip`), '-d', cache]);
    run(join(folder, 'bin', 'kc.sh'), ['build', '--db=dev-file', '--cache=local']);
    mkdirSync(join(folder, 'data', 'import'), { recursive: true });
    writeFileSync(mark, '');
  }
  writeFileSync(join(folder, 'data', 'import', 'overlay-realm.json'), JSON.stringify(realm));
  rmSync(join(folder, 'data', 'h2'), { recursive: true, force: true });
  return folder;
}
