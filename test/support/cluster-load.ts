// Clients that log in, call, refresh and log out without end, as good clients do: after a lost connection, a time-out
// or a 503 they try again. They record what was acknowledged to them, which shows afterwards whether the promises were
// kept.

import { type Millis, SECOND, systemClock } from '../../src/platform/clock.ts';
import type { Cluster } from './cluster.ts';
import { clusterSize } from './cluster-size.ts';
import {
  authorize,
  authRequestIdOf,
  callWith,
  claimsOf,
  codeOf,
  redeem,
  refresh,
  submitPassword,
  type Tokens,
} from './flow.ts';
import type { Answer, HttpsClient, RequestInit } from './https-client.ts';
import { password } from './management.ts';
import { promised } from './until.ts';

interface SessionRecord {
  readonly id: string;
  /** The last acknowledged access token. */
  access: string;
  refresh: string;
  /** Replaced refresh tokens; the newest last. */
  readonly replaced: string[];
  /**
   * `live`: what the client has must work. `ended`: its end was acknowledged. `unsure`: an answer was lost, so the
   * client cannot know whether its refresh token was used up, or whether its request to end the session arrived.
   */
  state: 'live' | 'ended' | 'unsure';
}

export interface Load {
  /** Resolves when each client has a refresh acknowledged that began after this call. @returns Millis until then */
  untilServed(limit?: Millis): Promise<Millis>;
  /** Lets every client finish its current step. */
  stop(): Promise<void>;
  /** Compares what the nodes know with what was acknowledged. @returns a sentence for each broken promise */
  verdict(): Promise<readonly string[]>;
  /** Acknowledged operations. */
  readonly count: { logins: number; refreshes: number; ends: number; calls: number; retries: number };
}

/** How long a client waits before it tries again. */
const pause: Millis = 100;
/** Refreshes before a session is ended. */
const rounds = 6;
/** How long it may take until every node knows of an end. */
const longestSpread: Millis = promised(5 * SECOND);

class Stopped extends Error {}

const wait = (millis: Millis) => new Promise((resolve) => setTimeout(resolve, millis));

export async function startLoad(cluster: Cluster, clients: number): Promise<Load> {
  const count = { logins: 0, refreshes: 0, ends: 0, calls: 0, retries: 0 };
  const sessions: SessionRecord[] = [];
  const broken: string[] = [];
  /** When each client last began a refresh that was acknowledged; monotonic. */
  const served = new Map<HttpsClient, Millis>();
  let isStopping = false;
  let lastEndAt = 0;

  const users = await Promise.all(
    Array.from({ length: clients }, async (_, at) => {
      const name = `load-${systemClock.now()}-${at}`;
      await cluster.createUser(name);
      return name;
    }),
  );

  /** The first answer that is not 503. `wasLost`: another one before it may have taken effect. */
  async function insist(client: HttpsClient, send: () => Promise<Answer>) {
    for (let wasLost = false; ; wasLost = true) {
      try {
        const answer = await send();
        if (answer.status !== 503) return { answer, wasLost };
      } catch {
        // Lost on the way: the answer is unknown.
      }
      if (isStopping) throw new Stopped();
      count.retries += 1;
      client.closeConnections();
      await wait(pause);
    }
  }

  async function logIn(client: HttpsClient, user: string): Promise<SessionRecord> {
    for (;;) {
      const tokens = await tryLogin(client, user);
      if (tokens === null) continue;
      count.logins += 1;
      const record: SessionRecord = {
        id: claimsOf(tokens.access_token).z_asid,
        access: tokens.access_token,
        refresh: tokens.refresh_token,
        replaced: [],
        state: 'live',
      };
      sessions.push(record);
      return record;
    }
  }

  /** null: an answer was lost, and the login must begin again. */
  async function tryLogin(client: HttpsClient, user: string): Promise<Tokens | null> {
    const begun = await insist(client, () => authorize(client));
    const id = authRequestIdOf(begun.answer);
    const submitted = await insist(client, () => submitPassword(client, id, user, password));
    if (submitted.answer.status !== 302) {
      if (!submitted.wasLost) broken.push(`a login was refused: ${submitted.answer.text}`);
      return null;
    }
    const code = codeOf(submitted.answer);
    const redeemed = await insist(client, () => redeem(client, code));
    if (redeemed.answer.status === 200) return redeemed.answer.json;
    if (!redeemed.wasLost) broken.push(`a code was refused: ${redeemed.answer.text}`);
    return null;
  }

  async function useSession(client: HttpsClient, session: SessionRecord): Promise<void> {
    if (clusterSize.thought > 0) await wait(clusterSize.thought);
    const called = await insist(client, () => callWith(client, session.access));
    count.calls += 1;
    if (called.answer.status !== 200) broken.push(`a token was refused: ${called.answer.text}`);
    const begun = systemClock.monotonic();
    const presented = session.refresh;
    const { answer, wasLost } = await insist(client, () => refresh(client, presented)).catch((error) => {
      session.state = 'unsure';
      throw error;
    });
    if (answer.status === 200) {
      count.refreshes += 1;
      session.replaced.push(presented);
      session.access = answer.json.access_token;
      session.refresh = answer.json.refresh_token;
      served.set(client, begun);
      return;
    }
    if (!wasLost) broken.push(`a refresh token was refused: ${answer.text}`);
    session.state = 'unsure';
  }

  /** Sends the same refresh token to every node at once: one of them uses it up. */
  async function race(session: SessionRecord): Promise<void> {
    const presented = session.refresh;
    const answers = await Promise.allSettled(cluster.nodes.map(({ client }) => refresh(client, presented)));
    const won = answers.flatMap((one) =>
      one.status === 'fulfilled' && one.value.status === 200 ? [one.value] : [],
    );
    if (won.length > 1) broken.push(`a refresh token was used ${won.length} times`);
    session.state = 'unsure';
  }

  async function end(client: HttpsClient, session: SessionRecord): Promise<void> {
    session.state = 'unsure';
    const form = { token: session.refresh, client_id: 'overlay' };
    const { answer } = await insist(client, () => client.post('/oidc/revoke', { form }));
    if (answer.status !== 200) broken.push(`an end was refused: ${answer.text}`);
    session.state = 'ended';
    lastEndAt = systemClock.monotonic();
    count.ends += 1;
  }

  async function live(user: string): Promise<void> {
    const client = patient(cluster.connect());
    served.set(client, 0);
    try {
      for (let lives = 0; !isStopping; lives += 1) {
        const session = await logIn(client, user);
        for (let round = 0; round < rounds && session.state === 'live' && !isStopping; round += 1) {
          await useSession(client, session);
        }
        if (isStopping || session.state !== 'live') continue;
        if (lives % 3 === 0) await race(session);
        else if (lives % 3 === 1) await end(client, session);
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    } finally {
      client.closeConnections();
    }
  }

  const running = Promise.all(users.map(live));
  // A caller who awaits it later sees the failure; until then it must not end the process.
  running.catch(() => undefined);

  return {
    count,
    async untilServed(limit = 600 * SECOND) {
      const begun = systemClock.monotonic();
      for (;;) {
        const elapsed = systemClock.monotonic() - begun;
        const waiting = [...served.values()].filter((at) => at < begun).length;
        if (waiting === 0) return elapsed;
        if (elapsed > limit) {
          const found = `${waiting} of ${served.size} clients, ${count.retries} retries; ${broken.join('; ')}`;
          throw new Error(`not everybody is served after ${limit} ms: ${found}`);
        }
        await Promise.race([wait(10), running]);
      }
    },
    async stop() {
      isStopping = true;
      await running;
    },
    async verdict() {
      await untilReady(cluster);
      const deadline = lastEndAt + longestSpread;
      for (const [at, session] of sessions.entries())
        broken.push(...(await judge(cluster, session, { at, deadline })));
      return broken;
    },
  };
}

/** Clients are served as soon as one node is well again; a verdict asks every node. Who is not ready then is judged so. */
async function untilReady({ nodes }: Cluster): Promise<void> {
  const begun = systemClock.monotonic();
  for (const node of nodes) {
    while ((await node.failingChecks()).length > 0 && systemClock.monotonic() - begun < longestSpread)
      await wait(pause);
  }
}

/**
 * Compares what the nodes say about a session with what was acknowledged.
 * @param at its number; each session is asked of another node
 * @param deadline by then every node knows of every end; monotonic
 */
async function judge(
  cluster: Cluster,
  session: SessionRecord,
  { at, deadline }: { readonly at: number; readonly deadline: Millis },
): Promise<readonly string[]> {
  const found: string[] = [];
  const node = (which: number) => cluster.nodes[which % cluster.nodes.length]?.client as HttpsClient;
  const expect = (what: string, answer: Answer, status: number) => {
    if (answer.status !== status) {
      found.push(`${what} of session ${session.id} (${session.state}): ${answer.status} ${answer.text}`);
    }
  };
  if (session.state === 'ended') {
    for (const { client } of cluster.nodes) {
      let called = await callWith(client, session.access);
      while (called.status !== 401 && systemClock.monotonic() < deadline) {
        await wait(pause);
        called = await callWith(client, session.access);
      }
      expect('the access token', called, 401);
    }
    expect('the refresh token', await refresh(node(at), session.refresh), 400);
  }
  if (session.state === 'live') {
    expect('the access token', await callWith(node(at), session.access), 200);
    const renewed = await refresh(node(at + 1), session.refresh);
    expect('the refresh token', renewed, 200);
  }
  // A used token stays used, even if the session ended.
  const old = session.replaced.at(-2);
  if (old !== undefined) expect('a replaced refresh token', await refresh(node(at), old), 400);
  return found;
}

/** Limits how long requests wait. */
function patient(client: HttpsClient): HttpsClient {
  const within = (init: RequestInit = {}): RequestInit => ({ timeout: clusterSize.patience, ...init });
  return {
    request: (method, path, init) => client.request(method, path, within(init)),
    get: (path, init) => client.get(path, within(init)),
    post: (path, init) => client.post(path, within(init)),
    closeConnections: client.closeConnections,
  };
}
