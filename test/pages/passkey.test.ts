// Passkeys in a real browser with authenticators that need not be touched: on the login pages, in an invitation and on
// the account page.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { asId } from '../../src/model/ids.ts';
import { usualPolicy } from '../../src/model/usual-policy.ts';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { startApplication } from '../support/application.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { narrow, screenshot, type Visitor, visitor, wide } from '../support/browser.ts';
import { createPolicy } from '../support/external-jwt.ts';
import { beginLogin } from '../support/flow.ts';
import { startForeignSite } from '../support/foreign-site.ts';
import { createdId, password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import {
  type AuthenticatorKind,
  platformAuthenticator,
  plugIn,
  securityKey,
  type VirtualAuthenticator,
} from '../support/virtual-authenticator.ts';
import { assertLoggedIn, beginAt, givePassword, ownClock, submit } from './support.ts';

let shift = 0;
const clock = {
  now: () => systemClock.now() + shift,
  monotonic: () => systemClock.monotonic() + shift,
  waitUntil: (at: number) => systemClock.waitUntil(at - shift),
};
const application = await startApplication();
const server = await startTestServer({ clock });
const admin = await rootOf(server);
/** Passkeys are the second proof only, and need not ask for a PIN. */
const asSecond = await createPolicy(server, 'a passkey too', {
  primary: { passkey: { ...usualPolicy.primary.passkey, userVerification: 'preferred' } },
  secondary: { requirePasskey: true },
});
after(async () => {
  await server.close();
  await application.close();
});

interface Owner extends Visitor {
  readonly authenticator: VirtualAuthenticator;
}

/**
 * A person whose browser has an authenticator. Virtual ones choose a passkey at once where the browser offers them in the
 * field for the user name, so most of these browsers cannot do that.
 */
async function owner(
  kind: AuthenticatorKind = platformAuthenticator,
  isConditional = false,
  language = 'en',
): Promise<Owner> {
  const guest = await visitor({ language });
  if (!isConditional) {
    await guest.page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  }
  return { ...guest, authenticator: await plugIn(guest, kind) };
}

/** @returns the id of the password */
async function createPerson(name: string, more: object = {}): Promise<string> {
  const id = createdId(await admin.call('POST', 'identities', { name, type: 'User', ...more }));
  const body = { method: 'updb', identityId: id, username: name, password };
  return createdId(await admin.call('POST', 'authenticators', body));
}

async function toAccount(page: Page, name: string): Promise<void> {
  await page.goto(`${server.url}/account`);
  await page.locator('#sign-in').click();
  await page.locator('#username').waitFor();
  await givePassword(page, name, password);
  await page.locator('#sign-out').waitFor();
}

async function toPasskeys(page: Page): Promise<void> {
  await page.locator('nav a[href="#passkeys"]').click();
  await page.locator('#add-passkey').waitFor();
}

/** Adds a passkey on the account page. */
async function add(page: Page, name: string): Promise<void> {
  await page.locator('#passkey-name').fill(name);
  await page.locator('#add-passkey-submit').click();
  await announced(page, 'The passkey is added');
}

const announced = (page: Page, text: string | RegExp) =>
  page.locator('#status').filter({ hasText: text }).waitFor();

/** A new person with a password and a passkey, signed in to the account page. */
async function withPasskey(
  name: string,
  isConditional = false,
): Promise<Owner & { readonly passwordId: string }> {
  const passwordId = await createPerson(name);
  const one = await owner(platformAuthenticator, isConditional);
  await toAccount(one.page, name);
  await toPasskeys(one.page);
  await add(one.page, `${name}'s`);
  return { ...one, passwordId };
}

async function assertClean({ page, complaints }: Visitor, picture: string): Promise<void> {
  for (const viewport of [wide, narrow]) {
    await page.setViewportSize(viewport);
    assert.deepEqual(await accessibilityProblems(page), [], picture);
    const width = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    assert.equal(width, 0, 'nothing sticks out');
    await screenshot(page, `passkey ${picture} ${viewport.width}`);
  }
  await page.setViewportSize(wide);
  assert.deepEqual(
    complaints.filter((complaint) => !/status of 4\d\d/.test(complaint)),
    [],
  );
}

describe('signing in', () => {
  test('without a user name: the browser offers the passkey in the field for it', async () => {
    await using ada = await withPasskey('ada', true);
    await beginAt(server, application, ada.page);
    await ada.page.waitForURL(`${application.redirectUri}?code=**`);
    await assertLoggedIn(server, application, ada.page);
    // Soon after its start the server requires a nonce in the proof of the account page.
    assert.deepEqual(
      ada.complaints.filter((complaint) => !complaint.includes('status of 400')),
      [],
    );
  });

  test('with a button, first where a passkey was used before, else below the password', async () => {
    await using bob = await withPasskey('bob');
    const { page, context } = bob;
    await beginAt(server, application, page);
    const isFirst = () =>
      page.evaluate<boolean>(
        `document.getElementById('use-passkey').getBoundingClientRect().top < document.getElementById('username').getBoundingClientRect().top`,
      );
    await page.locator('#use-passkey').waitFor();
    assert.equal(await isFirst(), true);
    assert.equal(await page.locator('button:not(.second):not(.link):visible').count(), 1, 'one stands out');
    await assertClean(bob, 'first');
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.locator('#use-passkey').waitFor();
    assert.equal(await isFirst(), false);
    assert.equal(await page.locator('.or:visible').count(), 1);
    await assertClean(bob, 'later');
    await page.locator('#use-passkey').click();
    await page.waitForURL(`${application.redirectUri}?code=**`);
    await assertLoggedIn(server, application, page);
    await context.clearCookies();
  });

  test('with a security key that keeps nothing, once the user name was typed, and from then on at once', async () => {
    const name = 'keyring';
    await createPerson(name);
    await using one = await owner({ ...securityKey, hasUserVerification: true });
    const { page } = one;
    await toAccount(page, name);
    await toPasskeys(page);
    await add(page, 'Key');
    const [kept] = await one.authenticator.credentials();
    assert.equal(kept?.isResidentCredential, false);
    await beginAt(server, application, page);
    for (const username of ['', name]) {
      await page.locator('#username').fill(username);
      await page.locator('#use-passkey').click();
      await page.getByRole('alert').getByText('type your user name first').waitFor();
    }
    await page.locator('#use-passkey').click();
    await page.waitForURL(`${application.redirectUri}?code=**`);
    await assertLoggedIn(server, application, page);
    await beginAt(server, application, page);
    await page.locator('#username').fill(name);
    await page.locator('#use-passkey').click();
    await page.waitForURL(`${application.redirectUri}?code=**`);
  });

  test('with a security key that keeps its passkeys, in a browser where no name was typed and no passkey used', async () => {
    const name = 'roaming';
    await createPerson(name);
    const kind = { ...securityKey, hasResidentKey: true, hasUserVerification: true };
    const home = await owner(kind);
    await toAccount(home.page, name);
    await toPasskeys(home.page);
    await add(home.page, 'Key');
    const [kept] = await home.authenticator.credentials();
    assert.equal(kept?.isResidentCredential, true);
    await home.authenticator.remove();
    await home.close();

    await using elsewhere = await owner(kind);
    await elsewhere.authenticator.copy(kept);
    const { page } = elsewhere;
    await beginAt(server, application, page);
    await page.locator('#use-passkey').click();
    await page.waitForURL(`${application.redirectUri}?code=**`);
    await assertLoggedIn(server, application, page);
  });

  test('with a double click, which asks once', async () => {
    await using quirin = await withPasskey('quirin', true);
    const { page } = quirin;
    // The offer in the field for the user name stays open, as with a person who chooses nothing there.
    await page.addInitScript(`{
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => options.mediation !== 'conditional' ? get(options)
        : new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(options.signal.reason)));
    }`);
    await beginAt(server, application, page);
    await page.locator('#use-passkey').dblclick();
    await page.waitForURL(`${application.redirectUri}?code=**`);
    await assertLoggedIn(server, application, page);
  });

  test('says so when the person cancels, and the next try works', async () => {
    await using carl = await withPasskey('carl');
    const { page, authenticator } = carl;
    await authenticator.setVerified(false);
    await beginAt(server, application, page);
    await page.locator('#use-passkey').click();
    await page.getByRole('alert').getByText('No passkey was used').waitFor();
    await assertClean(carl, 'cancelled');
    await authenticator.setVerified(true);
    await page.locator('#use-passkey').click();
    await page.waitForURL(`${application.redirectUri}?code=**`);
  });

  test('says what else may keep a browser from using a passkey', async () => {
    await using one = await owner();
    const { page } = one;
    await beginAt(server, application, page);
    const button = page.locator('#use-passkey');
    for (const [name, message, said] of [
      [
        'SecurityError',
        'The relying party ID is not a registrable domain suffix',
        /do not work at this address/,
      ],
      [
        'NotAllowedError',
        'WebAuthn is not supported on sites with TLS certificate errors.',
        /its certificate/,
      ],
      ['NotAllowedError', 'The operation either timed out or was not allowed.', /cancelled, took too long/],
      ['UnknownError', 'Something', /Load this page again/],
    ] as const) {
      await page.evaluate(
        `navigator.credentials.get = async () => { throw new DOMException(${JSON.stringify(message)}, '${name}'); }`,
      );
      await button.click();
      await page.getByRole('alert').getByText(said).waitFor();
    }
    await page.route('**/oidc/login/passkey/options*', (route) => route.abort());
    await button.click();
    await page
      .getByRole('alert')
      .getByText(/Load this page again/)
      .waitFor();
    await page.unroute('**/oidc/login/passkey/options*');
  });

  test('shows nothing of passkeys without scripts, and the password works', async () => {
    await createPerson('dora');
    const { page, close } = await visitor({ scripts: false });
    await beginAt(server, application, page);
    assert.equal(await page.locator('#use-passkey').isVisible(), false);
    await givePassword(page, 'dora', password);
    await assertLoggedIn(server, application, page);
    await close();
  });
});

describe('as the second proof', () => {
  for (const [kind, authenticator] of Object.entries({
    'of the device': platformAuthenticator,
    'security key': securityKey,
  })) {
    test(`is set up at the first sign-in, then asked for: ${kind}`, async () => {
      const name = `second ${kind}`;
      await createPerson(name, { authPolicyId: asSecond });
      await using one = await owner(authenticator);
      const { page } = one;
      await beginAt(server, application, page);
      await givePassword(page, name, password);
      await page.locator('#create-passkey').waitFor();
      assert.match(await page.title(), /^Set up a passkey - Sign in/);
      assert.notEqual(await page.locator('#passkey-name').inputValue(), '', 'a name is proposed');
      await assertClean(one, 'set-up');
      await page.locator('#passkey-name').fill('My key');
      // A second click makes no second one.
      await page.locator('#create-passkey').dblclick();
      await page.waitForURL(`${application.redirectUri}?code=**`);
      await assertLoggedIn(server, application, page);

      await beginAt(server, application, page);
      await givePassword(page, name, password);
      await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
      await assertClean(one, 'second step');
      await page.locator('#use-passkey').click();
      await page.waitForURL(`${application.redirectUri}?code=**`);
      await assertLoggedIn(server, application, page);
    });
  }

  test('cannot be that of another person, with any input from the browser', async () => {
    await createPerson('eve', { authPolicyId: asSecond });
    await createPerson('finn', { authPolicyId: asSecond });
    await using finn = await owner();
    const setUp = async (name: string) => {
      await beginAt(server, application, finn.page);
      await givePassword(finn.page, name, password);
      await finn.page.locator('#create-passkey').click();
      await finn.page.waitForURL(`${application.redirectUri}?code=**`);
    };
    await setUp('finn');
    const [ofFinn] = await finn.authenticator.credentials();
    assert.ok(ofFinn);
    await setUp('eve');
    await finn.authenticator.remove();
    const { authenticator, page } = { page: finn.page, authenticator: await plugIn(finn) };
    await authenticator.copy(ofFinn);
    await beginAt(server, application, page);
    await givePassword(page, 'eve', password);
    await page.locator('#use-passkey').click();
    await page.getByRole('alert').getByText('No passkey was used').waitFor();
    // A browser under the control of an attacker does not keep to the list of credentials.
    await page.evaluate(`(() => {
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => {
        delete options.publicKey.allowCredentials;
        return get(options);
      };
    })()`);
    assert.equal(await submit(page, '#use-passkey'), 400);
    await page.getByRole('alert').getByText('This passkey was not accepted').waitFor();
    assert.match(await page.title(), /^Error: passkey not accepted/);
    await assertClean(finn, 'second step refused');
  });

  test('says what is needed where no script runs', async () => {
    await createPerson('gina', { authPolicyId: asSecond });
    await using one = await visitor({ scripts: false });
    await beginAt(server, application, one.page);
    await givePassword(one.page, 'gina', password);
    await one.page.getByText('needs a browser with passkeys and JavaScript').waitFor();
    assert.equal(await one.page.locator('#create-passkey').isVisible(), false);
  });
});

test('in German, and none of it is English', async () => {
  await createPerson('otto', { authPolicyId: asSecond });
  await using one = await owner(platformAuthenticator, false, 'de');
  const { page, authenticator } = one;
  const assertGerman = async (picture: string) => {
    assert.doesNotMatch(await page.locator('main').innerText(), /\b(?:the|you|your|and|with|again|this)\b/i);
    await assertClean(one, `german ${picture}`);
  };
  await beginAt(server, application, page);
  await authenticator.setVerified(false);
  await page.setViewportSize(narrow);
  await page.locator('#use-passkey').click();
  await page.getByRole('alert').getByText('Es wurde kein Passkey verwendet').waitFor();
  // What is said, and the button for the next try, are in sight on a small screen.
  const isInSight = `(() => {
    const { top, bottom } = document.querySelector('[data-passkey]').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`;
  assert.equal(await page.evaluate(isInSight), true);
  await assertGerman('cancelled');
  await givePassword(page, 'otto', password);
  await page.locator('#create-passkey').waitFor();
  await assertGerman('set-up');
  await authenticator.setVerified(true);
  await page.locator('#create-passkey').click();
  await page.waitForURL(`${application.redirectUri}?code=**`);
  await beginAt(server, application, page);
  await givePassword(page, 'otto', password);
  await page.locator('#use-passkey').waitFor();
  await assertGerman('second step');
  await page.goto(`${server.url}/account`);
  await page.locator('#sign-in').click();
  await givePassword(page, 'otto', password);
  await submit(page, '#use-passkey');
  await toPasskeys(page);
  await page.locator('summary').first().click();
  await page.locator('summary').last().click();
  await assertGerman('account');
});

describe('an invitation', () => {
  const linkFor = async (name: string, more: object = {}) => {
    const id = createdId(await admin.call('POST', 'identities', { name, type: 'User', ...more }));
    return (await admin.call('POST', `identities/${id}/invitation`, {})).json.data.url as string;
  };
  const onlyPasskeys = async () => {
    const primary = { passkey: { allowed: true }, updb: { allowed: false }, cert: { allowed: false } };
    const name = `only passkeys ${server.random.id()}`;
    return createdId(await admin.call('POST', 'auth-policies', { name, primary }));
  };

  for (const hasChoice of [true, false]) {
    const title = hasChoice ? 'a passkey instead of a password' : 'a passkey where no password is allowed';
    test(`lets a person make ${title}, and sign in without ever having a password`, async () => {
      const name = `invited ${hasChoice}`;
      const url = await linkFor(name, hasChoice ? {} : { authPolicyId: await onlyPasskeys() });
      await using one = await owner();
      const { page } = one;
      await page.goto(url);
      await page.locator('#create-passkey').waitFor();
      assert.equal(await page.locator('#choose').count(), hasChoice ? 1 : 0);
      assert.match(await page.title(), hasChoice ? /^Choose your password/ : /^Set up your passkey/);
      await assertClean(one, `invitation ${hasChoice}`);
      // An answer to another question.
      await page.evaluate(`{
        const create = navigator.credentials.create.bind(navigator.credentials);
        navigator.credentials.create = ({ publicKey }) =>
          create({ publicKey: { ...publicKey, challenge: new Uint8Array(32) } });
      }`);
      assert.equal(await submit(page, '#create-passkey'), 400);
      await page.getByRole('alert').getByText('The passkey was not added').waitFor();
      await assertClean(one, `invitation refused ${hasChoice}`);
      await page.locator('#passkey-name').fill('First one');
      assert.equal(await submit(page, '#create-passkey'), 200);
      await page.getByRole('heading', { name: 'Your passkey is ready' }).waitFor();
      await assertClean(one, `invitation done ${hasChoice}`);
      await page.locator('#to-account').click();
      await page.locator('#sign-in').click();
      await submit(page, '#use-passkey');
      await page.locator('#sign-out').waitFor();
      await toPasskeys(page);
      await page.getByText('First one').waitFor();
      await page.goto(url);
      await page.getByText('This link does not work').waitFor();
    });
  }

  test('shows only the password where no script runs', async () => {
    await using one = await visitor({ scripts: false });
    await one.page.goto(await linkFor('scriptless'));
    assert.equal(await one.page.locator('#create-passkey').isVisible(), false);
    assert.equal(await one.page.locator('#choose').isVisible(), true);
    await one.page.goto(await linkFor('helpless', { authPolicyId: await onlyPasskeys() }));
    await one.page.getByText('needs a browser with passkeys and JavaScript').waitFor();
  });
});

describe('refuses', () => {
  test('a copy of a passkey, whose counter is behind', async () => {
    await using hal = await withPasskey('hal');
    const { page } = hal;
    const [before] = await hal.authenticator.credentials();
    assert.ok(before);
    await beginAt(server, application, page);
    await submit(page, '#use-passkey');
    await page.waitForURL(`${application.redirectUri}?code=**`);
    await hal.authenticator.remove();
    const copied = await plugIn(hal);
    await copied.copy(before);
    await beginAt(server, application, page);
    assert.equal(await submit(page, '#use-passkey'), 401);
    await page.getByRole('alert').getByText('This passkey was not accepted').waitFor();
    await assertClean(hal, 'refused');
    await page.goto(`${server.url}/account`);
    await toPasskeys(page);
    await page.getByText('A copy of this passkey was noticed').waitFor();
    await assertClean(hal, 'cloned');
  });

  test('an answer that comes again or in another login, although its owner gave it on our page', async () => {
    await using ivy = await withPasskey('ivy');
    const { page } = ivy;
    const given: URLSearchParams[] = [];
    /** What happens to an answer on its way; null: it is kept. */
    let alter: (answer: URLSearchParams) => URLSearchParams | null = (answer) => answer;
    await page.route('**/oidc/login/passkey', async (route) => {
      const answer = new URLSearchParams(route.request().postData() ?? '');
      given.push(answer);
      const altered = alter(answer);
      await (altered === null
        ? route.fulfill({ body: 'kept' })
        : route.continue({ postData: altered.toString() }));
    });
    const use = async () => {
      await beginAt(server, application, page);
      const [status] = await Promise.all([submit(page, '#use-passkey'), page.waitForEvent('framenavigated')]);
      return status;
    };
    await use();
    await page.waitForURL(`${application.redirectUri}?code=**`);
    const accepted = given[0];
    const withResponse = (response: string | null | undefined) => (answer: URLSearchParams) => {
      const login = answer.get('authRequestId') ?? '';
      return new URLSearchParams({ authRequestId: login, response: response ?? '' });
    };
    alter = () => null;
    await use();
    const unused = given[1]?.get('response');
    for (const [how, changed, status] of [
      ['again', () => accepted ?? null, 400],
      ['again, in another login', withResponse(accepted?.get('response')), 401],
      ['in another login than that for which it was asked', withResponse(unused), 401],
    ] as const satisfies readonly (readonly [string, typeof alter, number])[]) {
      alter = changed;
      assert.equal(await use(), status, how);
    }
    alter = (answer) => answer;
    await use();
    await page.waitForURL(`${application.redirectUri}?code=**`);
  });

  test('an answer that a page of a neighbouring port got, and one of another site gets none', async () => {
    await using site = await startForeignSite();
    await using ida = await withPasskey('ida');
    const { page } = ida;
    /** The login of the attacker, who wants it to be hers. */
    const id = await beginLogin(server);
    const options = await server.get(`/oidc/login/passkey/options?id=${encodeURIComponent(id)}`);
    const sign = `(async ({ challenge, rpId }) => {
      const bytes = Uint8Array.from(atob(challenge.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
      const answer = await navigator.credentials.get({ publicKey: { challenge: bytes, rpId, userVerification: 'required' } });
      return answer.toJSON();
    })(${options.text})`;
    await page.goto(site.elsewhere);
    await assert.rejects(page.evaluate(sign), /SecurityError|is an invalid domain/);
    await page.goto(site.beside);
    const response = await page.evaluate<object>(sign);
    const refused = await server.post('/oidc/login/passkey', { json: { id, response } });
    assert.equal(refused.status, 401, refused.text);
    // The same question, answered on our own page, is accepted: only the origin was wrong.
    await page.goto(`${server.url}/account`);
    const good = await page.evaluate<object>(sign);
    assert.equal((await server.post('/oidc/login/passkey', { json: { id, response: good } })).status, 302);
  });
});

/** Until not even a letter finds room. */
const fillStorage = `for (let size = 2 ** 23, name = 0; size >= 1; ) {
  try {
    localStorage.setItem(name, 'x'.repeat(size));
    name += 1;
  } catch {
    size = Math.floor(size / 2);
  }
}`;

const denyStorage = `Object.defineProperty(window, 'localStorage', {
  get() {
    throw new DOMException('denied', 'SecurityError');
  },
})`;

describe('on the account page', () => {
  test('none can be added where the policy takes none, as the page says', async () => {
    const primary = { passkey: { allowed: false }, updb: { allowed: true } };
    const policy = await admin.call('POST', 'auth-policies', { name: 'no passkeys', primary });
    await createPerson('ned', { authPolicyId: createdId(policy) });
    await using one = await owner();
    await toAccount(one.page, 'ned');
    await one.page.locator('nav a[href="#passkeys"]').click();
    await one.page.getByText('Passkeys are not used for this account').waitFor();
    assert.equal(await one.page.locator('#add-passkey').count(), 0);
    await assertClean(one, 'account no passkeys');
  });

  test('passkeys are listed, renamed and removed, and what one opened ends', async () => {
    await using one = await withPasskey('jon');
    const { page } = one;
    assert.match(
      await page.locator('.cards > .card').innerText(),
      /jon's\s+Added .+ Never used\.\s+On one device/,
    );
    await page.getByText('Rename').first().click();
    await page.locator('li.card input[name=name]').fill('  Key <b>ring</b> ');
    await page.locator('li.card form button').first().click();
    await announced(page, 'The passkey is renamed');
    await page.getByText('Key <b>ring</b>').waitFor();
    await assertClean(one, 'account');
    await page.locator('#add-passkey-submit').click();
    await page.getByRole('alert').getByText('already has a passkey').waitFor();

    await page.locator('.card summary', { hasText: 'Remove' }).click();
    await assertClean(one, 'account remove');
    await page.locator('.card .danger').click();
    await announced(page, 'The passkey is removed');
    await page.getByText('You have none.').waitFor();
    assert.deepEqual(
      await one.authenticator.credentials().then((all) => all.length),
      1,
      'the device keeps it',
    );
    await beginAt(server, application, page);
    assert.equal(await submit(page, '#use-passkey'), 401);
  });

  test('one is added, and signs in, where the browser keeps nothing more for this site, or denies it all', async () => {
    await createPerson('fulvia');
    await using one = await owner();
    const { page } = one;
    await toAccount(page, 'fulvia');
    await toPasskeys(page);
    await page.evaluate(fillStorage);
    await add(page, 'full');
    await page.addInitScript(denyStorage);
    await beginAt(server, application, page);
    await page.locator('#use-passkey').click();
    await page.waitForURL(`${application.redirectUri}?code=**`);
    await assertLoggedIn(server, application, page);
  });

  test('the last way to sign in is removed only by a second click, and the session it opened ends', async () => {
    await using one = await withPasskey('lea');
    const { page } = one;
    await page.locator('#sign-out').click();
    await page.locator('#sign-in').click();
    await submit(page, '#use-passkey');
    await page.locator('#sign-out').waitFor();
    await page.locator('nav a[href="#sessions"]').click();
    await page.getByText("(passkey “lea's”)").waitFor();
    const removed = await admin.call('DELETE', `authenticators/${one.passwordId}`);
    assert.equal(removed.status, 200, removed.text);
    await toPasskeys(page);
    await page.locator('.card summary', { hasText: 'Remove' }).click();
    await page.locator('.card .danger').click();
    await page.locator('.note').getByText('This is the last thing with which you can sign in').waitFor();
    await assertClean(one, 'account last');
    await page.getByRole('button', { name: 'Remove it all the same' }).click();
    await page.getByText('You are signed out').waitFor();
  });

  test('leads to a new sign-in where the session lacks the authenticator app, which the password does not stand for', async () => {
    const both = await createPolicy(server, 'a passkey is enough', {
      primary: { passkey: { ...usualPolicy.primary.passkey, allowed: true, satisfiesSecondary: true } },
    });
    const id = await server.createUser({ name: 'olga', password });
    await server.store.identities.update(id, { authPolicyId: asId(both) }, clock.now());
    await using one = await owner();
    const { page } = one;
    await toAccount(page, 'olga');
    await toPasskeys(page);
    const begun = { identityId: id, sealedSeed: 'x', recoveryHashes: [], expiresAt: clock.now() + MINUTE };
    await server.store.totp.start('flow', begun, clock.now());
    await server.store.totp.verify('flow', { sealedSeed: 'x', step: 1, now: clock.now() });
    await page.locator('#passkey-name').fill('mine');
    await page.locator('#add-passkey-submit').click();
    await page.locator('#proof-password').fill(password);
    await page.locator('#add-passkey-submit').click();
    await page.locator('#sign-in-again').click();
    await page.locator('#username').waitFor();
    assert.deepEqual(await server.store.passkeys.listOf([id]), []);
  });

  test('asks for a fresh proof some time after the sign-in', async () => {
    await using one = await withPasskey('kim');
    const { page } = one;
    const setAhead = await ownClock(page);
    await page.reload();
    await toPasskeys(page);
    shift += 6 * MINUTE;
    await setAhead(shift);
    await page.locator('#add-passkey-submit').click();
    await page.locator('#proof-password').waitFor();
    await assertClean(one, 'account proof');
    await page.locator('#proof-password').fill('wrong');
    await page.locator('#add-passkey-submit').click();
    await page.getByRole('alert').getByText('current password is not right').waitFor();
  });
});
