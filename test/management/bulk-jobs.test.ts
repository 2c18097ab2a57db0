// Many identities changed, or made from a table, a piece at a time.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, createdId, imported, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const root = await rootOf(server);

const jobs = 'identities/bulk/jobs';
const carryOn = (id: string, body: object = {}, by = root) => by.call('POST', `${jobs}/${id}/continue`, body);
const stateOf = async (id: string) => (await root.get(`${jobs}/${id}`)).json.data;

const tableOf = (name: string, size: number) =>
  ['name,roleAttributes', ...Array.from({ length: size }, (_, at) => `${name} ${at},${name}`)].join('\n');
const filterOf = (name: string) => `roleAttributes contains "${name}"`;

async function numberOf(filter: string): Promise<number> {
  const answer = await root.get(`identities?limit=1&filter=${encodeURIComponent(filter)}`);
  return answer.json.meta.pagination.totalCount;
}

/** How many audit events of a kind belong to a job. */
async function eventsOf(reference: string, event: string): Promise<number> {
  const filter = encodeURIComponent(`requestId="${reference}" and event="${event}"`);
  return (await root.get(`audit-events?limit=1&filter=${filter}`)).json.meta.pagination.totalCount;
}

/** @returns the filter of so many people */
async function crowd(name: string, size: number): Promise<string> {
  const answer = await imported(server, root, { csv: tableOf(name, size) });
  assert.equal(answer.json.data.created.length, size, answer.text);
  return filterOf(name);
}

/** A table of so many people, checked; no identity is created yet. */
async function importJob(name: string, size: number): Promise<string> {
  const answer = await imported(server, root, { csv: tableOf(name, size), query: '?asJob=true' });
  const { rows, created, problems, job } = answer.json.data;
  assert.deepEqual([rows, created, problems], [size, [], []], answer.text);
  assert.deepEqual([job.state, job.action, job.filter, job.preview.matched], ['checking', 'import', '', 0]);
  const { now, problems: found } = await checkedTable(job.id);
  assert.deepEqual([now.state, now.preview.matched, found], ['checked', size, []]);
  assert.equal(await numberOf(filterOf(name)), 0);
  return job.id;
}

/** Its job after the check, and what that has found. */
async function checkedTable(id: string) {
  const problems: { readonly line: number; readonly column: string; readonly reason: string }[] = [];
  for (let before = 0; ; ) {
    const { data: now } = (await carryOn(id, { confirmed: true })).json;
    problems.push(...now.problems);
    assert.deepEqual([now.done, now.created], [0, []]);
    // Each call says how far it is.
    assert.ok(now.preview.matched > before, now.preview.matched);
    before = now.preview.matched;
    if (now.state === 'checked') return { now, problems };
  }
}

describe('a job for any number', () => {
  async function checked(body: object): Promise<{ id: string; preview: Answer['json'] }> {
    const id = createdId(await root.call('POST', jobs, body));
    for (;;) {
      const { data } = (await carryOn(id, { confirmed: true })).json;
      assert.equal(data.done, 0);
      if (data.state === 'checked') return { id, preview: data.preview };
      assert.equal(data.state, 'checking');
    }
  }

  test('is checked for all of them first, and made a piece at a time, also after a stop', async () => {
    const filter = await crowd('horde', 1500);
    const policyId = createdId(
      await root.call('POST', 'auth-policies', { name: 'of the horde', secondary: { requireTotp: true } }),
    );
    const before = await checked({ filter, change: { authPolicyId: policyId } });
    assert.deepEqual(
      [before.preview.matched, before.preview.policy.touched.count, before.preview.policy.asksMore.count],
      [1500, 1500, 1500],
    );
    assert.equal(before.preview.first.length, 20);
    const isChanged = `authPolicyId="${policyId}"`;
    assert.equal((await carryOn(before.id)).json.data.state, 'checked');
    assert.equal(await numberOf(isChanged), 0);

    const first = (await carryOn(before.id, { confirmed: true })).json.data;
    assert.equal(first.state, 'working');
    assert.ok(first.done > 0 && first.done < 1500, first.done);
    assert.equal(await numberOf(isChanged), first.done);
    // Another administrator sees it, and carries it on; two at once do nothing twice.
    await server.createUser({ name: 'second', password, isAdmin: true });
    const second = await loggedIn(server, 'second');
    assert.equal((await second.get(`${jobs}/${before.id}`)).json.data.done, first.done);
    assert.ok((await second.get(jobs)).json.data.some(({ id }: { id: string }) => id === before.id));
    for (let state = 'working'; state !== 'done'; ) {
      const both = await Promise.all([carryOn(before.id), carryOn(before.id, {}, second)]);
      for (const { status, text } of both) assert.ok(status === 200 || status === 409, text);
      state = (await root.get(`${jobs}/${before.id}`)).json.data.state;
    }
    const { done, reference } = (await carryOn(before.id)).json.data;
    assert.equal(done, 1500);
    assert.equal(await numberOf(isChanged), 1500);
    assert.equal(await eventsOf(reference, 'admin.changed'), 1500);
  });

  test('is refused as a whole if the check finds one for whom it is not possible', async () => {
    const filter = await crowd('mixed', 3);
    const refused = await checked({ filter, change: { emailVerified: true } });
    assert.equal(refused.preview.refused.count, 3);
    const admins = await checked({ filter: 'true', action: 'disable' });
    assert.match(admins.preview.objection, /no administrator/);
    for (const { id } of [refused, admins]) {
      assertRefused(await carryOn(id, { confirmed: true }), 409, 'CONFLICT');
      assert.equal((await root.get(`${jobs}/${id}`)).json.data.done, 0);
      assert.equal((await root.call('DELETE', `${jobs}/${id}`)).status, 200);
      for (const answer of [await root.get(`${jobs}/${id}`), await carryOn(id)])
        assertRefused(answer, 404, 'NOT_FOUND');
    }
    const { data } = (await root.get(`identities?filter=${encodeURIComponent(filter)}`)).json;
    assert.deepEqual(
      data.map(({ disabled, emailVerified }: Record<string, boolean>) => disabled || emailVerified),
      [false, false, false],
    );
  });

  test('shows the links of invitations to who carries it on, and deletes', async () => {
    const filter = await crowd('guests', 3);
    const { id } = await checked({ filter, action: 'invite', expiresIn: '2h' });
    const { invitations } = (await carryOn(id, { confirmed: true })).json.data;
    assert.equal(new Set(invitations.map(({ url }: { url: string }) => url)).size, 3);
    assert.ok(!(await root.get(`${jobs}/${id}`)).text.includes('/invite'));
    const deleting = await checked({ filter, action: 'delete' });
    assert.equal((await carryOn(deleting.id, { confirmed: true })).json.data.state, 'done');
    assert.equal(await numberOf(filter), 0);
  });

  test('is for administrators, and takes a filter and one kind of work', async () => {
    const filter = await crowd('few', 1);
    const refusals: [object, string][] = [
      [{ filter: ' ', action: 'delete' }, 'filter'],
      [{ filter, change: { name: 'same' } }, 'change.name'],
      [{ filter }, 'change'],
    ];
    for (const [body, field] of refusals) assertRefused(await root.call('POST', jobs, body), field);
    assertRefused(
      await root.call('POST', jobs, { filter: 'nonsense', action: 'delete' }),
      400,
      'INVALID_FILTER',
    );
    const { id } = await checked({ filter, action: 'disable' });
    const reader = await server.createUser({ name: 'reader', password });
    await root.call('PATCH', `identities/${reader}`, { permissions: ['read', 'helpdesk'] });
    const limited = await loggedIn(server, 'reader');
    for (const answer of [
      await limited.get(jobs),
      await limited.get(`${jobs}/${id}`),
      await carryOn(id, { confirmed: true }, limited),
      await limited.call('DELETE', `${jobs}/${id}`),
    ])
      assertRefused(answer, 403, 'FORBIDDEN');
  });
});

describe('a table of many people', () => {
  test('is checked whole and made a piece at a time; logins come in between, and no identity is created twice', async () => {
    await server.createUser({ name: 'third', password, isAdmin: true });
    const id = await importJob('settlers', 1150);
    assert.equal((await carryOn(id)).json.data.state, 'checked');
    const first = (await carryOn(id, { confirmed: true })).json.data;
    assert.ok(first.done > 0 && first.done < 1150, first.done);
    assert.equal(first.created.length, first.done);
    assert.equal(await numberOf(filterOf('settlers')), first.done);
    // A login completes, and the table is not made yet: nothing waits for the whole of it.
    const third = await loggedIn(server, 'third');
    assert.deepEqual([(await stateOf(id)).state, (await stateOf(id)).done], ['working', first.done]);

    const made = [...first.created];
    for (let state = 'working'; state !== 'done'; ) {
      const both = await Promise.all([carryOn(id), carryOn(id, {}, third)]);
      for (const { status, text } of both) assert.ok(status === 200 || status === 409, text);
      for (const { json } of both) made.push(...(json.data?.created ?? []));
      state = (await stateOf(id)).state;
    }
    for (const by of [root, third]) assert.deepEqual((await carryOn(id, {}, by)).json.data.created, []);
    assert.equal(await numberOf(filterOf('settlers')), 1150);
    assert.equal(new Set(made.map(({ id }: { id: string }) => id)).size, 1150);
    assert.equal(made.length, 1150);
    assert.equal(await eventsOf((await stateOf(id)).reference, 'admin.changed'), 1150);
  });

  test('stops at the line that is no longer possible, and goes on when it is', async () => {
    const id = await importJob('late', 1150);
    const clash = createdId(await root.call('POST', 'identities', { name: 'LATE 1100', type: 'User' }));
    for (let last = -1, now = 0; last !== now; ) {
      last = now;
      await carryOn(id, { confirmed: true });
      now = (await stateOf(id)).done;
    }
    const refused = await carryOn(id, { confirmed: true });
    assertRefused(refused, 409, 'CONFLICT');
    assert.match(refused.text, /line 1102: name is already taken|line 1102: name passes for/);
    assert.equal(await numberOf(filterOf('late')), (await stateOf(id)).done);
    await root.call('DELETE', `identities/${clash}`);
    assert.equal((await carryOn(id)).json.data.state, 'done');
    assert.equal(await numberOf(filterOf('late')), 1150);
  });

  test('is deleted with its job, and what was made stays', async () => {
    const id = await importJob('half', 1150);
    await carryOn(id, { confirmed: true });
    const made = (await stateOf(id)).done;
    assert.equal((await root.call('DELETE', `${jobs}/${id}`)).status, 200);
    assertRefused(await carryOn(id), 404, 'NOT_FOUND');
    assert.equal(await numberOf(filterOf('half')), made);
  });

  test('is refused as a whole if the check finds a problem: a row repeated far away, a name taken, a policy', async () => {
    createdId(await root.call('POST', 'identities', { name: 'wrong 1050', type: 'User' }));
    const csv = `${tableOf('wrong', 1150).replaceAll(/$/gm, ',')}\nwrong 7,wrong,none\n`;
    const query = '?asJob=true&dryRun=true';
    const table = csv.replace('name,roleAttributes,', 'name,roleAttributes,authPolicy');
    const { id } = (await imported(server, root, { csv: table, query })).json.data.job;
    const { now, problems } = await checkedTable(id);
    assert.deepEqual(problems.map(({ line, column, reason }) => `${line} ${column} ${reason}`).sort(), [
      '1052 name is already taken',
      '1152 authPolicy names no auth policy',
      '1152 name is the same as in line 9',
    ]);
    const { count, first } = now.preview.refused;
    assert.equal(count, 3);
    // A row has no identity yet.
    assert.deepEqual(
      first.map(({ id, name }: { id: unknown; name: string }) => [id, name]).sort(),
      ['line 1052', 'line 1152', 'line 1152'].map((name) => [null, name]),
    );
    assertRefused(await carryOn(id, { confirmed: true }), 409, 'CONFLICT');
    assert.equal(await numberOf(filterOf('wrong')), 0);
  });

  test('may come in parts, until its job is carried on', async () => {
    const part = (name: string, query: string) =>
      imported(server, root, { csv: tableOf(name, 3), query: `?${query}` });
    const { id } = (await part('parted', 'job=new')).json.data.job;
    const more = await part('further', `job=${id}&linesBefore=3`);
    assert.deepEqual([more.json.data.job.id, more.json.data.rows], [id, 3], more.text);
    await part('parted', `job=${id}&linesBefore=6`);
    assert.equal(await numberOf(filterOf('parted')), 0);
    const { problems } = await checkedTable(id);
    assert.deepEqual(problems, []);
    assertRefused(await part('late', `job=${id}&linesBefore=9`), 404, 'NOT_FOUND');
    // What parts have in common, only a step that makes it finds.
    assert.equal((await carryOn(id, { confirmed: true })).json.data.done, 6);
    const refused = await carryOn(id, { confirmed: true });
    assertRefused(refused, 409, 'CONFLICT');
    assert.match(refused.text, /line 8: name is already taken/);

    const filtered = createdId(await root.call('POST', jobs, { filter: 'true', action: 'enable' }));
    for (const job of [filtered, 'none']) assertRefused(await part('lost', `job=${job}`), 404, 'NOT_FOUND');
    assertRefused(await part('lost', 'job=new&linesBefore=-1'), 'linesBefore');
  });

  test('has no job if it is small, or if one call is to do all', async () => {
    for (const [csv, query] of [
      [tableOf('small', 3), '?asJob=true'],
      [tableOf('tried', 300), '?dryRun=true'],
    ] as const) {
      const { json } = await imported(server, root, { csv, query });
      assert.deepEqual([json.data.job, json.data.problems], [undefined, []], csv.slice(0, 40));
    }
    const numbers = await Promise.all(['small', 'tried'].map((name) => numberOf(filterOf(name))));
    assert.deepEqual(numbers, [3, 0]);
  });
});

describe('one call for more than a step takes', () => {
  test('is a job inside: checked for all first, and in the list when it is done', async () => {
    const filter = await crowd('many', 250);
    const isOurs = async () =>
      (await root.get(jobs)).json.data.filter(({ preview }: Answer['json']) => preview.matched === 250);
    assert.deepEqual(
      (await isOurs()).map(({ state, done }: Answer['json']) => [state, done]),
      [['done', 250]],
    );
    const { data } = (await root.get(`identities?limit=1&filter=${encodeURIComponent('name="many 249"')}`))
      .json;
    await root.call('PATCH', `identities/${data[0].id}`, { email: 'a@b.example' });
    const change = { emailVerified: true, addRoleAttributes: ['seen'] };
    const refused = await root.call('POST', 'identities/bulk', { filter, change });
    assertRefused(refused, 'emailVerified');
    assert.match(refused.text, /Nothing was changed/);
    assert.equal(await numberOf(filterOf('seen')), 0);
    assert.equal((await isOurs()).length, 1);
    const invited = await root.call('POST', 'identities/bulk', { filter, action: 'invite', matched: 250 });
    const urls = new Set(invited.json.data.invitations.map(({ url }: { url: string }) => url));
    assert.deepEqual([invited.json.data.matched, urls.size], [250, 250]);
    assert.equal(await eventsOf(invited.json.data.reference, 'admin.changed'), 250);
  });

  test('that stops on its way leaves its job, with which another administrator goes on', async () => {
    const filter = await crowd('followers', 150);
    const leaverId = await server.createUser({ name: 'leaver', password, isAdmin: true });
    const leaver = await loggedIn(server, 'leaver');
    // Administrators come first, and a disabled caller may go no further.
    const all = { filter: `${filter} or id="${leaverId}"`, action: 'disable' };
    const stopped = await leaver.call('POST', 'identities/bulk', all);
    assert.equal(stopped.status, 401, stopped.text);
    const { id, done } = (await root.get(jobs)).json.data.find(
      ({ state }: Answer['json']) => state === 'working',
    );
    assert.equal(done, 1);
    assert.equal((await carryOn(id)).json.data.state, 'done', stopped.text);
    assert.equal(await numberOf(`${filter} and disabledAt = null`), 0);
  });

  test('or a job may name its identities by their ids, where one that is repeated counts once', async () => {
    const filter = await crowd('named', 230);
    const { data } = (await root.get(`identities?limit=230&filter=${encodeURIComponent(filter)}`)).json;
    const ids = data.map(({ id }: { id: string }) => id);
    const some = ids.slice(0, 220);
    const body = { ids: [...some, ...some], action: 'disable' };
    const id = createdId(await root.call('POST', jobs, body));
    assert.equal((await carryOn(id)).json.data.preview.matched, 220);
    assert.equal((await carryOn(id, { confirmed: true })).json.data.done, 220);
    assert.equal(await numberOf(`${filter} and disabledAt = null`), 10);
    assertRefused(await root.call('POST', jobs, { ...body, ids: [...ids, 'nobody'] }), 'ids');
  });
});
