// What is accepted at the start of a login must not break its end: with ids, redirects and tokens that are too long
// for the next request, the login could not be finished.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  authRequestIdOf,
  callWith,
  challenge,
  claimsOf,
  codeOf,
  locationOf,
  redeem,
  redirectUri,
  verifier,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
await server.createUser({ name: 'alice', password });

type Pairs = readonly (readonly [string, string])[];

/** By POST, which has room for it. */
function authorize(added: Pairs): Promise<Answer> {
  const form: Pairs = [
    ['response_type', 'code'],
    ['client_id', 'overlay'],
    ['redirect_uri', redirectUri],
    ['scope', 'openid'],
    ['code_challenge', challenge],
    ['code_challenge_method', 'S256'],
    ...added,
  ];
  return server.post('/oidc/authorization', { form });
}

function errorOf(answer: Answer): string | null {
  assert.equal(answer.status, 302, answer.text);
  return new URL(locationOf(answer), server.url).searchParams.get('error');
}

async function finish(begun: Answer, fields: object = {}): Promise<{ done: Answer; accessToken: string }> {
  const authRequestId = authRequestIdOf(begun);
  const done = await server.post('/oidc/login/username', {
    json: { authRequestId, username: 'alice', password, ...fields },
  });
  assert.equal(done.status, 302, done.text);
  const tokens = await redeem(server, codeOf(done), { code_verifier: verifier });
  assert.equal(tokens.status, 200, tokens.text);
  return { done, accessToken: tokens.json.access_token };
}

const many = (count: number, length: number, character = 'c'): Pairs =>
  Array.from({ length: count }, (_, at) => ['configTypes', `${at}${character.repeat(length - 2)}`] as const);

test('a state is accepted up to a length with which the login can finish, with any characters', async () => {
  for (const character of ['s', ' ', '\u0001', '"', 'é', '✓', '😀']) {
    for (const length of [100, 500, 1000, 2000, 4000]) {
      const state = character.repeat(Math.floor(length / character.length));
      const begun = await authorize([['state', state]]);
      // More than the endpoint reads.
      if (begun.status === 413) continue;
      if (errorOf(begun) !== null) {
        assert.ok(length >= 1000, `${JSON.stringify(character)} x ${length} is refused`);
        assert.equal(errorOf(begun), 'invalid_request');
        continue;
      }
      assert.ok(locationOf(begun).length < 13_000);
      const { done } = await finish(begun);
      assert.equal(new URL(locationOf(done)).searchParams.get('state'), state);
    }
  }
});

test('configuration types are accepted up to a number and length that an access token can carry', async () => {
  const begun = await authorize(many(32, 100));
  assert.equal(errorOf(begun), null);
  const { accessToken } = await finish(begun);
  assert.equal(claimsOf(accessToken).z_ct.length, 32);
  assert.equal((await callWith(server, accessToken)).status, 200);

  assert.equal(errorOf(await authorize(many(33, 10))), 'invalid_request');
  assert.equal(errorOf(await authorize(many(1, 102))), 'invalid_request');
  for (const character of ['✓', '\u0001']) {
    const answer = await authorize(many(10, 100, character));
    if (errorOf(answer) !== null) continue;
    assert.equal((await callWith(server, (await finish(answer)).accessToken)).status, 200, character);
  }
});

test('values that are sent with the login share the same limits', async () => {
  const authRequestId = authRequestIdOf(await authorize(many(20, 100)));
  const more = many(20, 90).map(([, name]) => `other ${name}`);
  for (const configTypes of [more, 'x'.repeat(101), ['x'.repeat(101)], Array(33).fill('x')]) {
    const answer = await server.post('/oidc/login/username', {
      json: { authRequestId, username: 'alice', password, configTypes },
    });
    assertRefused(answer, 400, 'COULD_NOT_VALIDATE');
  }
  const taken = await server.post('/oidc/login/username', {
    json: { authRequestId, username: 'alice', password, configTypes: ['ct-1', 'ct-1', '0ccc'] },
  });
  assert.equal(taken.status, 302);
});
