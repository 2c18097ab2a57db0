// Many people at once at the console, in a real browser against a real controller.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { narrow, screenshot } from '../support/browser.ts';
import { createdId, imported, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { announced, assertClean, atConsole, colleague, held } from './console-support.ts';

const admin = colleague(() => server, 'root');
const germanAdmin = colleague(() => server, 'root', { viewport: narrow, language: 'de' });
const server = await startTestServer({ signing: true });
const root = await rootOf(server);
await server.createUser({ name: 'team lead', password });
after(async () => {
  await admin.close();
  await germanAdmin.close();
  await server.close();
});

/** Some people with an attribute of their own; returns their ids. */
async function group(attribute: string, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < size; at += 1) {
    const id = await server.createUser({ name: `${attribute} ${String(at).padStart(2, '0')}`, password });
    await root.call('PATCH', `identities/${id}`, { roleAttributes: [attribute] });
    ids.push(id);
  }
  return ids;
}

const read = async (id: string) => (await root.get(`identities/${id}`)).json.data;

/** Lets the call of an earlier check through. Returns when the page has had its answer. */
async function letThrough(page: Page, earlier: Awaited<ReturnType<typeof held>>): Promise<void> {
  const answered = page.waitForResponse('**/continue');
  await earlier.release();
  await answered;
  // Chromium may not report the end of an answer whose request was held. The answer to a later request comes after it.
  await page.evaluate('fetch(location.href).then((answer) => answer.text())');
}

/** Shows what the work would touch and does it. */
async function checkAndDo(page: Page): Promise<void> {
  await page.locator('#many-check').click();
  await page.locator('#many-do').click();
  await page.locator('#many-done').waitFor();
}

const close = (page: Page) => page.getByRole('alertdialog').getByRole('button', { name: 'Close' }).click();

describe('many people', () => {
  test('get another policy together, after it is shown whom it would lock out', async () => {
    const ids = await group('sales', 10);
    const policy = { name: 'code too', secondary: { requireTotp: true } };
    const authPolicyId = createdId(await root.call('POST', 'auth-policies', policy));
    const closed = { name: 'closed', primary: { updb: { allowed: false }, cert: { allowed: false } } };
    const closedId = createdId(await root.call('POST', 'auth-policies', closed));
    await using guest = await admin.at('/console/people?role=sales');
    const { page } = guest;
    await page.locator('#pick-page').check();
    await page.locator('#picked').filter({ hasText: '10 selected' }).waitFor();
    await assertClean(guest);
    await page.locator('#many').click();
    await page.locator('#many-policy').selectOption(closedId);
    await page.locator('#many-check').click();
    await page.getByText('10 people could no longer sign in:').waitFor();
    // Another choice has to be checked anew.
    await page.locator('#many-policy').selectOption(authPolicyId);
    await page.locator('#many-check').click();
    await page.getByText('10 people would be asked for more than now.').waitFor();
    await page.getByText('No person would be locked out.').waitFor();
    assert.equal((await read(ids[0] as string)).authPolicyId === authPolicyId, false);
    await page.locator('.same summary').click();
    const command = (await page.locator('.same pre').first().textContent()) ?? '';
    const filter = `'roleAttributes contains "sales"'`;
    assert.equal(command, `overlay-auth update identity --filter ${filter} --auth-policy ${authPolicyId}`);
    await assertClean(guest);
    await screenshot(page, 'console-many');
    await page.locator('#many-do').click();
    await page.locator('#many-done').waitFor();
    await announced(page, 'Done for 10 people');
    for (const id of ids) assert.equal((await read(id)).authPolicyId, authPolicyId);
    await assertClean(guest);
    await page.locator('#many-done a').click();
    await page.waitForURL(/\/console\/audit\?reference=/);
    await page.getByText('to 10 of 10').waitFor();
  });

  test('are asked about like one whose policy is changed in the form', async () => {
    const [id = ''] = await group('single', 1);
    await using guest = await admin.at(`/console/people/${id}/edit`);
    const { page } = guest;
    await page.locator('#field-authPolicyId').selectOption({ label: 'closed' });
    await page.locator('#save').click();
    const question = page.getByRole('alertdialog');
    await question.getByText('1 person could no longer sign in:').waitFor();
    await assertClean(guest);
    await page.keyboard.press('Escape');
    assert.notEqual((await read(id)).authPolicy.name, 'closed');
  });

  test('are all that match, without those whose box is cleared, beyond the page', async () => {
    const ids = await group('crowd', 27);
    await using guest = await admin.at('/console/people?role=crowd');
    const { page } = guest;
    await page.locator('#pick-all').click();
    await page.locator('#picked').filter({ hasText: '27 selected' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select crowd 00' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.locator('#picked').filter({ hasText: '25 selected' }).waitFor();
    await page.locator('#many').press('Enter');
    await page.locator('#many-kind').selectOption('attributes');
    await page.locator('#many-add').fill('seen, twice');
    await page.locator('#many-remove').fill('crowd');
    await checkAndDo(page);
    await close(page);
    // The list is read again, and has only the two who were left.
    await page.getByText('1 to 2 of 2').waitFor();
    for (const [at, id] of ids.entries()) {
      const { roleAttributes } = await read(id);
      assert.deepEqual([...roleAttributes].sort(), at < 2 ? ['crowd'] : ['seen', 'twice']);
    }
  });

  test('of whom there are many are changed a piece at a time, with a bar', async () => {
    const rows = Array.from({ length: 1100 }, (_, at) => `throng ${at},throng`);
    const made = await imported(server, root, { csv: ['name,roleAttributes', ...rows].join('\n') });
    assert.equal(made.json.data.created.length, 1100, made.text);
    await using guest = await admin.at('/console/people?role=throng');
    const { page } = guest;
    await page.locator('#pick-all').click();
    await page.locator('#many').click();
    await page.locator('#many-kind').selectOption('disable');
    await page.locator('#many-check').click();
    await page.locator('#many-do').filter({ hasText: '1100 people' }).waitFor();
    await assertClean(guest);
    // The second call waits, so that the bar is there to be looked at.
    let calls = 0;
    const looked = Promise.withResolvers<void>();
    await page.route('**/continue', async (route) => {
      calls += 1;
      if (calls === 2) await looked.promise;
      await route.continue();
    });
    await page.locator('#many-do').click();
    await page
      .locator('#many-far')
      .filter({ hasText: /^\d+ of 1100 people done$/ })
      .waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-many-progress');
    looked.resolve();
    await page.locator('#many-done').filter({ hasText: 'Done for 1100 people' }).waitFor();
    const left = await root.get(`identities?limit=1&filter=${encodeURIComponent('name="throng 1099"')}`);
    assert.equal(left.json.data[0].disabled, true);
  });

  test('are shown as they are when the work stops on its way, and the rest is done from the list', async () => {
    const rows = Array.from({ length: 1100 }, (_, at) => `walker ${at},walkers`);
    const made = await imported(server, root, { csv: ['name,roleAttributes', ...rows].join('\n') });
    assert.equal(made.json.data.created.length, 1100, made.text);
    await using guest = await admin.at('/console/people?role=walkers');
    const { page } = guest;
    await page.locator('#pick-all').click();
    await page.locator('#many').click();
    await page.locator('#many-kind').selectOption('disable');
    await page.locator('#many-check').click();
    await page.locator('#many-do').waitFor();
    let calls = 0;
    await page.route('**/continue', (route) => {
      calls += 1;
      return calls === 2 ? route.abort('internetdisconnected') : route.continue();
    });
    await page.locator('#many-do').click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('The server cannot be reached').waitFor();
    await dialog.getByText(/Done for \d+ people/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('tbody .badge').filter({ hasText: 'Disabled' }).first().waitFor();
    const stopped = page.locator('.stopped-job').filter({ hasText: 'Disable' });
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await stopped.filter({ hasText: 'Done for 1100 people' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('keep their last administrator, which is said without the words of programs', async () => {
    await using guest = await admin.at('/console/people');
    const { page } = guest;
    const owners = await held(page, '**/authenticators?*');
    await page.locator('#filter-q').fill('root');
    await owners.asked;
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    await page.locator('#pick-page').check();
    // The list is read again when it is known whose user name fits. What was picked stays.
    const again = page.waitForResponse(
      (answer) => new URL(answer.url()).searchParams.get('filter')?.includes('id in') === true,
    );
    await owners.release();
    await again;
    await page.locator('#many').click();
    await page.locator('#many-kind').selectOption('delete');
    await page.locator('#many-check').click();
    await page.locator('#many-found').getByText('no administrator could sign in').waitFor();
    assert.doesNotMatch(await page.getByRole('alertdialog').innerText(), /force/);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('are invited, disabled, enabled and deleted', async () => {
    const ids = await group('team', 3);
    await using guest = await admin.at('/console/people?role=team');
    const { page } = guest;
    const doAll = async (kind: string) => {
      await page.locator('#many').click();
      await page.locator('#many-kind').selectOption(kind);
      await checkAndDo(page);
    };
    await page.locator('#pick-page').check();
    await doAll('invite');
    const links = await page.locator('#many-links').inputValue();
    assert.equal(links.match(/\/invite\?t=/g)?.length, 3);
    await assertClean(guest);
    await close(page);
    await doAll('disable');
    await close(page);
    for (const id of ids) assert.equal((await read(id)).disabled, true);
    await doAll('enable');
    await close(page);
    const person = await loggedIn(server, 'team 00');
    await doAll('end-sessions');
    await close(page);
    assert.equal((await person.get('/edge/client/v1/current-identity')).status, 401);
    await doAll('delete');
    await close(page);
    await page.getByText('No person matches').waitFor();
    for (const id of ids) assert.equal((await root.get(`identities/${id}`)).status, 404);
  });

  test('get their links also when a field is changed, or Escape is pressed, while they are made', async () => {
    await group('late', 2);
    await using guest = await admin.at('/console/people?role=late');
    const { page } = guest;
    await page.locator('#pick-page').check();
    await page.locator('#many').click();
    await page.locator('#many-kind').selectOption('invite');
    await page.locator('#many-check').click();
    await page.locator('#many-do').waitFor();
    const work = await held(page, '**/identities/bulk');
    await page.locator('#many-do').click();
    await work.asked;
    await page.locator('#many-hours').fill('48');
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('button', { name: 'Cancel' }).isDisabled(), true);
    await work.release();
    await page.locator('#many-links').waitFor();
    await close(page);
  });

  test('get the work that was checked last, though an earlier check ends after it', async () => {
    const csv = ['name,roleAttributes', ...Array.from({ length: 101 }, (_, at) => `sailor ${at},sailors`)];
    assert.equal((await imported(server, root, { csv: csv.join('\n') })).json.data.created.length, 101);
    await using guest = await admin.at('/console/people?role=sailors');
    const { page } = guest;
    await page.locator('#pick-all').click();
    await page.locator('#many').click();
    await page.locator('#many-kind').selectOption('delete');
    const earlier = await held(page, '**/continue');
    await page.locator('#many-check').click();
    await earlier.asked;
    await page.locator('#many-kind').selectOption('disable');
    await page.locator('#many-check').click();
    await page.locator('#many-do').filter({ hasText: '101 people' }).waitFor();
    await letThrough(page, earlier);
    await page.locator('#many-do').click();
    await page.locator('#many-done').waitFor();
    await close(page);
    const filter = encodeURIComponent('roleAttributes contains "sailors" and disabledAt != null');
    assert.equal(
      (await root.get(`identities?limit=1&filter=${filter}`)).json.meta.pagination.totalCount,
      101,
    );
  });

  test('are left as they are if it is not possible for one, or the selection is another now', async () => {
    const ids = await group('slow', 2);
    await using guest = await admin.at('/console/people?role=slow');
    const { page } = guest;
    await page.locator('#pick-page').check();
    await root.call('POST', `identities/${ids[0]}/disable`, {});
    await page.locator('#many').click();
    await page.locator('#many-kind').selectOption('invite');
    await page.locator('#many-check').click();
    await page.locator('#many-found').getByText('It is not possible for 1 person:').waitFor();
    assert.equal(await page.locator('#many-do').count(), 0);
    await page.locator('#many-kind').selectOption('end-sessions');
    await page.locator('#many-check').click();
    await page.locator('#many-do').waitFor();
    await root.call('DELETE', `identities/${ids[1]}`);
    await page.locator('#many-do').click();
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    assert.equal(await page.locator('#many-done').count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  });

  test('are chosen in a narrow window in German', async () => {
    await group('schmal', 2);
    await using guest = await germanAdmin.at('/console/people?role=schmal');
    const { page } = guest;
    await page.getByRole('checkbox', { name: 'schmal 01 auswählen' }).check();
    await page.locator('#picked').filter({ hasText: '1 ausgewählt' }).waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-many-narrow');
    await page.locator('#many').click();
    for (const kind of ['attributes', 'invite', 'disable', 'policy']) {
      await page.locator('#many-kind').selectOption(kind);
      await assertClean(guest);
    }
    await page.locator('#many-kind').selectOption('disable');
    await checkAndDo(page);
    await assertClean(guest);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Schließen' }).click();
  });

  test('are for administrators: helpers help one at a time', async () => {
    const helperId = await server.createUser({ name: 'helper', password });
    await root.call('PATCH', `identities/${helperId}`, { permissions: ['helpdesk'] });
    await using guest = await atConsole(server, 'helper', '/console/people');
    const { page } = guest;
    await page.locator('tbody tr').first().waitFor();
    assert.equal(await page.locator('#pick-page, #many, tbody input, #import').count(), 0);
  });
});

describe('people from a table', () => {
  const table = (text: string | Buffer) => ({
    name: 'new people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(text as string),
  });

  test('are added after a check, and one who is invited then signs in', async () => {
    createdId(await root.call('POST', 'identities', { name: 'Taken', type: 'User' }));
    await using guest = await admin.at('/console/people');
    const { page } = guest;
    await page.locator('#import').click();
    const check = async (text: string | Buffer) => {
      await page.locator('#csv').setInputFiles(table(text));
      await page.locator('#import-check').click();
    };
    await check('name,authPolicy\nTaken,\nAda,No such policy\n');
    const cells = page.locator('#import-problems tbody tr');
    await cells.first().waitFor();
    const rows = await cells.evaluateAll((found) =>
      found.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
    );
    assert.deepEqual(rows, [
      ['2', 'name', 'is already taken'],
      ['3', 'authPolicy', 'names no auth policy'],
    ]);
    await assertClean(guest);
    await screenshot(page, 'console-import');
    assert.equal(await page.locator('#import-add').count(), 0);
    // Not read with replacement characters.
    for (const [refused, why] of [
      ['nam\nAda', '[role=alert]'],
      [Buffer.from('name\nM\xfcller', 'latin1'), '#csv-problem'],
    ] as const) {
      await check(refused);
      await page.locator(why).waitFor();
      assert.equal(await page.locator('#import-add, #import-problems').count(), 0);
    }

    await check('name;externalId;roleAttributes\nAda Müller;ada-1;new|berlin\nGrace;;new\n');
    await page.locator('#import-ready').filter({ hasText: '2 people can be added' }).waitFor();
    const found = async () =>
      (await root.get(`identities?filter=${encodeURIComponent('name="Grace"')}`)).json;
    assert.equal((await found()).data.length, 0);
    await page.locator('#import-add').click();
    await announced(page, '2 people added');
    await page.getByRole('link', { name: 'Ada Müller' }).waitFor();
    await assertClean(guest);
    assert.deepEqual((await found()).data[0].roleAttributes, ['new']);

    await page.locator('#many').click();
    await checkAndDo(page);
    const [link = ''] = (await page.locator('#many-links').inputValue()).match(/https:\S+/) ?? [];
    const t = new URL(link).searchParams.get('t') ?? '';
    const secret = 'nine purple lanterns';
    const chosen = await server.post('/invite', { form: { t, password: secret, repeated: secret } });
    assert.equal(chosen.status, 200, chosen.text);
    await loggedIn(server, 'Ada Müller', secret);
    await close(page);
  });

  test('are those of a file that was corrected, as it is when it is chosen again', async () => {
    await using guest = await admin.at('/console/people/import');
    const { page, context } = guest;
    const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-import-'));
    const file = join(folder, 'people.csv');
    // As the browser does it: it reports no change when the file is the same one.
    const browser = await context.newCDPSession(page);
    const check = async (csv: string) => {
      writeFileSync(file, csv);
      const chooser = page.waitForEvent('filechooser');
      await page.locator('#csv').click();
      await chooser;
      const { root: of } = await browser.send('DOM.getDocument');
      const { nodeId } = await browser.send('DOM.querySelector', { nodeId: of.nodeId, selector: '#csv' });
      await browser.send('DOM.setFileInputFiles', { nodeId, files: [file] });
      await page.locator('#import-check').click();
    };
    await check('name,authPolicy\nLena,No such policy\n');
    await page.locator('#import-problems').waitFor();
    await check('name\nLena\n');
    await page.locator('#import-ready').waitFor();
    await browser.detach();
    rmSync(folder, { recursive: true });
  });

  test('are those of the table that was checked last, though an earlier check ends after it', async () => {
    await using guest = await admin.at('/console/people/import');
    const { page } = guest;
    const earlier = await held(page, '**/continue');
    const rows = Array.from({ length: 101 }, (_, at) => `stowaway ${at}`);
    await page.locator('#csv').setInputFiles(table(['name', ...rows].join('\n')));
    await page.locator('#import-check').click();
    await earlier.asked;
    await page.locator('#csv').setInputFiles(table('name\nPassenger\n'));
    await page.locator('#import-check').click();
    await page.locator('#import-ready').filter({ hasText: '1 person can be added' }).waitFor();
    await letThrough(page, earlier);
    await page.locator('#import-add').click();
    await announced(page, '1 person added');
    await page.getByRole('link', { name: 'Passenger' }).waitFor();
    const filter = encodeURIComponent('name contains "stowaway"');
    assert.equal((await root.get(`identities?limit=1&filter=${filter}`)).json.meta.pagination.totalCount, 0);
  });

  test('of whom there are many are added a piece at a time, with a bar, and after a stop from the list', async () => {
    const guest = await admin.at('/console/people/import');
    const { page } = guest;
    const rows = Array.from({ length: 1100 }, (_, at) => `settler ${at},settlers`);
    await page.locator('#csv').setInputFiles(table(['name,roleAttributes', ...rows].join('\n')));
    // The second call of the check and of the work wait, so that the bar is there to be looked at; that of the work does not
    // arrive then.
    let calls = 0;
    const seen = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    await page.route('**/continue', async (route) => {
      calls += 1;
      if (calls === 2) await seen.promise;
      if (calls !== 4) return route.continue();
      await looked.promise;
      await route.abort('internetdisconnected');
    });
    await page.locator('#import-check').click();
    await page
      .locator('#many-far')
      .filter({ hasText: /^1000 of 1100 people checked$/ })
      .waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-import-check');
    seen.resolve();
    await page.locator('#import-ready').filter({ hasText: '1100 people can be added' }).waitFor();
    await page.locator('#import-add').click();
    await page
      .locator('#many-far')
      .filter({ hasText: /^1000 of 1100 people done$/ })
      .waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-import-progress');
    // No request waits for it: a login completes, and the table still stands where it stood.
    await loggedIn(server, 'team lead');
    const [job] = (await root.get('identities/bulk/jobs')).json.data;
    assert.deepEqual([job.action, job.state, job.done], ['import', 'working', 1000]);
    looked.resolve();
    await page.getByRole('alert').waitFor();
    const stopped = page.locator('.stopped-job').filter({ hasText: 'Adding people from a table' });
    await stopped.waitFor();
    await assertClean(guest);

    await guest.close();
    await using later = await admin.at('/console/people?role=settlers');
    await stopped.filter({ hasText: '1000 of 1100 people done' }).waitFor();
    await assertClean(later);
    await screenshot(later.page, 'console-stopped-job');
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await stopped.filter({ hasText: 'Done for 1100 people' }).waitFor();
    await assertClean(later);
    await later.page.getByText('1 to 25 of 1100').waitFor();
    await later.page.reload();
    await later.page.getByText('1 to 25 of 1100').waitFor();
    assert.equal(await stopped.count(), 0);
    // An export says how far it is.
    await later.page.route(/identities\?.*offset=500/, async (route) => {
      await later.page.locator('#exported').filter({ hasText: '500 of 1100 rows read' }).waitFor();
      await route.continue();
    });
    await later.page.locator('#export-json').click();
    await later.page.locator('#exported').filter({ hasText: '1100 rows exported' }).waitFor();
    await assertClean(later);
  });

  test('are left as they are if the rest of a table is not wanted', async () => {
    const csv = ['name', ...Array.from({ length: 1100 }, (_, at) => `leaver ${at}`)].join('\n');
    const { job } = (await imported(server, root, { csv, query: '?asJob=true' })).json.data;
    for (let call = 0; call < 2; call += 1)
      await root.call('POST', `identities/bulk/jobs/${job.id}/continue`, {});
    await root.call('POST', `identities/bulk/jobs/${job.id}/continue`, { confirmed: true });
    await using guest = await germanAdmin.at('/console/people');
    const stopped = guest.page.locator('.stopped-job');
    await stopped.filter({ hasText: '1000 von 1100 Personen erledigt' }).waitFor();
    await assertClean(guest);
    await stopped.getByRole('button', { name: 'Den Rest nicht ausführen' }).click();
    await stopped.waitFor({ state: 'detached' });
    assert.equal((await root.get(`identities/bulk/jobs/${job.id}`)).status, 404);
  });

  test('are checked in a narrow window in German', async () => {
    await using guest = await germanAdmin.at('/console/people/import');
    const { page } = guest;
    await assertClean(guest);
    const [buttons, below] = await Promise.all([
      page.locator('form .buttons').boundingBox(),
      page.locator('form + .same').boundingBox(),
    ]);
    assert.ok(buttons !== null && below !== null);
    assert.ok(below.y - buttons.y - buttons.height >= 8, 'what follows the buttons keeps a distance');
    await page.locator('#csv').setInputFiles(table('name,email\nOtto,nothing\n'));
    await page.locator('#import-check').click();
    await page.locator('#import-problems').waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-import-narrow');
    // As spreadsheets save it unless they are told otherwise.
    for (const encoding of ['latin1', 'utf16le'] as const) {
      await page.locator('#csv').setInputFiles(table(Buffer.from('name\nJörg\n', encoding)));
      await page.locator('#csv-problem').getByText('Speichern Sie die Tabelle als „CSV UTF-8“').waitFor();
      await assertClean(guest);
    }
    await page.locator('#csv').setInputFiles(table('name\nJörg\n'));
    await page.locator('#import-check').click();
    await page.locator('#import-ready').getByText('1 Person kann hinzugefügt werden').waitFor();
    await assertClean(guest);
  });

  test('are for administrators', async () => {
    await using guest = await atConsole(server, 'helper', '/console/people/import');
    await guest.page.getByRole('alert').waitFor();
    assert.equal(await guest.page.locator('#csv').count(), 0);
  });
});
