import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { textsOf } from '../../test/support/source-texts.ts';
import { errorCodes } from '../errors/codes.ts';
import { claimRefusals } from '../login/certificate/ca-claim.ts';
import { keySetFailures } from '../login/external-jwt/signer-keys.ts';
import { checksInGerman } from './checks-de.ts';
import { failuresInGerman } from './failures-de.ts';
import { inLanguage } from './in-language.ts';
import { refusalsInGerman } from './refusals-de.ts';

const german = (text: string) => inLanguage(text, 'de');

/** Where sentences for administrators are made; commands and the configuration speak English only. */
const deciding = '{login,oidc,enrollment,legacy,sessions}';
const asking = '{admin,account,http}';

/** Values and what is the same in both languages: a name, a code, an identifier. */
const isNoSentence = (text: string) => !/[a-z]{2,} [a-z]/.test(text.replaceAll(/\{\d\}/g, ''));

describe('a sentence of the server in German', () => {
  test('exists for every finding of a check and for each refusal of a field', () => {
    const sentences = [
      ...textsOf(deciding, /\.(?:passed|seen)\(/g, 1),
      ...textsOf(deciding, /\.failed\(/g, 2),
      ...textsOf(deciding, /\bsaw(?: =|:) /g, null),
      ...textsOf(asking, /\brefusedField\(/g, 1),
      ...textsOf(asking, /\bdescription:\s+(?=['"`])[^;]*?(?='conflict')/g, null),
      ...Object.values(errorCodes).map(({ description: text }) => ({ file: 'errors/codes.ts', text })),
      ...Object.values(keySetFailures).map((text) => ({ file: 'login/external-jwt/signer-keys.ts', text })),
      ...textsOf('admin', /\bcursor\.expected\(/g, 0),
      ...textsOf('admin', /\binvalidFilter\(/g, 1),
      ...textsOf('admin', /\bkindNames: Readonly<Record<FieldKind, string>> = /g, null),
      ...textsOf('store/sql', /\b(?:throw|return) refused\(/g, 0),
      ...textsOf('store/sql', /\bAuthError\('invalid_filter', \{\s+description:\s+/g, null),
      ...Object.values(claimRefusals).map((text) => ({ file: 'login/certificate/ca-claim.ts', text })),
      ...textsOf('admin', /\bAuthError\('\w+', \{\s+description:\s+/g, null),
    ];
    assert.ok(sentences.length > 250, `${sentences.length} were found`);
    const missing = sentences
      .filter(({ text }) => !isNoSentence(text))
      .filter(({ text }) => {
        const filled = text.replaceAll(/\{(\d)\}/g, 'V$1');
        return german(filled) === filled;
      })
      .map(({ file, text }) => `${file}: ${text}`);
    assert.deepEqual(missing, []);
  });

  test('has one plural of token, which is that of the console', () => {
    const files = ['checks-de', 'failures-de', 'reasons-de', 'refusals-de'];
    const sources = files.map((file) => readFileSync(`src/explain/${file}.ts`, 'utf8')).join('\n');
    // The genitive of one token has the same letters.
    assert.deepEqual(sources.match(/(?<!\b(?:des|dieses|eines|desselben) )(?:\w+-)?\bTokens\b/g), null);
  });

  test('is translated once', () => {
    const all = [checksInGerman, refusalsInGerman, failuresInGerman].flatMap((table) => Object.keys(table));
    assert.deepEqual(
      all.filter((sentence, at) => all.indexOf(sentence) !== at),
      [],
    );
  });

  test('has a name for each check in the console', () => {
    const names = readFileSync('web/console/parts/check-names.ts', 'utf8');
    const checks = [
      ...textsOf(deciding, /\.(?:passed|failed|seen)\(/g, 0),
      ...textsOf(deciding, /\bcheck: (?=')/g, null),
    ].map(({ text }) => text);
    assert.ok(checks.length > 100, `${checks.length} were found`);
    assert.deepEqual(
      checks.filter((check) => !names.includes(`  ${check}: `) && !names.includes(`'${check}': `)),
      [],
    );
  });

  test('has its values as they were, even where they look like a sentence', () => {
    for (const [english, expected] of [
      ['policy a allows password', 'Richtlinie a erlaubt Passwort'],
      ['password', 'password'],
      ['policy x allows signer y allows signer z', 'Richtlinie x erlaubt Signer y allows signer z'],
      ['rule of partner: "is already taken"', 'Regel von partner: „is already taken“'],
      ['signer s: its issuer is "$&{1}"', 'Signer s: der Aussteller ist "$&{1}"'],
      ['until 2030-01-31T12:00:00.000Z', 'bis 2030-01-31T12:00:00.000Z'],
      [
        'The filter could not be parsed: expected at position 8: a text in quotation marks, or null',
        'Der Filter lässt sich nicht lesen: an Stelle 8 wurde erwartet: ein Text in Anführungszeichen oder null',
      ],
      [
        `rule of partner: ${claimRefusals['claim-missing']}`,
        'Regel von partner: das Zertifikat hat dort keinen Namen',
      ],
      ['ada', 'ada'],
      ['', ''],
    ] as const)
      assert.equal(german(english), expected);
    assert.equal(inLanguage('policy a allows password', 'en'), 'policy a allows password');
  });

  test('is left in English where a text is too long to be ours', () => {
    for (const long of ['a; '.repeat(20_000), `signer ${'x, and it is '.repeat(20_000)}`])
      assert.equal(german(long), long);
  });
});
