// A client that remembers what the server has acknowledged, and checks it after a crash.

import assert from 'node:assert/strict';
import { login, refresh, type Tokens } from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import type { Seeded } from '../support/seeded.ts';

interface Session {
  accessToken: string;
  /** The refresh token in the last acknowledged answer. */
  live: string;
  /** Earlier ones, oldest first. */
  superseded: string[];
  /** A request about this session got no answer: it may or may not have taken effect. */
  isUncertain: boolean;
}

export interface CrashClient {
  /** Logs in, refreshes and logs out until the connection breaks. */
  work(client: HttpsClient): Promise<void>;
  /** Checks every acknowledged answer, the ended sessions first. */
  check(client: HttpsClient): Promise<void>;
  /** Logs in if needed; now and then leaves that to `work`, so that crashes interrupt logins too. */
  prepare(client: HttpsClient): Promise<void>;
  readonly acknowledged: { logins: number; refreshes: number; ends: number };
}

/** Ended sessions are checked this many restarts; their access tokens live longer than that. */
const endedKept = 20;

export function crashClient(user: { name: string; password: string }, random: Seeded): CrashClient {
  const acknowledged = { logins: 0, refreshes: 0, ends: 0 };
  let session: Session | null = null;
  let ended: Session[] = [];

  async function open(client: HttpsClient): Promise<void> {
    const tokens = await login(client, user.name, user.password);
    session = {
      accessToken: tokens.access_token,
      live: tokens.refresh_token,
      superseded: [],
      isUncertain: false,
    };
    acknowledged.logins += 1;
  }

  async function rotate(client: HttpsClient, current: Session): Promise<Answer> {
    current.isUncertain = true;
    const answer = await refresh(client, current.live);
    current.isUncertain = false;
    if (answer.status !== 200) return answer;
    const tokens: Tokens = answer.json;
    current.superseded.push(current.live);
    current.live = tokens.refresh_token;
    current.accessToken = tokens.access_token;
    acknowledged.refreshes += 1;
    return answer;
  }

  async function end(client: HttpsClient, current: Session): Promise<void> {
    current.isUncertain = true;
    const form = { token: current.live, client_id: 'overlay' };
    const answer = await client.post('/oidc/revoke', { form });
    assert.equal(answer.status, 200, answer.text);
    current.isUncertain = false;
    session = null;
    ended = [...ended, current].slice(-endedKept);
    acknowledged.ends += 1;
  }

  async function assertEnded(client: HttpsClient, { accessToken, live }: Session): Promise<void> {
    assert.equal(await userinfoStatus(client, accessToken), 401, 'an ended session is refused');
    const answer = await refresh(client, live);
    assert.equal(answer.status, 400, `the refresh token of an ended session is refused: ${answer.text}`);
  }

  async function checkLive(client: HttpsClient, current: Session): Promise<void> {
    assert.equal(await userinfoStatus(client, current.accessToken), 200, 'an acknowledged session exists');
    const presented = current.live;
    const answer = await rotate(client, current);
    assert.equal(answer.status, 200, `an acknowledged refresh token works: ${answer.text}`);
    const again = await refresh(client, presented);
    assert.equal(again.status, 400, 'it works once');
    // Presented at once from the same address, it was a duplicate; an older one is theft and ends the session.
    const old = current.superseded.at(-(2 + random.below(3)));
    if (old === undefined || random.below(3) > 0) return;
    assert.equal((await refresh(client, old)).status, 400, 'a superseded refresh token is refused');
    session = null;
    await assertEnded(client, current);
  }

  /** The last request got no answer: either nothing happened, or all of it did. */
  async function checkUncertain(client: HttpsClient, current: Session): Promise<void> {
    const older = current.superseded.at(-1);
    const answer = await rotate(client, current);
    if (answer.status === 200) return;
    assert.equal(answer.status, 400, answer.text);
    session = null;
    if (older === undefined) return;
    assert.equal((await refresh(client, older)).status, 400, 'a superseded refresh token is refused');
  }

  return {
    acknowledged,
    async prepare(client) {
      const isLeft = acknowledged.logins > 0 && random.below(4) === 0;
      if (session === null && !isLeft) await open(client);
    },
    async work(client) {
      for (;;) {
        const dice = random.below(20);
        try {
          if (session === null) await open(client);
          else if (dice === 0 && !session.isUncertain) await end(client, session);
          else {
            const answer = await rotate(client, session);
            assert.equal(answer.status, 200, `under load: ${answer.text}`);
          }
        } catch (error) {
          if (isBrokenConnection(error)) return;
          throw error;
        }
      }
    },
    async check(client) {
      await Promise.all(ended.map((old) => assertEnded(client, old)));
      const current: Session | null = session;
      if (current === null) return;
      await (current.isUncertain ? checkUncertain(client, current) : checkLive(client, current));
    },
  };
}

async function userinfoStatus(client: HttpsClient, accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await client.get('/oidc/userinfo', { headers })).status;
}

function isBrokenConnection(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ERR_STREAM_DESTROYED'].includes(code);
}
