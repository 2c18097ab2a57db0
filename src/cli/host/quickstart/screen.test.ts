import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SetupStep } from '../setup/prepare-home.ts';
import { besideOrBelow, headline, readyLines, type Screen, setupLines, wrapWords } from './screen.ts';

const screen: Screen = {
  version: '0.1.0',
  home: '.overlay',
  isEphemeral: false,
  program: 'overlay-auth',
  configOption: '',
  caOption: '',
};
const ready = {
  event: 'ready',
  issuers: ['https://localhost:1280/oidc'],
  url: 'https://localhost:1280',
  readyAfterMs: 612,
} as const;
const files = { rootCa: 'ca.pem', config: 'controller.yml', log: 'controller.log' };
const step = (what: SetupStep['what'], made: SetupStep['made'], detail: string): SetupStep => ({
  what,
  made,
  detail,
  note: 'expires 2036-11-18',
  path: null,
});

describe('the first screen', () => {
  test('has a shortened line for each thing that was created, and one for all that existed', () => {
    const fingerprint = Array.from({ length: 32 }, (_, at) => at.toString(16).padStart(2, '0').toUpperCase());
    const text = setupLines([
      step('root CA', 'created', `SHA-256 ${fingerprint.join(':')}`),
      step('signing key', 'created', `ES256 kid ${'k'.repeat(43)}`),
      step('database', 'found', 'SQLite'),
      step('master key', 'found', 'x'),
      step('configuration', 'created', '/somewhere/controller.yml'),
    ]);
    assert.equal(
      text,
      [
        '',
        '  created   root CA             SHA-256 00:01:02:…:1C:1D:1E:1F   expires 2036-11-18',
        '  created   signing key         ES256 kid kkkkkkkk…              expires 2036-11-18',
        '  found     database, master key',
        '',
      ].join('\n'),
    );
  });

  test('counts the remaining steps: with an administrator there is nothing to set up', () => {
    const url = 'https://localhost:1280/setup?t=x';
    const first = readyLines(screen, { ready, setup: { url, expiresAt: 0 }, ...files });
    assert.match(first, / 1 {2}Set up an administrator .*setup\?t=x .*once\)\n {5}or in a terminal/);
    assert.match(first, / 2 {2}Open the console +https:\/\/localhost:1280\/console\n/);
    assert.match(first, / 3 {2}Get a token +overlay-auth login https:\/\/localhost:1280 -u NAME\n/);
    const later = readyLines(screen, { ready, setup: null, ...files });
    assert.doesNotMatch(later, /Set up/);
    assert.match(later, / 1 {2}Open the console/);
    assert.match(later, /Root CA {2}ca\.pem {3}\(curl: --cacert\)\n.*warn.*:\n +overlay-auth pki trust\n/);
    assert.match(later, /Ready at https:\/\/localhost:1280 {3}0\.6 s/);
  });

  test('fits a terminal of 80 columns; what is copied stays in one piece', () => {
    const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');
    const names = 'localhost, auth.example.com, auth.internal.example.com, 127.0.0.1, ::1, 192.0.2.7';
    const made = setupLines(
      [
        step('root CA', 'created', `SHA-256 ${fingerprint}`),
        step('server certificate', 'created', names),
        {
          ...step('master key', 'created', '73b3-2c38-ad25'),
          note: 'back it up separately from the database',
        },
      ],
      80,
    );
    const url = `https://localhost:1280/setup#t=${'x'.repeat(91)}`;
    const shown = readyLines(screen, { ready, setup: { url, expiresAt: 0 }, ...files }, 80);
    for (const line of `${made}${shown}`.split('\n'))
      assert.ok(line.length <= 80 || line.includes(url), line);
    assert.match(shown, new RegExp(`^ {5}${url.replace('?', '\\?')}$`, 'm'));
    assert.ok(made.replaceAll(/\s+/g, ' ').includes(names), made);
    for (const part of ['back it up', 'from the database']) assert.ok(made.includes(part), made);
    const facts = { ready, setup: null, ...files };
    assert.equal(readyLines(screen, facts, 0), readyLines(screen, facts), 'a terminal of unknown size');
    const steps = [step('root CA', 'created', `SHA-256 ${fingerprint}`)];
    assert.equal(setupLines(steps, 0), setupLines(steps), 'a terminal of unknown size');
  });

  test('says what happens to the home, and names a home that commands do not find by themselves', () => {
    assert.match(headline(screen), /\(kept; --ephemeral to discard\)/);
    assert.match(headline({ ...screen, isEphemeral: true }), /\(discarded at the end\)/);
    const elsewhere = { ...screen, configOption: ' --config x/controller.yml', caOption: ' --ca x/ca.pem' };
    const text = readyLines(elsewhere, { ready, setup: { url: 'u', expiresAt: 0 }, ...files });
    assert.match(text, /admin create NAME --config x\/controller\.yml\n/);
    assert.match(text, /-u NAME --ca x\/ca\.pem\n/);
  });

  test("a folder's name cannot control the terminal", () => {
    assert.ok(!headline({ ...screen, home: 'a\u001b[2Jb' }).includes('\u001b'));
  });
});

test('words are never split, even if one is longer than the line', () => {
  assert.deepEqual(wrapWords('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapWords('a https://a.long.address/x b', 8), ['a', 'https://a.long.address/x', 'b']);
  assert.deepEqual(wrapWords('', 8), ['']);
});

test('parts are side by side as long as they fit', () => {
  assert.deepEqual(besideOrBelow(['ab', 'cd'], 7), ['ab   cd']);
  assert.deepEqual(besideOrBelow(['ab', 'cd'], 6), ['ab', 'cd']);
  assert.deepEqual(besideOrBelow(['ab', ''], 2), ['ab']);
});
