// Entry of the account page: finishes or resumes a login, and shows the account or how to sign in.

import { call, SecondTokenNeeded } from './api.js';
import { attemptsSection } from './attempts.js';
import { announce, button, element, failureText, onOver, statusRegion } from './dom.js';
import { canResume, finishSignIn, forget, isCallback, SignedOut, signIn, signOut } from './oidc.js';
import { passwordSection } from './password.js';
import { sessionsSection } from './sessions.js';
import { texts } from './texts.js';
import { totpSection } from './totp.js';

const main = /** @type {HTMLElement} */ (document.querySelector('main'));
/** The name of this service, which stands at the end of every title. */
const [serviceName] = document.title.split(' · ').slice(-1);

onOver((error) => showOver(error, texts.sessionEnded));
statusRegion().textContent = texts.loading;
await start();

async function start() {
  const isReturning = isCallback();
  try {
    if (isReturning) await finishSignIn();
    if (canResume()) await showAccount();
    else showSignedOut();
  } catch (error) {
    if (!showOver(error, isReturning ? texts.loginFailed : texts.sessionEnded)) showFailure(error);
  }
}

/** Shows what is left when the account cannot be shown any more; false for other errors. */
function showOver(error, signedOutReason) {
  if (error instanceof SignedOut) {
    forget();
    showSignedOut(signedOutReason);
    return true;
  }
  if (!(error instanceof SecondTokenNeeded)) return false;
  showSecondTokenNeeded(error.reference);
  return true;
}

async function showAccount() {
  const [{ data: identity }, { data: authenticators }] = await Promise.all([
    call('GET', 'current-identity'),
    call('GET', 'current-identity/authenticators'),
  ]);
  const password = authenticators.find(({ method }) => method === 'updb');
  const attempts = await attemptsSection();
  const sessions = await sessionsSection();
  const sections = [
    whoSection(identity, password),
    await passwordSection(password, sessions.refresh),
    await totpSection(password !== undefined),
    sessions.section,
    attempts,
  ];
  show(texts.title, ...sections);
}

function whoSection(identity, password) {
  const facts = [
    [texts.name, identity.name],
    password !== undefined && password.username !== identity.name && [texts.userName, password.username],
    identity.isAdmin && [texts.role, texts.administrator],
  ].filter((fact) => fact !== false);
  return element(
    'section',
    { 'aria-labelledby': 'who' },
    element('h2', { id: 'who' }, texts.who),
    element(
      'dl',
      {},
      ...facts.flatMap(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]),
    ),
    button(texts.signOut, signOut, { id: 'sign-out', class: 'quiet' }),
  );
}

function showSignedOut(reason) {
  const signInButton = button(texts.signIn, () => signIn(), { id: 'sign-in' });
  show(texts.signedOutTitle, element('p', {}, texts.signedOutText), signInButton);
  if (reason !== undefined) announce(reason);
}

/** Nothing here works for such an account: say so, rather than that its session has ended. */
function showSecondTokenNeeded(reference) {
  const leave = button(texts.signOut, signOut, { id: 'sign-out', class: 'quiet' });
  const explanation = texts.secondToken.map((text) => element('p', {}, text));
  const named = element('p', { class: 'reference' }, `${texts.reference} `, element('code', {}, reference));
  show(texts.secondTokenTitle, element('div', { id: 'second-token' }, ...explanation, named), leave);
}

function showFailure(error) {
  const again = button(texts.retry, () => location.reload(), { id: 'retry' });
  const what = element('p', { class: 'failure', role: 'alert' }, failureText(error));
  show(texts.notShown, what, again);
  document.title = texts.errorTitle(document.title);
}

/** Replaces the page; who listens is brought to its heading. */
function show(title, ...content) {
  const heading = element('h1', { tabindex: '-1' }, title);
  document.title = `${title} · ${serviceName}`;
  const status = statusRegion();
  status.textContent = '';
  main.replaceChildren(heading, status, ...content);
  main.removeAttribute('aria-busy');
  heading.focus();
}
