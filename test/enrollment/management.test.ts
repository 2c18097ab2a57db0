import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, HOUR, isoTime } from '../../src/platform/clock.ts';
import { registerCa, withCertificate } from '../support/certificates.ts';
import { authority } from '../support/chains.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import {
  clientApi,
  enroll,
  enrolledDevice,
  invited,
  uniqueName,
  verifiedClaims,
} from '../support/enrollment.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

// One thread: the lines of others come a moment after the answer.
const server = await serverOfFile({ signing: true, threads: 1 });
const admin = await rootOf(server);

const identity = async () => createdId(await admin.call('POST', 'identities', { name: uniqueName() }));

describe('an enrollment of an identity that administers or has a permission', () => {
  test('ends when an administrator loses the right, who may have seen its token', async () => {
    const former = await server.createUser({ name: 'former', password });
    const patch = (body: object) => admin.call('PATCH', `identities/${former}`, body);
    const losses: Record<string, () => Promise<unknown>> = {
      right: () => patch({ isAdmin: false }),
      account: () => admin.call('POST', `identities/${former}/disable`, { durationMinutes: 1 }),
      identity: () => admin.call('DELETE', `identities/${former}`),
    };
    for (const [what, lose] of Object.entries(losses)) {
      await admin.call('POST', `identities/${former}/enable`);
      await patch({ isAdmin: true });
      const { id } = await invited(admin, { ott: true }, { isAdmin: true });
      const helper = await invited(admin, { ott: true }, { permissions: ['helpdesk'] });
      const device = await invited(admin);
      const isOpen = async (of: { id: string }) => {
        const { data } = (await admin.get(`identities/${of.id}`)).json;
        return data.enrollment.ott !== undefined;
      };
      // Another change by an administrator, and the end of another identity's session.
      await patch({ tags: { team: 'blue' } });
      assert.equal((await admin.call('DELETE', `identities/${await identity()}`)).status, 200);
      assert.equal(await isOpen({ id }), true, what);
      await lose();
      assert.deepEqual(
        [await isOpen({ id }), await isOpen(helper), await isOpen(device)],
        [false, false, true],
      );
    }
  });
});

describe('an enrollment', () => {
  test('is a JWT that the key of the presented certificate has signed', async () => {
    const { id, token, jwt } = await invited(admin);
    const claims = await verifiedClaims(server.url, jwt);
    assert.deepEqual(Object.keys(claims).toSorted(), ['aud', 'em', 'exp', 'iss', 'jti', 'sub']);
    assert.equal(claims.iss, server.url);
    assert.equal(claims.sub, id);
    assert.equal(claims.jti, token);
    assert.equal(claims.em, 'ott');
    const inThreeHours = (server.clock.now() + 3 * HOUR) / 1000;
    assert.ok(Math.abs(claims.exp - inThreeHours) < 60);
  });

  test('is created for an identity that exists, listed, shown and deleted', async () => {
    const identityId = await identity();
    const expiresAt = isoTime(server.clock.now() + DAY);
    const body = { identityId, method: 'ott', expiresAt };
    const id = createdId(await admin.call('POST', 'enrollments', body));
    const { data } = (await admin.get(`enrollments/${id}`)).json;
    assert.equal(data.expiresAt, expiresAt);
    assert.equal(data.identityId, identityId);
    assert.equal((await verifiedClaims(server.url, data.jwt)).jti, data.token);
    const filter = encodeURIComponent(`identityId="${identityId}"`);
    for (const path of [`enrollments?filter=${filter}`, `identities/${identityId}/enrollments`]) {
      const list = (await admin.get(path)).json;
      assert.deepEqual(
        list.data.map((one: { id: string }) => one.id),
        [id],
      );
    }
    assertRefused(await admin.call('POST', 'enrollments', body), 409, 'CONFLICT');
    assert.equal((await admin.call('DELETE', `enrollments/${id}`)).status, 200);
    assertRefused(await admin.get(`enrollments/${id}`), 404, 'NOT_FOUND');
    assertRefused(await enroll(server, data.token, csrPem(ecKeys())), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('is refreshed with another token and another end', async () => {
    const { id, token, enrollmentId } = await invited(admin);
    const expiresAt = isoTime(server.clock.now() + 2 * DAY);
    const refreshed = await admin.call('POST', `enrollments/${enrollmentId}/refresh`, { expiresAt });
    assert.equal(refreshed.status, 200, refreshed.text);
    const { ott } = (await admin.get(`identities/${id}`)).json.data.enrollment;
    assert.equal(ott.expiresAt, expiresAt);
    assert.notEqual(ott.token, token);
    assertRefused(await enroll(server, token, csrPem(ecKeys())), 400, 'INVALID_ENROLLMENT_TOKEN');
    await enrolledDevice(server, ott.token);
    assertRefused(await admin.call('POST', `enrollments/${enrollmentId}/refresh`, {}), 404, 'NOT_FOUND');
  });

  test('is refused if it could not be used, and names the field', async () => {
    const identityId = await identity();
    await server.createUser({ name: 'taken', password });
    const caId = await registerCa(admin, authority());
    const past = isoTime(server.clock.now() - 1);
    const future = isoTime(server.clock.now() + 400 * DAY);
    const cases: readonly (readonly [object, string])[] = [
      [{ method: 'ott', identityId: 'nobody' }, 'identityId'],
      [{ method: 'magic' }, 'method'],
      [{ method: 'ott', expiresAt: past }, 'expiresAt'],
      [{ method: 'ott', expiresAt: future }, 'expiresAt'],
      [{ method: 'ott', expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ method: 'ott', caId }, 'caId'],
      [{ method: 'ott', username: 'x' }, 'username'],
      [{ method: 'ottca' }, 'caId'],
      [{ method: 'ottca', caId: 'none' }, 'caId'],
      [{ method: 'ottca', caId }, 'caId'],
      [{ method: 'updb' }, 'username'],
      [{ method: 'updb', username: ' x' }, 'username'],
      [{ method: 'updb', username: 'TAKEN' }, 'username'],
    ];
    for (const [body, field] of cases) {
      const answer = await admin.call('POST', 'enrollments', { identityId, ...body });
      assertRefused(answer, field);
    }
  });

  test('gives an identity with a certificate another one, and both log in', async () => {
    const { id, token } = await invited(admin);
    const devices = [await enrolledDevice(server, token)];
    const enrollment = createdId(await admin.call('POST', 'enrollments', { identityId: id, method: 'ott' }));
    const another = (await admin.get(`enrollments/${enrollment}`)).json.data.token;
    devices.push(await enrolledDevice(server, another));
    for (const device of devices) {
      using connection = withCertificate(server, device);
      const login = await connection.post(`${clientApi}/authenticate?method=cert`, { json: {} });
      assert.equal(login.json.data.identity.id, id);
    }
  });

  test('is refused for an identity that has a password already', async () => {
    const identityId = await server.createUser({ name: uniqueName(), password });
    const body = { identityId, method: 'updb', username: uniqueName() };
    assertRefused(await admin.call('POST', 'enrollments', body), 409, 'CONFLICT');
  });

  test('is for administrators only, and not shown to the identity itself', async () => {
    await server.createUser({ name: 'plain', password });
    const plain = await loggedIn(server, 'plain');
    assertRefused(await plain.get('enrollments'), 403, 'FORBIDDEN');
    const self = await plain.get(`${clientApi}/current-identity`);
    assert.equal(self.status, 200);
    assert.equal('enrollment' in self.json.data, false);
  });

  test('is shown without its token to those who may only read', async () => {
    const { id, enrollmentId, token } = await invited(admin, { ott: true }, { isAdmin: true });
    for (const permission of ['read', 'helpdesk']) {
      const reader = await server.createUser({ name: permission, password });
      await admin.call('PATCH', `identities/${reader}`, { permissions: [permission] });
      const caller = await loggedIn(server, permission);
      const paths = ['identities', `identities/${id}`, `identities/${id}/enrollments`, 'enrollments'];
      for (const path of [...paths, `enrollments/${enrollmentId}`]) {
        const answer = await caller.get(path);
        assert.equal(answer.status, 200, answer.text);
        assert.ok(!answer.text.includes(token), path);
        assert.ok(!answer.text.includes('"jwt"'), path);
      }
      for (const path of ['enrollments', `enrollments/${enrollmentId}/refresh`]) {
        const answer = await caller.call('POST', path, { identityId: id, method: 'ott' });
        assertRefused(answer, 403, 'FORBIDDEN');
      }
      assertRefused(await caller.call('DELETE', `enrollments/${enrollmentId}`), 403, 'FORBIDDEN');
    }
  });

  test('that an administrator reads leaves an audit event, once in a session for each token', async () => {
    const { id, enrollmentId } = await invited(admin);
    const own = (await admin.get(`${clientApi}/current-identity`)).json.data.id;
    const shownBy = async (caller: Caller, path: string) => {
      const before = server.log.entries.length;
      const answer = await caller.get(path);
      assert.equal(answer.status, 200, answer.text);
      return server.log.entries
        .slice(before)
        .map(({ fields }) => fields)
        .filter((fields) => fields.event === 'enrollment.shown' && fields.enrollmentId === enrollmentId)
        .map(({ identityId, byIdentityId, requestId }) => [
          identityId,
          byIdentityId,
          requestId === answer.headers['x-request-id'],
        ]);
    };
    const filter = encodeURIComponent(`id="${enrollmentId}"`);
    const paths = [`enrollments/${enrollmentId}`, `enrollments?filter=${filter}`, `identities/${id}`];
    for (const path of [...paths, `identities/${id}/enrollments`]) {
      const again = await loggedIn(server, 'root');
      // Lists of identities contain none.
      assert.deepEqual(await shownBy(again, `identities?filter=${encodeURIComponent(`id="${id}"`)}`), []);
      assert.deepEqual(await shownBy(again, path), [[id, own, true]], path);
      for (const other of paths) assert.deepEqual(await shownBy(again, other), [], other);
    }
    const path = `enrollments/${enrollmentId}`;
    assert.deepEqual(await shownBy(admin, path), [], 'read when it was made');
    assert.equal((await admin.call('POST', `${path}/refresh`, {})).status, 200);
    assert.deepEqual(await shownBy(admin, path), [[id, own, true]], 'another token');
    const reader = await server.createUser({ name: 'reader', password });
    await admin.call('PATCH', `identities/${reader}`, { permissions: ['read'] });
    const caller = await loggedIn(server, 'reader');
    for (const path of paths) assert.deepEqual(await shownBy(caller, path), [], path);
  });

  test('is in the store as a hash and sealed', async () => {
    const { token, jwt, enrollmentId } = await invited(admin);
    const stored = JSON.stringify(await server.store.enrollments.find(enrollmentId as never));
    assert.ok(!stored.includes(token) && !stored.includes(jwt));
  });

  test('that cannot be created leaves no identity behind', async () => {
    const name = uniqueName();
    for (const enrollment of [{ ottca: 'none' }, { updb: ' x' }, { magic: true }]) {
      const answer = await admin.call('POST', 'identities', { name, enrollment });
      assertRefused(answer, 400, 'COULD_NOT_VALIDATE');
    }
    const filter = encodeURIComponent(`name="${name}"`);
    assert.deepEqual((await admin.get(`identities?filter=${filter}`)).json.data, []);
  });
});
