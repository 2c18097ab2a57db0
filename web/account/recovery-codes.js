// Recovery codes, shown once: to copy, to download, to print.

import { announce, element } from './dom.js';
import { texts } from './texts.js';

/** @param {readonly string[]} codes */
export function recoveryCodes(codes) {
  const text = `${codes.join('\n')}\n`;
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  const copy = async () => {
    // Some browsers refuse, by settings of theirs.
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    announce(isCopied ? texts.copied : texts.notCopied);
  };
  return element(
    'div',
    { class: 'printed' },
    element('h3', {}, texts.recoveryCodes),
    element('p', {}, texts.recoveryText),
    element(
      'ul',
      { id: 'recovery-codes', class: 'codes' },
      ...codes.map((code) => element('li', {}, element('code', {}, code))),
    ),
    element(
      'p',
      { class: 'buttons' },
      element('button', { type: 'button', id: 'copy-codes', class: 'quiet', click: copy }, texts.copy),
      element('a', { href: file, download: 'recovery-codes.txt' }, texts.download),
      element('button', { type: 'button', class: 'quiet', click: () => window.print() }, texts.print),
    ),
  );
}
