// The authenticator app: setting it up, new recovery codes, removing it.

import { call, Refusal, read } from './api.js';
import { announce, button, codeField, codeIn, element, form, wrongCode } from './dom.js';
import { recoveryCodes } from './recovery-codes.js';
import { texts } from './texts.js';

const path = 'current-identity/mfa';

export async function totpSection() {
  const section = element('section', { 'aria-labelledby': 'app' });
  await render(section);
  return section;
}

/** Shows the state that the server has. */
async function render(section) {
  const state = await currentState();
  if (state === null) showOff(section);
  else if (state.isVerified) showOn(section, state);
  else await showSetUp(section, state);
}

async function currentState() {
  try {
    return (await call('GET', path)).data;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

/** Fills the section. @returns its heading, to bring the focus there */
function fill(section, ...content) {
  const heading = element('h2', { id: 'app', tabindex: '-1' }, texts.app);
  section.replaceChildren(heading, ...content);
  return heading;
}

function showOff(section) {
  const start = button(
    texts.setUp,
    async () => {
      await call('POST', path);
      await render(section);
      section.querySelector('h2').focus();
    },
    { id: 'set-up-app' },
  );
  return fill(section, element('p', {}, texts.appOff), start);
}

async function showSetUp(section, { provisioningUrl, recoveryCodes: codes }) {
  const picture = await read(`${path}/qr-code`, 'image/svg+xml').catch(() => null);
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  const confirm = form({
    id: 'confirm-app',
    submit: texts.confirm,
    fields: [savedBox('app-saved'), codeField('app-code', texts.appCode)],
    others: [cancelButton(section)],
    async action(values) {
      await call('POST', `${path}/verify`, { code: codeIn(values) });
      await render(section);
      section.querySelector('h2').focus();
      announce(texts.appReady);
    },
    explain: wrongCode,
  });
  fill(
    section,
    picture !== null && element('p', {}, texts.scan),
    picture !== null &&
      element('img', {
        class: 'qr',
        src: `data:image/svg+xml,${encodeURIComponent(picture)}`,
        alt: texts.qrCode,
        width: '240',
        height: '240',
      }),
    element(
      'p',
      {},
      `${texts.typeKey} `,
      element('code', { id: 'secret', class: 'secret' }, groupsOfFour(secret)),
    ),
    element('p', {}, element('a', { href: provisioningUrl }, texts.openApp)),
    recoveryCodes(codes),
    confirm,
  );
}

function cancelButton(section) {
  return element(
    'button',
    {
      type: 'button',
      id: 'cancel-app',
      class: 'quiet',
      async click() {
        await call('DELETE', path).catch(() => undefined);
        showOff(section).focus();
      },
    },
    texts.cancel,
  );
}

function showOn(section, { recoveryCodesLeft }) {
  const renew = form({
    id: 'new-codes',
    submit: texts.newCodes,
    fields: [codeField('new-codes-code', texts.anyCode)],
    async action(values) {
      const { data } = await call('POST', `${path}/recovery-codes`, { code: codeIn(values) });
      showNewCodes(section, data.recoveryCodes);
    },
    explain: wrongCode,
  });
  const remove = form({
    id: 'remove-app',
    submit: texts.removeApp,
    fields: [codeField('remove-code', texts.anyCode)],
    async action(values) {
      await call('DELETE', path, { code: codeIn(values) });
      showOff(section).focus();
      announce(texts.appRemoved);
    },
    explain: wrongCode,
  });
  const left = texts.codesLeft(recoveryCodesLeft);
  return fill(
    section,
    element('p', {}, texts.appOn),
    element('p', { id: 'codes-left' }, recoveryCodesLeft < 5 ? `${left} ${texts.fewCodes}` : left),
    folded('fold-new-codes', texts.newCodes, element('p', {}, texts.newCodesText), renew),
    folded('fold-remove-app', texts.removeApp, element('p', {}, texts.removeAppText), remove),
  );
}

function showNewCodes(section, codes) {
  const acknowledge = form({
    id: 'codes-saved',
    submit: texts.done,
    fields: [savedBox('codes-saved-box')],
    async action() {
      await render(section);
      section.querySelector('h2').focus();
    },
  });
  fill(section, element('p', {}, texts.newCodesReady), recoveryCodes(codes), acknowledge).focus();
  announce(texts.newCodesReady);
}

function folded(id, label, ...content) {
  return element('details', { id }, element('summary', {}, label), ...content);
}

function savedBox(id) {
  const box = element('input', { id, name: 'saved', type: 'checkbox', required: true });
  return element('p', { class: 'check' }, element('label', { for: id }, box, ` ${texts.saved}`));
}

function groupsOfFour(secret) {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}
