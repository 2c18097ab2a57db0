import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forLocale } from './ports.ts';

function written(isTTY: boolean, env: Readonly<Record<string, string>>): string {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  forLocale({ isTTY, columns: 80, write }, env).write('\u2713 a\u2026 \u00e9');
  return text;
}

test("a terminal with another encoding gets ASCII marks, and other people's words unchanged", () => {
  for (const env of [
    { LC_ALL: 'C' },
    { LANG: 'de_DE.ISO-8859-1' },
    { LC_CTYPE: 'POSIX', LANG: 'en_US.UTF-8' },
  ]) {
    assert.equal(written(true, env), '+ a... \u00e9', JSON.stringify(env));
  }
});

test('everybody else gets UTF-8', () => {
  for (const env of [{}, { LANG: 'C.utf8' }, { LANG: '' }, { LC_ALL: 'en_US.UTF-8', LANG: 'C' }]) {
    assert.equal(written(true, env), '\u2713 a\u2026 \u00e9', JSON.stringify(env));
  }
  assert.equal(written(false, { LC_ALL: 'C' }), '\u2713 a\u2026 \u00e9', 'files and pipes');
});
