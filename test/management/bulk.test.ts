// One change or action for many identities, all of them or none.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assertRefused,
  type Caller,
  createdId,
  imported,
  loggedIn,
  password,
  rootOf,
} from '../support/management.ts';
import { isFullSize } from '../support/size.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const root = await rootOf(server);

let groups = 0;
/** Some people with an attribute of their own. */
async function group(
  size: number,
  more: object = {},
): Promise<{ attribute: string; ids: string[]; filter: string }> {
  groups += 1;
  const attribute = `group-${groups}`;
  const ids: string[] = [];
  for (let at = 0; at < size; at += 1) {
    const body = { name: `${attribute} ${at}`, type: 'User', roleAttributes: [attribute], ...more };
    ids.push(createdId(await root.call('POST', 'identities', body)));
  }
  return { attribute, ids, filter: `roleAttributes contains "${attribute}"` };
}

const bulk = (body: object, by: Caller = root) => by.call('POST', 'identities/bulk', body);
const preview = (body: object, by: Caller = root) => by.call('POST', 'identities/bulk/preview', body);
const read = async (id: string) => (await root.get(`identities/${id}`)).json.data;

const importing = (csv: string | Buffer, query = '') => imported(server, root, { csv, query });

describe('a change of many', () => {
  test('takes a role attribute away however its letters are composed', async () => {
    const { ids, filter } = await group(1);
    const id = ids[0] as string;
    assert.equal((await bulk({ filter, change: { addRoleAttributes: ['Bu\u0308ro'] } })).status, 200);
    assert.ok((await read(id)).roleAttributes.includes('B\u00fcro'));
    const change = { removeRoleAttributes: [' Bu\u0308ro'] };
    assert.equal((await bulk({ filter, change })).status, 200);
    assert.ok(!(await read(id)).roleAttributes.includes('B\u00fcro'));
  });

  test('shows the policies of a list of role attributes however its letters are composed', async () => {
    const { filter } = await group(2);
    const policy = { name: 'of the bureau', assignTo: ['Bu\u0308ro 2'], secondary: { requireTotp: true } };
    createdId(await root.call('POST', 'auth-policies', policy));
    const shown = await preview({ filter, change: { roleAttributes: [' Bu\u0308ro 2'] } });
    assert.equal(shown.json.data.policy?.touched.count, 2, shown.text);
  });

  test('names a policy of a table however its letters are composed', async () => {
    createdId(await root.call('POST', 'auth-policies', { name: 'K\u00fcche' }));
    const tried = await importing('name,authPolicy\ncook,Ku\u0308che\n', '?dryRun=true');
    assert.deepEqual(tried.json.data.problems, [], tried.text);
  });

  test('finds a name that is taken, in any form and also by force, before anything is made', async () => {
    const names = ['Z\u00fcrich', '\u0393\u03b9\u03ac\u03bd\u03bd\u03b7\u03c2'];
    for (const name of names) createdId(await root.call('POST', 'identities', { name }));
    const csv = `name\nZu\u0308rich\n${names[1]}\n`;
    for (const query of ['?dryRun=true', '?dryRun=true&force=true']) {
      const tried = await importing(csv, query);
      const taken = { column: 'name', reason: 'is already taken' };
      assert.deepEqual(
        tried.json.data.problems,
        [2, 3].map((line) => ({ line, ...taken })),
        `${query} ${tried.text}`,
      );
    }
  });

  test('gives everybody whom a filter selects another policy, with one audit event each', async () => {
    const { ids, filter } = await group(10);
    const authPolicyId = createdId(
      await root.call('POST', 'auth-policies', { name: 'code too', secondary: { requireTotp: true } }),
    );
    const change = { authPolicyId, addRoleAttributes: ['seen'] };
    const before = await preview({ filter, change });
    assert.equal(before.status, 200, before.text);
    const { matched, refused, policy, objection } = before.json.data;
    assert.deepEqual([matched, refused.count, policy.touched.count, policy.asksMore.count], [10, 0, 10, 10]);
    assert.equal(objection, null);
    assert.notEqual((await read(ids[0] as string)).authPolicyId, authPolicyId);

    const answer = await bulk({ filter, change, matched: 10 });
    assert.equal(answer.status, 200, answer.text);
    const { reference } = answer.json.data;
    for (const id of ids) {
      const { authPolicyId: now, roleAttributes } = await read(id);
      assert.equal(now, authPolicyId);
      assert.ok(roleAttributes.includes('seen') && roleAttributes.length === 2);
    }
    const events = await root.get(
      `audit-events?limit=50&filter=${encodeURIComponent(`requestId="${reference}"`)}`,
    );
    const changed = events.json.data.filter(({ event }: { event: string }) => event === 'admin.changed');
    assert.equal(changed.length, 10);
  });

  test('is made for all or for none', async () => {
    const { ids, filter } = await group(3);
    const [first = '', second = ''] = ids;
    await root.call('PATCH', `identities/${second}`, { externalId: 'x', email: 'a@b.example' });
    const refused = await bulk({ filter, change: { emailVerified: true } });
    assertRefused(refused, 'emailVerified');
    assert.match(refused.json.error.message, /Nothing was changed/);
    assert.equal((await read(second)).emailVerified, false);
    const before = (await preview({ filter, change: { emailVerified: true } })).json.data;
    assert.equal(before.refused.count, 2);
    assertRefused(await bulk({ ids: [first, 'nobody'], action: 'disable' }), 'ids');
    assert.equal((await read(first)).disabled, false);
  });

  test('refuses what is for one person, more than one kind of work, and everybody by mistake', async () => {
    const { filter, ids } = await group(1);
    const refusals: [object, string][] = [
      [{ filter, change: { name: 'same' } }, 'change.name'],
      [{ filter, change: { externalId: 'same' } }, 'change.externalId'],
      [{ filter, change: {} }, 'change'],
      [{ filter }, 'change'],
      [{ filter, change: { tags: {} }, action: 'delete' }, 'action'],
      [{ filter, ids, action: 'delete' }, 'ids'],
      [{ action: 'delete' }, 'filter'],
      [{ filter: ' ', action: 'delete' }, 'filter'],
      [{ filter: `${filter} or name contains ""`, action: 'delete' }, 'filter'],
      [{ filter: 'not (isAdmin = true or name icontains "")', action: 'delete' }, 'filter'],
      [{ filter: `${filter} limit 1`, action: 'delete' }, 'filter'],
      [{ ids: [], action: 'delete' }, 'ids'],
    ];
    for (const [body, field] of refusals)
      for (const ask of [bulk, preview]) assertRefused(await ask(body), field);
    assertRefused(await bulk({ filter: 'nonsense', action: 'delete' }), 400, 'INVALID_FILTER');
    assert.equal((await bulk({ filter, action: 'delete', matched: 2 })).status, 409);
    assert.equal((await read(ids[0] as string)).disabled, false);
  });

  test('is for administrators: a permission helps one person at a time', async () => {
    const { filter } = await group(1);
    for (const permission of ['helpdesk', 'read']) {
      await server.createUser({ name: permission, password });
      const found = await root.get(`identities?filter=${encodeURIComponent(`name="${permission}"`)}`);
      await root.call('PATCH', `identities/${found.json.data[0].id}`, { permissions: [permission] });
      const limited = await loggedIn(server, permission);
      for (const ask of [bulk, preview])
        for (const action of ['invite', 'end-sessions', 'delete'])
          assert.equal((await ask({ filter, action }, limited)).status, 403);
    }
  });

  test('leaves an administrator who can log in', async () => {
    for (const action of ['delete', 'disable']) {
      assert.equal((await bulk({ filter: 'isAdmin=true', action })).status, 409);
      const { objection, administrators } = (await preview({ filter: 'isAdmin=true', action })).json.data;
      assert.match(objection, /no administrator/);
      assert.equal(administrators, 1);
    }
    assert.equal((await bulk({ filter: 'isAdmin=true', change: { isAdmin: false } })).status, 409);
    assert.equal((await root.get('identities')).status, 200);
  });
});

describe('an action for many', () => {
  test('invites with one link for each, disables, enables, ends sessions and deletes', async () => {
    const { ids, filter } = await group(4);
    const invited = await bulk({ ids, action: 'invite', expiresIn: '2h' });
    assert.equal(invited.status, 200, invited.text);
    const links: { id: string; name: string; url: string }[] = invited.json.data.invitations;
    assert.equal(new Set(links.map(({ url }) => url)).size, 4);
    const [{ name, url }] = links as [(typeof links)[0]];
    const t = new URL(url).searchParams.get('t') ?? '';
    const secret = 'nine purple lanterns';
    const chosen = await server.post('/invite', { form: { t, password: secret, repeated: secret } });
    assert.equal(chosen.status, 200, chosen.text);
    const person = await loggedIn(server, name, secret);

    await bulk({ filter, action: 'end-sessions' });
    assert.equal((await person.get('/edge/client/v1/current-identity')).status, 401);
    await bulk({ filter, action: 'disable' });
    for (const id of ids) assert.equal((await read(id)).disabled, true);
    assert.equal((await bulk({ filter, action: 'invite' })).status, 409);
    await bulk({ filter, action: 'enable' });
    for (const id of ids) assert.equal((await read(id)).disabled, false);
    assert.equal((await bulk({ filter, action: 'delete' })).json.data.matched, 4);
    for (const id of ids) assert.equal((await root.get(`identities/${id}`)).status, 404);
  });

  test('reaches thousands at once, and no more than ten thousand', async () => {
    const most = isFullSize ? 10_000 : 1000;
    const lines = Array.from({ length: most }, (_, at) => `crowd ${at},User,crowd`);
    const csv = ['name,type,roleAttributes', ...lines].join('\n');
    assert.equal((await importing(csv)).json.data.created.length, most);
    const answer = await bulk({ filter: 'roleAttributes contains "crowd"', action: 'delete' });
    assert.equal(answer.json.data?.matched, most, answer.text);
  });
});

describe('people from a table', () => {
  test('are checked row by row before any is made', async () => {
    createdId(await root.call('POST', 'identities', { name: 'Taken', type: 'User', externalId: 'ext-1' }));
    const csv = [
      'name;type;externalId;email;roleAttributes;authPolicy',
      'Ada;user;ext-2;ada@example.com;"sales, berlin";Default',
      'Taken;;;;;',
      'Grace;;ext-1;;;',
      ';;;;sales;',
      'Ada;;;;;',
      'Bob;Robot;;;;',
      'Carol;;;;;No such policy',
      '"two\nlines";;;not an address;;',
    ].join('\r\n');
    for (const query of ['?dryRun=true', '']) {
      const { json, status } = await importing(csv, query);
      assert.equal(status, 200);
      const { rows, created, problems } = json.data;
      assert.deepEqual([rows, created], [8, []]);
      const found = new Set(
        problems.map(({ line, column }: { line: number; column: string }) => `${line} ${column}`),
      );
      const wanted = ['3 name', '4 externalId', '5 name', '6 name', '7 type', '8 authPolicy', '9 name'];
      for (const one of wanted) assert.ok(found.has(one), `${one} in ${[...found]}`);
      const lines = problems.map(({ line }: { line: number }) => line);
      assert.deepEqual(
        lines,
        lines.toSorted((a: number, b: number) => a - b),
        'in the order of the table',
      );
    }
    assert.equal((await root.get('identities?filter=name%3D%22Ada%22')).json.data.length, 0);
  });

  test('may be separated by commas, semicolons or tabs, and an unknown column is named', async () => {
    for (const separator of [',', ';', '\t']) {
      const csv =
        ['name', 'externalId'].join(separator) +
        '\n' +
        ['Tab, the', ''].map((cell) => `"${cell}"`).join(separator);
      const { data } = (await importing(csv, '?dryRun=true')).json;
      assert.deepEqual([data.rows, data.problems], [1, []], JSON.stringify(separator));
    }
    const refused = await importing('name\tphone\nAda\t1\n', '?dryRun=true');
    assertRefused(refused, 400, 'COULD_NOT_VALIDATE');
    assert.match(refused.text, /has an unknown column ..phone..; known are name/);
  });

  test('with a name that only looks like another one are refused with its line, unless insisted on', async () => {
    createdId(await root.call('POST', 'identities', { name: 'Robert Oppen', type: 'User' }));
    const csv = 'name\nHedy\nRоbert Oppen\nHEDY\nrobert  oppen\n';
    for (const query of ['?dryRun=true', '']) {
      const { problems, created } = (await importing(csv, query)).json.data;
      const lines = problems.map(({ line, column }: { line: number; column: string }) => `${line} ${column}`);
      assert.deepEqual([...new Set(lines)].sort(), ['3 name', '4 name', '5 name']);
      assert.match(JSON.stringify(problems), /passes for a name of the identity.*Robert Oppen/);
      assert.deepEqual(created, []);
    }
    const { created } = (await importing('name\nRоbert Oppen\n', '?force=true')).json.data;
    assert.equal(created.length, 1);
  });

  test('are made together, with policy and attributes', async () => {
    const csv =
      '\ufeffname,email,roleAttributes,authPolicy\n"Lovelace, Ada",ada@example.com,"sales|berlin",Default\nGrace,,,\n';
    assert.equal((await importing(csv, '?dryRun=true')).json.data.problems.length, 0);
    const { created } = (await importing(csv)).json.data;
    assert.equal(created.length, 2);
    const ada = await read(created[0].id);
    assert.deepEqual(
      [ada.name, ada.email, ada.roleAttributes, ada.typeId],
      ['Lovelace, Ada', 'ada@example.com', ['sales', 'berlin'], 'User'],
    );
    assert.equal((await importing(csv)).json.data.problems.length, 2);
  });

  test('need a table with known columns', async () => {
    for (const csv of [
      '',
      'name',
      'nam,type\nx,y',
      'type\nUser',
      'name,name\na,b',
      'name\n"open',
      'name,isAdmin\nx,true',
    ]) {
      const answer = await importing(csv);
      assert.equal(answer.status, 400, JSON.stringify(csv));
    }
    const many = `name\n${'x\n'.repeat(10_001)}`;
    assert.equal((await importing(many)).status, 400);
  });

  test('are read no further than a table may have cells, with any contents', async () => {
    const size = 4 * 1024 * 1024 - 100;
    for (const part of [',', '\r', 'a\n', '"",']) {
      const answer = await importing(`name\n${part.repeat(size / part.length)}`, '?dryRun=true');
      assertRefused(answer, 400, 'COULD_NOT_VALIDATE');
      assert.match(answer.text, /more than 180000 cells/, JSON.stringify(part));
    }
    const padded = `name,type\r\n${',,,\r\n'.repeat(20_000)}"Ten\r\nlines",`;
    const { rows } = (await importing(padded, '?dryRun=true')).json.data;
    assert.equal(rows, 1);
  });

  test('of hostile programs are read as what they say, or refused before any is made', async () => {
    const before = (await root.get('identities?limit=1')).json.meta.pagination.totalCount;
    const lines = Array.from({ length: 50_000 }, (_, at) => `person ${at}`).join('\n');
    assertRefused(await importing(`name\n${lines}`), 'body');
    const inUtf16 = Buffer.from('\ufeffname\nAda\n', 'utf16le');
    const inLatin1 = Buffer.from('name\nM\xfcller\n', 'latin1');
    for (const table of [inUtf16, inLatin1]) {
      const answer = await importing(table);
      assert.equal(answer.status, 400, answer.text);
    }
    for (const [csv, line] of [
      ['name\nfine\nzero\u0000byte\n', 3],
      ['name\nfine\n"line\nbreak"\n', 3],
      [`name\n${'x'.repeat(300)}\n`, 2],
      ['name\nright\u202eto left\n', 2],
      ['name,email\nfine,\nother,a@b@c\n', 3],
      ['name\nsame\nother\nSAME\n', 4],
    ] as const) {
      const { problems, created } = (await importing(csv)).json.data ?? { problems: [{ line }], created: [] };
      assert.deepEqual(created, [], csv.slice(0, 40));
      assert.ok(
        problems.some((problem: { line: number }) => problem.line === line),
        csv.slice(0, 40),
      );
    }
    assert.equal((await root.get('identities?limit=1')).json.meta.pagination.totalCount, before);
    // A formula is a name like any other here; lists that are exported for spreadsheets begin it with an apostrophe.
    const { created } = (await importing('name\n"=HYPERLINK(""https://evil.example"")"\n')).json.data;
    assert.equal(created[0].name, '=HYPERLINK("https://evil.example")');
  });
});
