// Logins without a password: with a certificate, which every device does, and with the JWT of another provider.
import { expectStatus, headerOf, openConnection } from '../load/connection.ts';
import { compare } from '../load/rounds.ts';
import type { Device, Provider } from '../overlay/seed.ts';
import { type Findings, ratioVerdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { currentApiSession } from './api-call.ts';
import { authorizationTarget, redeemCode } from './code-flow-steps.ts';
import { version, visit } from './handshakes.ts';
import { imitate } from './imitate.ts';
import { bearerHead, jsonHead, loadOf, type Operation, resultAt } from './operation.ts';

/** Enough that none reaches the limit of sessions. */
const identities = 200;
const firstSightPath = '/first-sight';
const legacyLogin = (method: string) => `/edge/client/v1/authenticate?method=${method}`;

/** A new connection with the certificate, and one request that opens a session of the `zt-session` header. */
async function legacyDeviceLogin(port: number, device: Device): Promise<void> {
  const connection = await openConnection(port, device);
  expectStatus(await connection.request('POST', legacyLogin('cert'), jsonHead, '{}'), 200);
  connection.close();
}

/** A new connection with the certificate, and the three requests of a code flow. */
async function deviceLogin(port: number, device: Device): Promise<void> {
  const connection = await openConnection(port, device);
  const begun = expectStatus(await connection.request('GET', `${authorizationTarget}&method=cert`), 302);
  const id = new URL(headerOf(begun, 'location'), 'https://localhost').searchParams.get('authRequestID');
  const body = JSON.stringify({ authRequestId: id });
  const proven = await connection.request('POST', '/oidc/login/cert', jsonHead, body);
  await redeemCode(connection, proven);
  connection.close();
}

export const certificateLogin: Operation = {
  name: 'certificate-login',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    await imitate(overlay.process, bare, version, '');
    const devices = await overlay.seed.devices(identities);
    let at = 0;
    const next = (): Device => {
      at += 1;
      return devices[at % devices.length] as Device;
    };
    const { port } = overlay.process;
    const results = await compare(
      [
        {
          name: 'overlay-auth, session of the zt-session header',
          subject: overlay.process,
          drive: () => () => legacyDeviceLogin(port, next()),
        },
        {
          name: 'overlay-auth, code flow',
          subject: overlay.process,
          drive: () => () => deviceLogin(port, next()),
        },
        {
          name: 'bare, handshake and one answer',
          subject: bare,
          drive: () => visit(bare.port, version, next),
        },
      ],
      loadOf(stage, 300, 4),
    );
    const handshake = resultAt(results, 2);
    return {
      title: 'Certificate login',
      about:
        `A new connection (TLS 1.3, P-256) with the certificate of one of ${identities} devices, and what logs it in: one ` +
        'request, or the three of a code flow with its tokens. The bare server only takes the same connections and answers.',
      results,
      verdicts: [
        ratioVerdict(
          'certificate login, zt-session, against its handshake',
          resultAt(results, 0),
          handshake,
          1.5,
        ),
        ratioVerdict(
          'certificate login, code flow, against its handshake',
          resultAt(results, 1),
          handshake,
          1.5,
        ),
      ],
    };
  },
};

/** The controller learns a little later of what was written beside it. */
async function untilTrusted(port: number, provider: Provider): Promise<void> {
  const connection = await openConnection(port);
  for (let status = 0; status !== 200; ) {
    const head = `${jsonHead}${bearerHead(provider.nextToken())}`;
    ({ status } = await connection.request('POST', legacyLogin('ext-jwt'), head, '{}'));
  }
  connection.close();
}

export const externalJwtLogin: Operation = {
  name: 'external-jwt-login',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const bare = await stage.bare();
    const [seen = ''] = overlay.seed.freshTokens(1);
    await imitate(overlay.process, bare, currentApiSession, seen, firstSightPath);
    const provider = await overlay.seed.provider(identities);
    await untilTrusted(overlay.process.port, provider);
    let ours: string[] = [];
    let others: string[] = [];
    const next = (tokens: string[]) => bearerHead(tokens.pop() ?? '');
    const results = await compare(
      [
        {
          name: 'overlay-auth',
          subject: overlay.process,
          prepare: async (operations) => {
            ours = Array.from({ length: operations }, () => provider.nextToken());
          },
          drive: (connection) => async () => {
            const head = `${jsonHead}${next(ours)}`;
            expectStatus(await connection.request('POST', legacyLogin('ext-jwt'), head, '{}'), 200);
          },
        },
        {
          name: 'bare handler that verifies a signature',
          subject: bare,
          prepare: async (operations) => {
            others = await bare.call<string[]>('accessTokens', operations);
          },
          drive: (connection) => async () => {
            expectStatus(await connection.request('GET', firstSightPath, next(others)), 200);
          },
        },
      ],
      loadOf(stage, 1000, 16),
    );
    return {
      title: 'External JWT login',
      about:
        `A session of the zt-session header for an unseen JWT (ES256), of one of ${identities} identities, on ` +
        'an open connection; written to disk. The bare server verifies a signature and writes nothing.',
      results,
      verdicts: [
        ratioVerdict(
          'external JWT login, against its signature check',
          resultAt(results, 0),
          resultAt(results, 1),
          1.5,
        ),
      ],
    };
  },
};
