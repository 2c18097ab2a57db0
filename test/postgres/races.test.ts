// What works once works once, however many nodes are asked at the same moment. The figures of a full run
// (`npm run races`) stand in docs/scaling.md; the suite runs a smaller one.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createSetupLink } from '../../src/admin/setup.ts';
import { auditLog } from '../../src/explain/audit-trail.ts';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { enrollBy, invited } from '../support/enrollment.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, login, obtainCode, redeem, refresh, type Tokens } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { loggedIn } from '../support/management.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { postgresServer, query } from '../support/postgres.ts';
import {
  createTotpUser,
  type Enrolled,
  enroll,
  partialLogin,
  password,
  step,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';

/** How many refresh tokens, and how many codes. */
const races = Number(process.env.OVERLAY_AUTH_RACES ?? 160);
/** Of factors and links, which take longer to make. */
const smallRaces = 9;
/** So many races at a time. */
const lanes = 8;
const clock = fixedClock('2026-01-01T00:00:00Z');

/** How often a node had no time. */
let sentAway = 0;

interface PatientNode extends Node {
  /** The same, whose clients do not ask again. */
  readonly hasty: Node;
}

/**
 * A node whose clients ask again when they are sent away with 503: nothing is used up then. The machine may be busy, or
 * the node may doubt its clock after a jump, until the others have been heard again.
 */
function askedAgain(node: Node): PatientNode {
  const request: Node['request'] = async (method, path, init) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await node.request(method, path, init);
      if (answer.status !== 503 || tries === 20) return answer;
      assert.ok(answer.headers['retry-after']);
      sentAway += 1;
      await setTimeout(Number(answer.headers['retry-after']) * SECOND);
    }
  };
  return {
    ...node,
    hasty: node,
    request,
    get: (path, init) => request('GET', path, init),
    post: (path, init) => request('POST', path, init),
  };
}

let nodes: readonly PatientNode[] = [];
const db = await (await postgresServer()).createDatabase();
nodes = await Promise.all(
  [1, 2, 3].map(async () => askedAgain(await startNode(db, { clock, signing: true }))),
);
after(async () => {
  for (const node of nodes) {
    node.closeConnections();
    await node.server.close();
  }
});

/** The node at this place, counted round and round. */
function nodeAt(at: number): PatientNode {
  const node = nodes[at % nodes.length];
  assert.ok(node);
  return node;
}

let passedUntil = systemClock.monotonic();

/** As much time passes as really has: a source gets only so many refusals a second (`sourceLoad`). */
function letTimePass() {
  const passed = Math.floor(systemClock.monotonic() - passedUntil);
  clock.advance(passed);
  passedUntil += passed;
}

/**
 * All nodes at once; another one is asked first each time. Those that are sent away have used nothing up. They ask again,
 * unless somebody has won meanwhile: they would come so late that they count as thieves.
 */
async function onAllNodes(
  race: number,
  ask: (node: Node, at: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  for (let tries = 1; ; tries += 1) {
    letTimePass();
    const answers = await Promise.all(nodes.map((_, at) => ask(nodeAt(race + at).hasty, at)));
    const heard = answers.filter(({ status }) => status !== 503);
    sentAway += answers.length - heard.length;
    if (heard.length === answers.length || heard.some(({ status }) => status < 400)) return heard;
    assert.ok(tries < 20, 'sent away again and again');
    await setTimeout(SECOND);
  }
}

/** The one success. Everybody else has to be told `lost`, and `error` if it is OAuth that says so. */
function onlyWinner(answers: readonly Answer[], won: number, lost: number, error?: string): Answer {
  const winners = answers.filter(({ status }) => status === won);
  const said = answers.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join('\n');
  assert.equal(winners.length, 1, said);
  for (const answer of answers.filter(({ status }) => status !== won)) {
    assert.equal(answer.status, lost, said);
    if (error !== undefined) assert.equal(answer.json.error, error);
  }
  return winners[0] as Answer;
}

/** Runs races in lanes: each lane one after the other. @returns what the lanes return */
function inLanes<T>(count: number, lane: (races: readonly number[], at: number) => Promise<T>): Promise<T[]> {
  const numbers = Array.from({ length: count }, (_, race) => race);
  return Promise.all(
    Array.from({ length: lanes }, (_, at) =>
      lane(
        numbers.filter((race) => race % lanes === at),
        at,
      ),
    ),
  );
}

async function timed(t: { diagnostic(message: string): void }, what: string, run: () => Promise<void>) {
  const begun = systemClock.monotonic();
  await run();
  const seconds = (systemClock.monotonic() - begun) / 1000;
  t.diagnostic(`${what} in ${seconds.toFixed(1)} s; sent away with 503 so far: ${sentAway}`);
}

describe('races over three nodes', () => {
  test(`of ${races} refresh tokens each has one successor, and each session lives on`, async (t) => {
    await nodeAt(0).server.createUser({ name: 'rita', password });
    await timed(t, `${races} refresh races, ${races * nodes.length} requests`, async () => {
      const last = await inLanes(races, async (mine, at) => {
        let tokens = await login(nodeAt(at), 'rita', password);
        for (const race of mine) {
          const { refresh_token } = tokens;
          const answers = await onAllNodes(race, (node) => refresh(node, refresh_token));
          tokens = onlyWinner(answers, 200, 400, 'invalid_grant').json as Tokens;
        }
        assert.equal((await callWith(nodeAt(at + 1), tokens.access_token)).status, 200);
        return tokens;
      });
      assert.equal(last.length, lanes);
    });
    const [row] = await query(
      db,
      `SELECT count(*) AS sessions, count(ended_at) AS ended, sum(refresh_generation) AS generations FROM api_sessions`,
    );
    assert.deepEqual(
      [row?.sessions, row?.ended, row?.generations].map(Number),
      [lanes, 0, races + lanes],
      'nobody was given a second successor',
    );
  });

  test('a raced refresh token that is used again later ends its session on every node', async () => {
    const raced = await login(nodeAt(0), 'rita', password);
    const answers = await onAllNodes(0, (node) => refresh(node, raced.refresh_token));
    const live = onlyWinner(answers, 200, 400, 'invalid_grant').json as Tokens;
    clock.advance(10 * SECOND);
    const again = await onAllNodes(1, (node) => refresh(node, raced.refresh_token));
    for (const answer of [...again, ...(await onAllNodes(2, (node) => refresh(node, live.refresh_token)))]) {
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json.error, 'invalid_grant');
    }
    for (const node of nodes) {
      await node.server.controller.services.view.feed.catchUp();
      assert.equal((await callWith(node, live.access_token)).status, 401);
    }
  });

  test(`of ${races} codes each opens one session, which its second use ends`, async (t) => {
    await nodeAt(0).server.createUser({ name: 'cora', password });
    await query(db, 'DELETE FROM api_sessions');
    await timed(t, `${races} code races, ${races * nodes.length} requests besides the logins`, async () => {
      await inLanes(races, async (mine) => {
        for (const race of mine) {
          const code = await obtainCode(nodeAt(race + 1), 'cora', password);
          const answers = await onAllNodes(race, (node) => redeem(node, code));
          const won = onlyWinner(answers, 200, 400, 'invalid_grant').json as Tokens;
          // The others were sent away, so that the code was used once only.
          if (answers.length === 1) assert.equal((await redeem(nodeAt(race), code)).status, 400);
          // RFC 6749 section 4.1.2: what was issued for a code that is used twice is revoked.
          if (race % 50 < lanes) {
            assert.equal((await refresh(nodeAt(race + 2), won.refresh_token)).status, 400);
          }
        }
      });
    });
    const [row] = await query(
      db,
      `SELECT count(*) AS sessions, count(*) FILTER (WHERE end_reason = 'code-reuse') AS ended FROM api_sessions`,
    );
    assert.deepEqual([row?.sessions, row?.ended].map(Number), [races, races]);
  });

  test('a step of TOTP and a recovery code are accepted once', async () => {
    const { server } = nodeAt(0);
    await createTotpUser(server, await totpPolicy(server), 'tom');
    const tom: Enrolled = await enroll({ ...server, ...nodeAt(0) }, clock, 'tom');
    for (let race = 0; race < smallRaces; race += 1) {
      clock.advance(step);
      for (const code of [tom.app.code(), tom.recoveryCodes[race] ?? '']) {
        // Two of the three: more failures in a row would be a lock.
        const pair = [nodeAt(race), nodeAt(race + 1)];
        const ids = await Promise.all(pair.map((node) => partialLogin(node, 'tom')));
        const answers = await Promise.all(pair.map((node, at) => submitCode(node, ids[at] ?? '', code)));
        onlyWinner(answers, 302, 400);
      }
    }
  });

  test('an enrollment token enrolls once, and a set-up link makes one administrator', async () => {
    const { server } = nodeAt(0);
    await server.createUser({ name: 'admin', password, isAdmin: true });
    const admin = await loggedIn(nodeAt(0), 'admin');
    for (let race = 0; race < smallRaces; race += 1) {
      const { token } = await invited(admin, { updb: `enrolled ${race}` });
      const json = { password: `nine calm rivers ${race}` };
      onlyWinner(await onAllNodes(race, (node) => enrollBy(node, 'updb', token, { json })), 200, 400);
    }
    for (let race = 0; race < smallRaces; race += 1) {
      const link = await createSetupLink({ ...server, audit: auditLog(server.log) });
      const answers = await onAllNodes(race, (node, at) => {
        const username = `root ${race} ${at}`;
        return node.post('/setup', { form: { t: link.token, username, password, repeated: password } });
      });
      onlyWinner(answers, 201, 410);
    }
    const [row] = await query(db, `SELECT count(*) AS made FROM identities WHERE name LIKE 'root %'`);
    assert.equal(Number(row?.made), smallRaces);
  });
});
