// The authenticator app: setting it up, new recovery codes, removing it.

import { call, FreshProofNeeded, Refusal, read } from './api.js';
import { announce, button, codeField, codeIn, element, field, form, wrongCode } from './dom.js';
import { forget, signIn } from './oidc.js';
import { recoveryCodes } from './recovery-codes.js';
import { texts } from './texts.js';

const path = 'current-identity/mfa';

/** Whether the account has a password, which can be asked for when a change needs a fresh proof. */
let hasPassword = false;

/** @param {boolean} withPassword */
export async function totpSection(withPassword) {
  hasPassword = withPassword;
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
      try {
        await begin(section);
      } catch (error) {
        if (!(error instanceof FreshProofNeeded)) throw error;
        showProof(section).focus();
      }
    },
    { id: 'set-up-app' },
  );
  return fill(section, element('p', {}, texts.appOff), start);
}

/** @param {FormDataEntryValue | null} [currentPassword] */
async function begin(section, currentPassword = null) {
  await call('POST', path, currentPassword === null ? {} : { currentPassword });
  await render(section);
  section.querySelector('h2').focus();
}

/** Before the set-up of an app, some time after the person has signed in. */
function showProof(section) {
  if (!hasPassword) return fill(section, ...signInAgain());
  const prove = form({
    id: 'prove',
    submit: texts.setUp,
    fields: [proofField()],
    others: [cancelButton(section)],
    action: (values) => begin(section, values.get(proofId)),
    explain: wrongProof,
  });
  return fill(section, element('p', {}, texts.proof), prove);
}

const proofId = 'proof-password';

function proofField() {
  return field(texts.currentPassword, { id: proofId, type: 'password', autocomplete: 'current-password' });
}

function wrongProof(refusal) {
  if (refusal.field !== 'currentPassword') return null;
  return { field: proofId, text: texts.wrongPassword };
}

/** Somebody without a password proves who it is by a new sign-in. */
function signInAgain() {
  const again = button(
    texts.signInAgain,
    async () => {
      await call('DELETE', 'current-api-session').catch(() => undefined);
      forget();
      await signIn({ isFresh: true });
    },
    { id: 'sign-in-again' },
  );
  return [element('p', {}, texts.proofBySignIn), again];
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
    async action(values, made) {
      const currentPassword = values.get(proofId);
      const code = codeIn(values);
      try {
        await call('DELETE', path, currentPassword === null ? { code } : { code, currentPassword });
      } catch (error) {
        if (!(error instanceof FreshProofNeeded)) throw error;
        askForProof(made);
        return;
      }
      showOff(section).focus();
      announce(texts.appRemoved);
    },
    explain: (refusal) => wrongProof(refusal) ?? wrongCode(refusal),
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

/** Asks for the proof beside the code, which was not used up. */
function askForProof(made) {
  if (!hasPassword) {
    made.replaceWith(...signInAgain());
    announce(texts.proofBySignIn);
    return;
  }
  const asked = proofField();
  made.querySelector('.buttons').before(element('p', {}, texts.proof), asked);
  asked.querySelector('input')?.focus();
  announce(texts.proof);
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
