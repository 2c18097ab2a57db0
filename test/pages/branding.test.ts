// The operator's name, logo and colours on the pages.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brandingOf } from '../../src/controller/branding.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { screenshot, visitor } from '../support/browser.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorizationQuery } from '../support/flow.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, password, totpPolicy } from '../support/totp.ts';
import { givePassword } from './support.ts';

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><rect width="160" height="40" rx="8" fill="#0a7d5a"/></svg>`;

function withBranding(branding: Readonly<Record<string, unknown>>): (yaml: string) => string {
  const lines = Object.entries(branding).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`);
  return (yaml) => (lines.length === 0 ? yaml : `${yaml}\nbranding:\n${lines.join('')}`);
}

function logoFile(content: string | Buffer): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-logo-'));
  const path = join(folder, 'logo');
  writeFileSync(path, content);
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

test('name, logo and colour are on the page, served from here, and still readable', async () => {
  const logo = logoFile(svg);
  const logoDark = logoFile(svg.replace('160 40', '161 40'));
  const server = await startTestServer({
    configure: withBranding({
      name: 'Acme <Networks>',
      logo: logo.path,
      logoDark: logoDark.path,
      color: '#0a7d5a',
    }),
  });
  const { page, complaints, close } = await visitor();
  await page.goto(`${server.url}/oidc/authorization?${authorizationQuery()}`);
  assert.equal(await page.title(), 'Sign in · Acme <Networks>');
  const shown = page.getByAltText('Acme <Networks>');
  assert.ok(await shown.evaluate((element) => 'naturalWidth' in element && Number(element.naturalWidth) > 0));
  const button = await page.evaluate<string>(
    "getComputedStyle(document.getElementById('login')).backgroundColor",
  );
  assert.equal(button, 'rgb(10, 125, 90)');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityProblems(page), [], colorScheme);
    await screenshot(page, `branded-${colorScheme}`);
  }
  assert.deepEqual(complaints, []);
  /** Which of the two files is shown, once it is. */
  const shownFile = async () => {
    await shown.waitFor();
    return page.evaluate<string>(
      "(async (logo) => (await logo.decode(), new URL(logo.currentSrc).pathname))(document.querySelector('img.logo'))",
    );
  };
  const dark = await shownFile();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.reload();
  const path = (await shown.getAttribute('src')) ?? '';
  assert.equal(await shownFile(), path);
  assert.notEqual(dark, path);
  assert.match((await server.get(dark)).text, /0 0 161 40/);
  const file = await server.get(path);
  assert.equal(file.headers['content-type'], 'image/svg+xml');
  assert.match(String(file.headers['content-security-policy']), /default-src 'none'.*sandbox/);
  await page.goto(`${server.url}/account`);
  await page.locator('#sign-in').waitFor();
  assert.equal(await shownFile(), path);
  await close();
  await server.close();
  logo.remove();
  logoDark.remove();
});

test("without a logo there is still an icon, in the operator's colour", async () => {
  await using server = await startTestServer({ configure: withBranding({ color: '#0a7d5a' }) });
  for (const address of ['/', '/account']) {
    const page = await server.get(address, { headers: { accept: 'text/html' } });
    const path = /<link rel="icon" href="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const icon = await server.get(path);
    assert.equal(icon.headers['content-type'], 'image/svg+xml');
    assert.match(icon.text, /^<svg .*#0a7d5a/);
  }
});

test("the operator's help is where a person may have lost a proof, as a link or as text", async () => {
  const text = 'Locked out? Call <555>';
  const url = 'https://help.example.com/';
  for (const [help, shown] of [
    [{ text, url }, '<a href="https://help.example.com/">Locked out? Call &lt;555&gt;</a>'],
    [{ text }, 'Locked out? Call &lt;555&gt;'],
    [undefined, null],
  ] as const) {
    const configure = withBranding(help === undefined ? {} : { help });
    const clock = fixedClock(new Date(systemClock.now()).toISOString());
    await using server = await startTestServer({ clock, configure });
    await createTotpUser(server, await totpPolicy(server), 'alice');
    await enroll(server, clock, 'alice');
    const { page, close } = await visitor();
    const assertShown = async () => {
      const found = await page.locator('#help').all();
      assert.deepEqual(await Promise.all(found.map((one) => one.innerHTML())), shown === null ? [] : [shown]);
      assert.deepEqual(await accessibilityProblems(page), []);
    };
    await page.goto(`${server.url}/oidc/authorization?${authorizationQuery()}`);
    await assertShown();
    await givePassword(page, 'alice', password);
    await page.locator('#code').waitFor();
    await assertShown();
    await screenshot(page, 'help');
    await close();
  }
});

describe('a branding that cannot be used stops the start and says why', () => {
  const refusals: Readonly<Record<string, readonly [Readonly<Record<string, string>>, RegExp]>> = {
    'a colour that cannot be read': [
      { color: '#ffcc00' },
      /contrast of 1\.5:1 .* nearest shade .* #[0-9a-f]{6}/,
    ],
    'a dark one on dark ground': [{ colorDark: '#000080' }, /on the dark ground/],
    'no colour': [{ color: 'red' }, /form #rrggbb/],
    'a blank name': [{ name: ' ' }, /name/],
  };
  for (const [what, [branding, message]] of Object.entries(refusals)) {
    test(what, async () => {
      await assert.rejects(startTestServer({ configure: withBranding(branding) }), message);
    });
  }

  test('a logo that is not a picture, or more than one', async () => {
    const colors = {
      light: { accent: '#000000', on: '#ffffff' },
      dark: { accent: '#ffffff', on: '#000000' },
    };
    const common = { name: 'Acme', help: null, colors };
    const branding = (logoFile: string) => ({ ...common, logoFile, logoDarkFile: null });
    assert.throws(() => brandingOf(branding('/nonexistent/logo.svg')), /cannot be read/);
    const contents: [string | Buffer, RegExp][] = [
      ['GIF89a', /neither an SVG nor a PNG/],
      ['<html><svg></svg></html>', /neither an SVG nor a PNG/],
      [svg.replace('<rect', '<script>alert(1)</script><rect'), /holds "<script"/],
      [svg.replace('<rect', '<rect onload="x()"'), /holds "onload="/],
      [Buffer.concat([Buffer.from(svg), Buffer.alloc(70_000, ' ')]), /larger than 64 KiB/],
    ];
    for (const [content, message] of contents) {
      const logo = logoFile(content);
      assert.throws(() => brandingOf(branding(logo.path)), message);
      logo.remove();
    }
    const darkOnly = { ...common, logoFile: null, logoDarkFile: '/dark.svg' };
    assert.throws(() => brandingOf(darkOnly), /none of the light/);
  });
});
