// The applications that people may open from their account page.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { accessibilityProblems } from '../support/axe.ts';
import { screenshot, visitor } from '../support/browser.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { appRedirectUri, loginAt, registerClient } from '../support/oidc-clients.ts';
import { startTestServer } from '../support/test-server.ts';
import { assertClean, atConsole, giveLogin, phone } from './console-support.ts';

const server = await startTestServer();
const root = await rootOf(server);
after(() => server.close());

/** A PNG with one colour. Only Chromium looks at its checksums, which shows what it can. */
function png(side: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a', 'hex');
  const chunk = (kind: string, data: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(data.length);
    const body = Buffer.concat([Buffer.from(kind), data]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(side * (side + 1), 0x66);
  for (let at = 0; at < rows.length; at += side + 1) rows[at] = 0;
  return Buffer.concat([
    head,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const uriOf = (picture: Buffer) => `data:image/png;base64,${picture.toString('base64')}`;
const client = { type: 'public', redirectUris: ['https://wiki.example.com/callback'] };

test('only applications with an address that the person may use are listed', async () => {
  await server.createUser({ name: 'ada', password });
  createdId(
    await root.call('POST', 'oidc-clients', {
      ...{ ...client, name: 'Wiki', clientUri: 'https://wiki.example.com/', logoUri: uriOf(png(8)) },
    }),
  );
  createdId(
    await root.call('POST', 'oidc-clients', {
      ...{ ...client, name: 'Board', clientUri: 'https://board.example.com/' },
      initiateLoginUri: 'https://board.example.com/begin?a=1',
    }),
  );
  createdId(await root.call('POST', 'oidc-clients', { ...client, name: 'without a page' }));
  createdId(
    await root.call('POST', 'oidc-clients', {
      ...{ ...client, name: 'for staff', clientUri: 'https://staff.example.com/' },
      allowedRoleAttributes: ['staff'],
    }),
  );
  const ada = await loggedIn(server, 'ada');
  const { json } = await ada.get('/edge/client/v1/current-identity/applications');
  const begin = new URL('https://board.example.com/begin?a=1');
  begin.searchParams.set('iss', server.issuer);
  assert.deepEqual(
    json.data.map(({ name, url }: { name: string; url: string }) => [name, url]),
    [
      ['Board', begin.href],
      ['Wiki', 'https://wiki.example.com/'],
    ],
  );
});

test('a logo is a small PNG in the document, and pages are on the web', async () => {
  const refused = [
    { logoUri: 'https://tracker.example.com/logo.png' },
    { logoUri: 'data:image/svg+xml;base64,PHN2Zy8+' },
    { logoUri: `data:image/png;base64,${Buffer.from('<script>').toString('base64')}` },
    { logoUri: uriOf(png(600)) },
    { logoUri: uriOf(Buffer.concat([png(8), Buffer.alloc(17 * 1024)])) },
    { clientUri: 'javascript:alert(1)' },
    { clientUri: 'data:text/html,x' },
    { clientUri: 'https://wiki.\texample.com/' },
    { clientUri: 'https://ada:secret@wiki.example.com/' },
    { clientUri: 'https://bank.example.com@wiki.example.com/' },
    { initiateLoginUri: 'http://board.example.com/' },
    { initiateLoginUri: 'https://:secret@board.example.com/' },
  ];
  for (const fields of refused) {
    const answer = await root.call('POST', 'oidc-clients', { ...client, name: 'refused', ...fields });
    assertRefused(answer, 400, 'COULD_NOT_VALIDATE', Object.keys(fields)[0]);
  }
});

for (const [how, options] of [
  ['in English', {}],
  ['on a telephone in German, in the dark', { viewport: phone, language: 'de', colorScheme: 'dark' }],
] as const) {
  test(`the start page leads to them, and shows them to those who are signed in (${how})`, async () => {
    await using guest = await visitor(options);
    const { page } = guest;
    await page.goto(`${server.url}/`);
    await page.locator('#to-applications').click();
    await page.locator('#sign-in').click();
    await giveLogin(page, 'ada');
    await page.locator('nav').first().waitFor();
    await page.locator('a[href="#applications"]').click();
    await page.getByRole('link', { name: 'Wiki' }).waitFor();
    const width = `document.querySelector('.applications img').naturalWidth`;
    assert.equal(await page.evaluate(width), 8);
    await assertClean(guest);
    await page.goto(`${server.url}/`);
    await page.locator('#applications').getByRole('link', { name: 'Wiki' }).waitFor();
    assert.equal(await page.evaluate(width), 8);
    assert.equal(await page.locator('#applications li').count(), 2);
    assert.equal(await page.locator('#to-account').count(), 0);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `start-${how.slice(3, 10).trim()}`);
  });
}

test('people see at which application they are signed in, by its name', async () => {
  await server.createUser({ name: 'eva', password });
  const fields = { redirectUris: [appRedirectUri], clientUri: 'https://forum.example.com/' };
  const forum = await registerClient(root, { ...fields, name: 'Forum' });
  const hidden = await registerClient(root, { redirectUris: [appRedirectUri], name: 'Robot' });
  await loginAt(server, forum, 'eva');
  await loginAt(server, hidden, 'eva');
  await using guest = await visitor({ viewport: phone });
  const { page } = guest;
  await page.goto(`${server.url}/account#sessions`);
  await page.locator('#sign-in').click();
  await giveLogin(page, 'eva');
  await page.locator('nav a[href="#sessions"]').click();
  await page.locator('#end-others').waitFor();
  const sessions = page.locator('.cards').first();
  await sessions.getByText(/^Forum\. Signed in/).waitFor();
  await sessions.getByText(`Application ${hidden.id}. Signed in`).waitFor();
  await page.locator('section:has(#programs)').getByText('Forum', { exact: true }).waitFor();
  const [above, below] = await Promise.all([
    page.locator('#end-others').boundingBox(),
    page.locator('#programs').boundingBox(),
  ]);
  assert.ok(above !== null && below !== null);
  assert.ok(below.y - above.y - above.height >= 8, 'the next part keeps a distance');
  await assertClean(guest);
});

test('an administrator gives a logo in the console, which shows it before it is saved', async () => {
  await using guest = await atConsole(server, 'root', '/console/clients');
  const { page } = guest;
  await page.getByRole('link', { name: 'Board' }).click();
  await page
    .locator('#field-logoUri')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png(200) });
  await page.locator('#field-logoUri-preview').waitFor();
  await assertClean(guest);
  await page.locator('#save').click();
  await page.locator('#status').filter({ hasText: 'Saved' }).waitFor();
  const { json } = await root.get('oidc-clients?filter=name%20%3D%20%22Board%22');
  assert.match(json.data[0].logoUri, /^data:image\/png;base64,/);
});
