// Where the person is signed in, and ending it.

import { call } from './api.js';
import { announce, button, element } from './dom.js';
import { signOut } from './oidc.js';
import { texts, timeText } from './texts.js';

const path = 'current-identity/api-sessions';
const newestFirst = `${path}?limit=100&sort=${encodeURIComponent('createdAt desc')}`;

/** The section, and what brings it up to date. */
export async function sessionsSection() {
  const content = element('div');
  const heading = element('h2', { id: 'sessions', tabindex: '-1' }, texts.sessions);
  const section = element('section', { 'aria-labelledby': 'sessions' }, heading, content);
  const refresh = async () => {
    const { data } = await call('GET', newestFirst);
    content.replaceChildren(...contentOf(data, whenEnded));
  };
  async function whenEnded(text) {
    await refresh();
    heading.focus();
    announce(text);
  }
  await refresh();
  return { section, refresh };
}

function contentOf(sessions, whenEnded) {
  const current = sessions.filter(({ isCurrent }) => isCurrent);
  const others = sessions.filter(({ isCurrent }) => !isCurrent);
  const endOthers = async () => {
    const { data } = await call('DELETE', path);
    await whenEnded(texts.othersEnded(data.ended));
  };
  return [
    element('ul', { class: 'cards' }, ...[...current, ...others].map((one) => card(one, whenEnded))),
    others.length === 0
      ? element('p', {}, texts.noOthers)
      : button(texts.endOthers, endOthers, { id: 'end-others' }),
  ];
}

function card(session, whenEnded) {
  const { id, isCurrent, amr, createdAt, ipAddress, lastActivityAt, expiresAt } = session;
  const methods = amr.map((method) => texts.method[method] ?? texts.method['secondary-ext-jwt']).join(', ');
  const name = `session-${id}`;
  const end = async () => {
    if (isCurrent) {
      await signOut();
      return;
    }
    await call('DELETE', `${path}/${id}`);
    await whenEnded(texts.sessionIsEnded);
  };
  return element(
    'li',
    {},
    element(
      'div',
      { id: name },
      element('strong', {}, isCurrent ? texts.thisSession : texts.otherSession),
      element('p', {}, texts.sessionLine(methods, timeText(createdAt), ipAddress)),
      element('p', { class: 'hint' }, texts.sessionTimes(timeText(lastActivityAt), timeText(expiresAt))),
    ),
    button(isCurrent ? texts.signOut : texts.endSession, end, { class: 'quiet', 'aria-describedby': name }),
  );
}
