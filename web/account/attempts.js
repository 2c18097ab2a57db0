// Recent login attempts, the newest first.

import { call } from './api.js';
import { button, element } from './dom.js';
import { texts, timeText } from './texts.js';

const pageSize = 10;

export async function attemptsSection() {
  const list = element('ul', { class: 'cards', id: 'attempts-list' });
  const more = button(texts.more, () => showMore(list, more), { id: 'more-attempts', class: 'quiet' });
  await showMore(list, more);
  return element(
    'section',
    { 'aria-labelledby': 'attempts' },
    element('h2', { id: 'attempts' }, texts.attempts),
    element('p', {}, texts.attemptsText),
    list.children.length === 0 ? element('p', {}, texts.noAttempts) : list,
    more,
  );
}

async function showMore(list, more) {
  const offset = list.children.length;
  const { data, meta } = await call(
    'GET',
    `current-identity/login-attempts?limit=${pageSize}&offset=${offset}`,
  );
  const items = data.map(item);
  list.append(...items);
  more.hidden = list.children.length >= meta.pagination.totalCount;
  // Not for the first page: who asked for more goes on reading there.
  if (offset > 0) items[0]?.focus();
}

function item({ outcome, method, at, ipAddress, reference }) {
  return element(
    'li',
    { tabindex: '-1' },
    element('strong', { class: outcome }, outcome === 'passed' ? texts.passed : texts.refused),
    element('p', {}, texts.attemptLine(texts.method[method] ?? method, timeText(at), ipAddress)),
    element('p', { class: 'hint' }, `${texts.reference} `, element('code', {}, reference)),
  );
}
