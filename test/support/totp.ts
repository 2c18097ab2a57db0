// People with a second factor, and the authenticator app that they use: a separate program, not our code.

import { type TOTP, URI } from 'otpauth';
import { type AuthPolicyId, asId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { type Clock, SECOND } from '../../src/platform/clock.ts';
import type { FixedClock } from './fixed-clock.ts';
import { beginLogin, submitPassword } from './flow.ts';
import type { Answer, HttpsClient, RequestInit } from './https-client.ts';
import type { TestServer } from './test-server.ts';

export const password = 'seven quiet lanterns';
/** How long a code is shown. */
export const step = 30 * SECOND;

/** A policy like the default one that also requires TOTP. */
export async function totpPolicy(server: TestServer): Promise<AuthPolicyId> {
  const base = await server.store.authPolicies.find(defaultAuthPolicyId);
  if (base === null) throw new Error('there is no default policy');
  const id = asId<AuthPolicyId>(server.random.id());
  const secondary = { ...base.secondary, requireTotp: true };
  const name = `TOTP ${id}`;
  await server.store.authPolicies.create(
    { ...base, id, name: typedName(name), secondary },
    server.clock.now(),
  );
  return id;
}

/** A person whose policy requires TOTP and who has not enrolled it. */
export async function createTotpUser(
  server: TestServer,
  authPolicyId: AuthPolicyId,
  name: string,
  username = name,
): Promise<IdentityId> {
  const id = await server.createUser({ name, username, password });
  await server.store.identities.update(id, { authPolicyId }, server.clock.now());
  return id;
}

/** The app after scanning the QR code. */
export interface AuthenticatorApp {
  readonly label: string;
  readonly issuer: string;
  /** Base32. */
  readonly secret: string;
  /** The code that it shows now, or this many steps from now. */
  code(steps?: number): string;
  /** A code that is wrong now and one step before and after. */
  wrongCode(): string;
}

export function scan(clock: Clock, provisioningUrl: string): AuthenticatorApp {
  const totp = URI.parse(provisioningUrl) as TOTP;
  const code = (steps = 0) => totp.generate({ timestamp: clock.now() + steps * step });
  return {
    label: totp.label,
    issuer: totp.issuer,
    secret: totp.secret.base32,
    code,
    wrongCode() {
      const right = [-1, 0, 1].map(code);
      return ['000000', '111111', '222222', '333333'].find((text) => !right.includes(text)) ?? '';
    },
  };
}

export interface Enrolled {
  readonly app: AuthenticatorApp;
  readonly recoveryCodes: readonly string[];
}

/** Enrolls a person during a login, and waits until the step of that first code is over. */
export async function enroll(server: TestServer, clock: FixedClock, username: string): Promise<Enrolled> {
  const id = await partialLogin(server, username);
  const started = await startEnrollment(server, id);
  const app = scan(clock, started.json.provisioningUrl);
  const verified = await verifyEnrollment(server, id, app.code());
  if (verified.status !== 302) throw new Error(`not enrolled: ${verified.status} ${verified.text}`);
  clock.advance(step);
  return { app, recoveryCodes: started.json.recoveryCodes };
}

/** The id of a login whose password step is done and whose TOTP is outstanding. */
export async function partialLogin(client: HttpsClient, username: string): Promise<string> {
  const id = await beginLogin(client);
  const answer = await submitPassword(client, id, username, password);
  if (answer.status !== 200) throw new Error(`not partial: ${answer.status} ${answer.text}`);
  return id;
}

export function submitCode(client: HttpsClient, id: string, code: unknown): Promise<Answer> {
  return client.post('/oidc/login/totp', { json: { id, code } });
}

export function authQueries(client: HttpsClient, id: string): Promise<Answer> {
  return client.get(`/oidc/login/auth-queries?id=${id}`);
}

export function startEnrollment(client: HttpsClient, authRequestId: string): Promise<Answer> {
  return client.post('/oidc/login/totp/enroll', { json: { authRequestId } });
}

export function verifyEnrollment(client: HttpsClient, authRequestId: string, code: unknown): Promise<Answer> {
  return client.post('/oidc/login/totp/enroll/verify', { json: { authRequestId, code } });
}

export function abandonEnrollment(
  client: HttpsClient,
  authRequestId: string,
  init: RequestInit = {},
): Promise<Answer> {
  return client.request('DELETE', '/oidc/login/totp/enroll', { json: { authRequestId }, ...init });
}
