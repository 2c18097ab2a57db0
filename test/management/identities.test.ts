import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { refresh } from '../support/flow.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const admin = await rootOf(server);

const identity = async (id: string) => (await admin.get(`identities/${id}`)).json.data;
const create = async (fields: object) => createdId(await admin.call('POST', 'identities', fields));

describe('the email address of an identity', () => {
  const mailOf = async (id: string) => {
    const { email, emailVerified } = await identity(id);
    return [email, emailVerified];
  };

  test('is verified as long as it stays, and a whole document that lacks it keeps it', async () => {
    const id = await create({ name: 'mail', email: ' Ada@Corp.example ', emailVerified: true });
    assert.deepEqual(await mailOf(id), ['Ada@Corp.example', true]);
    const whole = { name: 'mail', type: 'User', isAdmin: false, roleAttributes: [] };
    for (const [method, body, expected] of [
      ['PATCH', { tags: { a: 'b' } }, ['Ada@Corp.example', true]],
      ['PUT', whole, ['Ada@Corp.example', true]],
      ['PATCH', { email: 'Ada@Corp.example' }, ['Ada@Corp.example', true]],
      ['PATCH', { email: 'ada@other.example' }, ['ada@other.example', false]],
      ['PATCH', { email: 'new@other.example', emailVerified: true }, ['new@other.example', true]],
      ['PATCH', { email: '' }, [null, false]],
    ] as const) {
      const answer = await admin.call(method, `identities/${id}`, body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await mailOf(id), expected, JSON.stringify(body));
    }
  });

  test('is one address, which several identities may share and lists find', async () => {
    for (const email of [
      ...['ada', '@corp.example', 'ada@', 'a@b@c', 'a b@corp.example', 'Ada <ada@corp.example>'],
      ...[
        'a@x.example, b@x.example',
        'a@x.example\r\nBcc: b@x.example',
        `${'a'.repeat(250)}@x.example`,
        'a\u202eb@x',
      ],
    ])
      assertRefused(await admin.call('POST', 'identities', { name: 'm', email }), 'email');
    const unknown = { name: 'm', emailVerified: true };
    assertRefused(await admin.call('POST', 'identities', unknown), 'emailVerified');
    const ids = [
      await create({ name: 'm1', email: 'Team@corp.example' }),
      await create({ name: 'm2', email: 'team@corp.example' }),
    ];
    for (const filter of ['email icontains "TEAM@"', 'email contains "eam@corp" and emailVerified = false']) {
      const { data } = (await admin.get(`identities?filter=${encodeURIComponent(filter)}`)).json;
      assert.deepEqual(data.map(({ id }: { id: string }) => id).sort(), [...ids].sort());
    }
    const { data } = (await admin.get('state?kinds=identity')).json;
    assert.match(JSON.stringify(data), /"email":"Team@corp.example","emailVerified":false/);
  });
});

describe('creating an identity', () => {
  test('stores what was sent, and nothing else', async () => {
    const id = await create({
      name: 'full',
      type: 'Device',
      isAdmin: true,
      permissions: ['read'],
      externalId: 'ext-1',
      authPolicyId: 'default',
      roleAttributes: ['a', 'b', 'a'],
      tags: { site: 'north', floor: 3, on: true, none: null },
      id: 'chosen',
      createdAt: '2000-01-01T00:00:00Z',
      disabledAt: '2000-01-01T00:00:00Z',
      disabled: true,
      isDefaultAdmin: true,
    });
    assert.deepEqual(await identity(id), {
      id,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      _links: {
        self: { href: `./identities/${id}` },
        authenticators: { href: `./identities/${id}/authenticators` },
        'api-sessions': { href: `./identities/${id}/api-sessions` },
        'auth-policies': { href: './auth-policies/default' },
      },
      tags: { site: 'north', floor: 3, on: true, none: null },
      name: 'full',
      typeId: 'Device',
      type: {
        _links: { self: { href: './identity-types/Device' } },
        entity: 'identity-types',
        id: 'Device',
        name: 'Device',
      },
      isAdmin: true,
      permissions: ['read'],
      isDefaultAdmin: false,
      externalId: 'ext-1',
      email: null,
      emailVerified: false,
      authPolicyId: 'default',
      authPolicyFrom: 'identity',
      authPolicy: (await identity(id)).authPolicy,
      enrollment: {},
      envInfo: {},
      sdkInfo: {},
      passwordMustChange: false,
      invitation: null,
      roleAttributes: ['a', 'b'],
      disabled: false,
      disabledAt: null,
      disabledUntil: null,
      lastLoginAt: null,
      isMfaEnabled: false,
      hasPasskey: false,
      lockedUntil: { password: null, totp: null },
    });
    assert.equal((await identity(id)).authPolicy.id, 'default');
    assert.notEqual((await identity(id)).authPolicy.name, '');
  });

  test('needs nothing but a name; null stands for the default', async () => {
    const nothing = {
      externalId: null,
      authPolicyId: null,
      roleAttributes: null,
      tags: null,
      enrollment: {},
    };
    const { type, isAdmin, externalId, authPolicyId, roleAttributes, tags } = await identity(
      await create({ name: 'least', ...nothing }),
    );
    assert.deepEqual(
      [type.name, isAdmin, externalId, authPolicyId, roleAttributes, tags],
      ['Default', false, null, 'default', [], {}],
    );
  });

  test('shows the refused value', async () => {
    const answer = await admin.call('POST', 'identities', { name: 'x', authPolicyId: 'nope' });
    assert.deepEqual(answer.json.error.cause, {
      field: 'authPolicyId',
      reason: 'names no auth policy',
      value: 'nope',
    });
  });

  test('refuses an enrollment that cannot be given, and makes nothing', async () => {
    const body = { name: 'refused', enrollment: { ott: true } };
    assertRefused(await admin.call('POST', 'identities', body), 'enrollment');
    const filter = encodeURIComponent('name = "refused"');
    assert.equal((await admin.get(`identities?filter=${filter}`)).json.meta.pagination.totalCount, 0);
  });
});

describe('changing an identity', () => {
  test('by PUT needs name, type and isAdmin', async () => {
    const id = await create({ name: 'put needs' });
    for (const field of ['name', 'type', 'isAdmin']) {
      const body: Record<string, unknown> = { name: 'n', type: 'User', isAdmin: false };
      delete body[field];
      assertRefused(await admin.call('PUT', `identities/${id}`, body), field);
    }
  });
});

describe('an identity that is removed', () => {
  test('by deletion: login, tokens and refresh end at once', async () => {
    const id = await server.createUser({ name: 'deleted', password });
    const deleted = await loggedIn(server, 'deleted');
    const answer = await admin.call('DELETE', `identities/${id}`);
    assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
    assertRefused(await deleted.get('current-identity'), 401, 'UNAUTHORIZED');
    assert.equal((await refresh(server, deleted.refreshToken)).status, 400);
    await assert.rejects(loggedIn(server, 'deleted'));
    assertRefused(await admin.get(`identities/${id}`), 404, 'NOT_FOUND');
    const filter = encodeURIComponent(`identity = "${id}"`);
    assert.equal((await admin.get(`authenticators?filter=${filter}`)).json.meta.pagination.totalCount, 0);
  });

  test('by disabling: the same, until it is enabled', async () => {
    const id = await server.createUser({ name: 'disabled', password });
    const before = await loggedIn(server, 'disabled');
    assert.equal((await admin.call('POST', `identities/${id}/disable`)).status, 200);
    const { disabled, disabledAt, disabledUntil } = await identity(id);
    assert.deepEqual(
      [disabled, disabledAt, disabledUntil],
      [true, new Date(clock.now()).toISOString(), null],
    );
    assertRefused(await before.get('current-identity'), 401, 'UNAUTHORIZED');
    await assert.rejects(loggedIn(server, 'disabled'));

    assert.equal((await admin.call('POST', `identities/${id}/enable`)).status, 200);
    assert.equal((await identity(id)).disabled, false);
    assertRefused(await before.get('current-identity'), 401, 'UNAUTHORIZED');
    assert.equal((await (await loggedIn(server, 'disabled')).get('current-identity')).status, 200);
  });

  test('by disabling for a time: until that has passed', async () => {
    const id = await server.createUser({ name: 'paused', password });
    assert.equal((await admin.call('POST', `identities/${id}/disable`, { durationMinutes: 5 })).status, 200);
    assert.equal((await identity(id)).disabledUntil, new Date(clock.now() + 5 * MINUTE).toISOString());
    await assert.rejects(loggedIn(server, 'paused'));
    clock.advance(5 * MINUTE);
    assert.equal((await identity(id)).disabled, false);
    assert.equal((await (await loggedIn(server, 'paused')).get('current-identity')).status, 200);
  });

  test('by disabling until a time, which can be moved, taken away and ended', async () => {
    const id = await server.createUser({ name: 'until', password });
    const before = await loggedIn(server, 'until');
    const at = (minutes: number) => new Date(clock.now() + minutes * MINUTE).toISOString();
    const state = async () => {
      const { disabled, disabledAt, disabledUntil } = await identity(id);
      return [disabled, disabledAt, disabledUntil];
    };
    const since = at(0);
    const path = `identities/${id}`;
    const steps: readonly (readonly [string, string, object, unknown])[] = [
      ['POST', '/disable', { until: at(9) }, [true, since, at(9)]],
      ['POST', '/disable', { until: at(7).replace('Z', '+00:00') }, [true, since, at(7)]],
      ['POST', '/disable', { durationMinutes: 6, until: null }, [true, since, at(6)]],
      ['PATCH', '', { disabledUntil: at(5) }, [true, since, at(5)]],
      ['PATCH', '', { disabled: true }, [true, since, at(5)]],
      ['PATCH', '', { disabledUntil: null }, [true, since, null]],
      ['PATCH', '', { disabled: false }, [false, null, null]],
      ['PATCH', '', { disabledUntil: null }, [false, null, null]],
      ['PATCH', '', { name: 'until 2', disabledUntil: at(4) }, [true, since, at(4)]],
      ['PATCH', '', { disabled: false, disabledUntil: null }, [false, null, null]],
      ['PUT', '', { name: 'until', type: 'User', isAdmin: false, disabled: true }, [true, since, null]],
      ['PUT', '', { name: 'until', type: 'User', isAdmin: false }, [true, since, null]],
      ['PATCH', '', { disabledUntil: at(3) }, [true, since, at(3)]],
    ];
    for (const [method, action, body, after] of steps) {
      const answer = await admin.call(method, path + action, body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await state(), after, JSON.stringify(body));
    }
    assertRefused(await before.get('current-identity'), 401, 'UNAUTHORIZED');
    await assert.rejects(loggedIn(server, 'until'));
    clock.advance(MINUTE);
    await admin.call('PATCH', path, { disabledUntil: at(1) });
    assert.deepEqual(await state(), [true, since, at(1)], 'kept out since the same time');
    clock.advance(MINUTE);
    assert.deepEqual(await state(), [false, null, null]);
    const document = await identity(id);
    const sentBack = { ...document, type: document.type.name };
    assert.equal((await admin.call('PUT', path, sentBack)).status, 200);
    assert.equal((await loggedIn(server, 'until')).accessToken.length > 0, true);
  });

  test('not until what is no time, has passed, or is too far away', async () => {
    const id = await create({ name: 'times' });
    const at = (from: number) => new Date(clock.now() + from).toISOString();
    const tenYears = 10 * 366 * 24 * 60 * MINUTE;
    for (const time of [
      'tomorrow',
      '2030-01-31',
      '2030-02-30T00:00:00Z',
      '2030-01-31T12:00:00',
      '+010000-01-01T00:00:00Z',
      '',
      1e12,
      true,
      [],
      at(0),
      at(-1),
      '1970-01-01T00:00:00Z',
      at(tenYears + 1),
      '9999-12-31T23:59:59Z',
    ]) {
      const until = await admin.call('POST', `identities/${id}/disable`, { until: time });
      assertRefused(until, 'until');
      const patched = await admin.call('PATCH', `identities/${id}`, { disabledUntil: time });
      assertRefused(patched, 'disabledUntil');
    }
    const both = await admin.call('POST', `identities/${id}/disable`, { until: at(9), durationMinutes: 1 });
    assertRefused(both, 'until');
    const body = { disabled: false, disabledUntil: at(MINUTE) };
    const contradiction = await admin.call('PATCH', `identities/${id}`, body);
    assertRefused(contradiction, 'disabledUntil');
    assertRefused(await admin.call('PATCH', `identities/${id}`, { disabled: null }), 'disabled');
    assert.equal((await identity(id)).disabled, false);
    for (const time of [at(1), at(tenYears)]) {
      assert.equal((await admin.call('PATCH', `identities/${id}`, { disabledUntil: time })).status, 200);
    }
  });

  test('is not undone by a document that was read before', async () => {
    const id = await create({ name: 'stale' });
    const path = `identities/${id}`;
    const at = (minutes: number) => new Date(clock.now() + minutes * MINUTE).toISOString();
    const read = async () => {
      const document = await identity(id);
      return { ...document, type: document.type.name };
    };
    const wasEnabled = await read();
    await admin.call('POST', `${path}/disable`, { until: at(5) });
    const wasUntil = await read();
    assertRefused(await admin.call('PUT', path, { ...wasEnabled, name: 'x' }), 409, 'CONFLICT', 'disabled');
    assert.equal((await admin.call('PUT', path, { ...wasUntil, disabledUntil: at(6) })).status, 200);
    await admin.call('POST', `${path}/disable`);
    for (const sent of [wasEnabled, wasUntil])
      assertRefused(await admin.call('PUT', path, { ...sent, name: 'x' }), 409, 'CONFLICT', 'disabled');
    const { name, disabled, disabledUntil } = await identity(id);
    assert.deepEqual([name, disabled, disabledUntil], ['stale', true, null]);
    assert.equal((await admin.call('PUT', path, await read())).status, 200);
    // A caller who names the version knows that the identity is disabled.
    const { etag } = (await admin.get(path)).headers;
    const headers = { authorization: `Bearer ${admin.accessToken}`, 'if-match': String(etag) };
    const known = await server.request('PUT', `/edge/management/v1/${path}`, { headers, json: wasEnabled });
    assert.equal(known.status, 200, known.text);
    assert.equal((await identity(id)).disabled, false);
  });

  test('not with an invalid duration', async () => {
    const id = await create({ name: 'durations' });
    for (const durationMinutes of [-1, 1.5, '5', 1e300, true, []]) {
      const answer = await admin.call('POST', `identities/${id}/disable`, { durationMinutes });
      assertRefused(answer, 'durationMinutes');
    }
    assert.equal((await identity(id)).disabled, false);
  });
});

test('each change is in the audit trail, with its fields and who did it', async () => {
  const seen = server.log.entries.length;
  const id = await create({ name: 'audited', tags: { colour: 'red' } });
  await admin.call('PATCH', `identities/${id}`, { externalId: 'audited-1' });
  await admin.call('POST', `identities/${id}/disable`);
  await admin.call('POST', `identities/${id}/enable`);
  await admin.call('PATCH', `identities/${id}`, { externalId: null, disabled: true });
  await admin.call('PATCH', `identities/${id}`, { disabled: false });
  await admin.call('DELETE', `identities/${id}/api-sessions`);
  await admin.call('DELETE', `identities/${id}`);
  const entries = server.log.entries.slice(seen).map(({ fields }) => fields as Record<string, unknown>);
  const changes = entries.filter(({ entityId }) => entityId === id);
  assert.deepEqual(
    changes.map(({ action }) => action),
    ['create', 'update', 'disable', 'enable', 'update', 'disable', 'enable', 'end-sessions', 'delete'],
  );
  const rootId = (await admin.get('current-identity')).json.data.id;
  for (const change of changes) assert.equal(change.byIdentityId, rootId);
  assert.deepEqual(changes[1]?.fields, ['externalId']);
  const changed: readonly (readonly object[] | undefined)[] = JSON.parse(
    JSON.stringify(changes.map((change) => change.changes ?? null)),
  );
  assert.deepEqual(changed[0], [
    { field: 'name', from: null, to: 'audited' },
    { field: 'tags', from: null, to: { colour: 'red' } },
  ]);
  assert.deepEqual(changed[1], [{ field: 'externalId', from: null, to: 'audited-1' }]);
  const disabledAt = new Date(clock.now()).toISOString();
  assert.deepEqual(changed[2], [{ field: 'disabledAt', from: null, to: disabledAt }]);
  assert.deepEqual(changed[3], [{ field: 'disabledAt', from: disabledAt, to: null }]);
  assert.deepEqual(changed[4], [{ field: 'externalId', from: 'audited-1', to: null }]);
  assert.deepEqual(changed.at(-1)?.[0], { field: 'name', from: 'audited', to: null });
});
