import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeFor, redeemAs } from '../support/oidc-clients.ts';
import { serverOfRoot } from './support.ts';

const { server, cli: admin } = await serverOfRoot();

const fine = (args: readonly string[]) => admin.exits(0, args);

test('an application is registered, gets a secret, gets another, and loses the first', async () => {
  await fine([
    ...['create', 'oidc-client', 'Team Wiki', 'confidential', '--id', 'wiki'],
    ...[
      '--redirect-uris',
      'https://app.example/cb',
      '--scopes',
      'openid, email',
      '--claim',
      'email=tags.mail',
    ],
    ...['--access-token-duration', '5m', '--allowed-role-attributes', 'staff'],
  ]);
  const shown = (await fine(['get', 'oidc-client', 'Team Wiki', '-j'])).json;
  assert.deepEqual(
    [shown.id, shown.scopes, shown.claims, shown.accessTokenDuration, shown.allowedRoleAttributes],
    ['wiki', ['openid', 'email'], { email: 'tags.mail' }, '5m', ['staff']],
  );
  await fine(['update', 'oidc-client', 'wiki', '--allowed-role-attributes', '', '--no-require-pkce']);
  const works = async (secret: string) => {
    const app = { id: 'wiki', secret };
    return (await redeemAs(server, app, await codeFor(server, app, 'root'))).status === 200;
  };

  const none = await admin.exits(1, ['oidc-client', 'delete-secret', 'wiki']);
  assert.match(none.stderr, /Wiki has no secret|wiki has no secret/);
  const added = await fine(['oidc-client', 'add-secret', 'wiki']);
  // There is no secret yet that the next step could be to delete.
  assert.match(added.stderr, /not shown again\. If it replaces one, delete that/);
  const first = added.stdout.trim();
  assert.equal(await works(first), true);
  const only = await admin.exits(1, ['oidc-client', 'delete-secret', 'Team Wiki']);
  assert.match(only.stderr, /has only this secret/);
  const second = (await fine(['oidc-client', 'add-secret', 'Team Wiki', '-j'])).json;
  assert.deepEqual([await works(first), await works(second.secret)], [true, true]);
  const full = await admin.exits(1, ['oidc-client', 'add-secret', 'wiki']);
  assert.match(full.stderr, /2 secrets already/);
  await fine(['oidc-client', 'delete-secret', 'wiki']);
  assert.deepEqual([await works(first), await works(second.secret)], [false, true]);
  await fine(['oidc-client', 'delete-secret', 'wiki', second.id]);
  assert.equal(await works(second.secret), false);
  assert.match((await fine(['list', 'oidc-clients'])).stdout, /Team Wiki/);
  await fine(['delete', 'oidc-client', 'wiki']);
});
