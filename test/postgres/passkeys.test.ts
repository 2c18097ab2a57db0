// Passkeys on two nodes with two threads each: what works once works once, wherever it arrives.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { beginLogin, codeOf, redeem } from '../support/flow.ts';
import { loggedIn } from '../support/management.ts';
import { startNode } from '../support/nodes.ts';
import { addOwn, person, question, submit } from '../support/passkeys.ts';
import { postgresServer } from '../support/postgres.ts';

const db = await (await postgresServer()).createDatabase();
const nodes = [await startNode(db, { threads: 2 }), await startNode(db, { threads: 2 })];
after(() => Promise.all(nodes.map(({ server }) => server.close())));
const [one, two] = nodes;
assert.ok(one && two);

test('a passkey of one node works on the other; an answer and a counter count once, wherever they arrive', async () => {
  const pat = await person(one.server);
  const authenticator = new SoftAuthenticator('https://localhost:1280');
  await addOwn(await loggedIn(one, pat.name), authenticator);

  const login = await beginLogin(one);
  const response = authenticator.get(await question(one, login));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => submit(at % 2 === 0 ? one : two, login, response)),
  );
  const passed = answers.filter(({ status }) => status === 302);
  assert.equal(passed.length, 1, answers.map(({ status }) => status).join());
  assert.equal((await redeem(two, codeOf(passed[0] as never))).status, 200);

  const key = new SoftAuthenticator('https://localhost:1280');
  await addOwn(await loggedIn(two, pat.name), key, { rk: false });
  const byName = await beginLogin(one);
  const asked = await question(two, byName, pat.name.toUpperCase());
  assert.equal((await submit(one, byName, key.get(asked, { userHandle: null }))).status, 302);

  const logins = await Promise.all(
    Array.from({ length: 6 }, (_, at) => beginLogin(at % 2 === 0 ? two : one)),
  );
  const counter = authenticator.counter + 50;
  const copies = await Promise.all(
    logins.map(async (id, at) => {
      const node = at % 2 === 0 ? one : two;
      return submit(node, id, authenticator.get(await question(node, id), { counter }));
    }),
  );
  assert.equal(copies.filter(({ status }) => status === 302).length, 1);
});
