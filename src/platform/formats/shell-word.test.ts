import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { shellWord } from './shell-word.ts';

test('a shell reads every word unchanged, with any characters', () => {
  for (const text of [
    'ada',
    "o'neil",
    'two words',
    '$(id)',
    '`id`',
    '"',
    '\\',
    'a;b',
    '*',
    '~',
    '',
    '!x',
    'a\nb',
  ]) {
    assert.equal(execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' }), text);
  }
});

test('words that need no quotes get none', () => {
  for (const text of ['ada', '/etc/overlay/controller.yml', 'ada@localhost:1280', 'k=v']) {
    assert.equal(shellWord(text), text);
  }
});
