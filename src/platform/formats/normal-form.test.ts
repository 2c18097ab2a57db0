import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commonName } from '../../../test/support/chains.ts';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { acceptableName } from '../../admin/acceptable-values.ts';
import { usualRules } from '../../admin/auth-policies.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { checkNewPassword } from '../../login/password/password-rules.ts';
import { nameKeys, usernameKey } from '../../model/names.ts';
import { readDer } from '../x509/der.ts';
import { readDistinguishedName } from '../x509/distinguished-name.ts';
import { inNormalForm } from './normal-form.ts';

/** As many combining marks as a body of 64 KiB can have, in the wrong order. */
const marks = '\u0300\u0334'.repeat(16_000);

test('a text of the length of a name is brought into its form, whatever its characters', () => {
  assert.equal(inNormalForm('Ju\u0308rgen', 'NFC'), 'Jürgen');
  assert.equal(inNormalForm('ｒｏｏｔ', 'NFKC'), 'root');
  // Each of them takes four units: a letter and three marks.
  const decomposed = '\u1f85'.normalize('NFD').repeat(255);
  assert.equal(inNormalForm(decomposed, 'NFC'), '\u1f85'.repeat(255));
});

describe('a body of combining marks costs no more than another one', () => {
  const refused = (step: () => void) => () => assert.throws(step, AuthError);
  const uses: Readonly<Record<string, (text: string) => void>> = {
    'as a user name': (text) => assert.equal(usernameKey(text), undefined),
    'as the name of a passkey': (text) => nameKeys(text),
    'as the name of an identity': (text) => refused(() => acceptableName('name', text))(),
    'as a name in a certificate': (text) => readDistinguishedName(readDer(commonName(text))),
    'as a new password': (text) => refused(() => checkNewPassword(text, usualRules.primary.updb, ['ada']))(),
  };
  for (const [how, use] of Object.entries(uses))
    test(how, () => assertCostsLess(300, () => use(`a${marks}`)));
});
