import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeBase64url } from '../../platform/digest.ts';
import { MalformedInput } from '../../platform/formats/strict-input.ts';
import { readForeignJwt } from './foreign-jwt.ts';

const goodHeader = '{"alg":"ES256","kid":"k"}';
const goodClaims = '{"iss":"https://idp.example","sub":"alice"}';
const signature = encodeBase64url('signature');

function jwt(header: string, claims = goodClaims): string {
  return `${encodeBase64url(header)}.${encodeBase64url(claims)}.${signature}`;
}

describe('a JWT of another issuer', () => {
  test('is read without being believed', () => {
    const { alg, kid, issuer, claims } = readForeignJwt(jwt(goodHeader));
    assert.deepEqual({ alg, kid, issuer }, { alg: 'ES256', kid: 'k', issuer: 'https://idp.example' });
    assert.equal(claims.sub, 'alice');
  });

  test('may have the types of ID and access tokens, and key offers that are ignored', () => {
    const headers = [
      '{"alg":"ES256"}',
      '{"alg":"ES256","typ":"JWT"}',
      '{"alg":"ES256","typ":"jwt"}',
      '{"alg":"ES256","typ":"at+jwt"}',
      '{"alg":"ES256","typ":"application/at+jwt"}',
      '{"alg":"ES256","typ":"JOSE"}',
      '{"alg":"ES256","typ":null,"kid":null}',
      '{"alg":"ES256","kid":""}',
      '{"alg":"ES256","jku":"https://evil.example","jwk":{"kty":"oct"},"x5u":"https://evil.example","x5c":[]}',
    ];
    for (const header of headers) assert.equal(readForeignJwt(jwt(header)).kid, null, header);
  });

  test('is refused with a header that means something else', () => {
    const headers = [
      '{}',
      'null',
      '[]',
      '"ES256"',
      '{"alg":null}',
      '{"alg":["ES256"]}',
      '{"alg":"ES256","alg":"none"}',
      '{"alg":"ES256","\\u0061lg":"none"}',
      '{"alg":"ES256","crit":["exp"]}',
      '{"alg":"ES256","crit":["x"]}',
      '{"alg":"ES256","crit":[]}',
      '{"alg":"ES256","crit":null}',
      '{"alg":"ES256","b64":false,"crit":["b64"]}',
      '{"alg":"ES256","b64":true}',
      '{"alg":"ES256","zip":"DEF"}',
      '{"alg":"ES256","cty":"JWT"}',
      '{"alg":"dir","enc":"A256GCM"}',
      '{"alg":"ES256","typ":"logout+jwt"}',
      '{"alg":"ES256","typ":"dpop+jwt"}',
      '{"alg":"ES256","typ":"secevent+jwt"}',
      '{"alg":"none","typ":"JWT"}',
      '{"alg":"ES256","typ":""}',
      '{"alg":"ES256","typ":["JWT"]}',
      '{"alg":"ES256","typ":"application/application/jwt"}',
      '{"alg":"ES256","kid":7}',
      '{"alg":"ES256","kid":["k"]}',
      `{"alg":"ES256","kid":"${'k'.repeat(257)}"}`,
      '{"alg":"ES256","__proto__":{"kid":"k"}}',
      '{"alg":"ES256"}x',
      '\ufeff{"alg":"ES256"}',
    ];
    for (const header of headers) assert.throws(() => readForeignJwt(jwt(header)), MalformedInput, header);
  });

  test('is refused with claims that are not an object, repeat a member, or name no issuer', () => {
    const payloads = [
      '',
      'null',
      '[]',
      '"x"',
      'alice',
      '{}',
      '{"iss":null}',
      '{"iss":""}',
      '{"iss":7}',
      '{"iss":["https://idp.example"]}',
      '{"iss":"https://a.example","iss":"https://b.example"}',
      '{"iss":"https://a.example","sub":"alice","sub":"root"}',
      `{"iss":"${'i'.repeat(3000)}"}`,
      '{"iss":"https://idp.example","x":"\\ud800"}',
      `{"iss":"https://idp.example","x":${'['.repeat(50)}${']'.repeat(50)}}`,
    ];
    for (const claims of payloads)
      assert.throws(() => readForeignJwt(jwt(goodHeader, claims)), MalformedInput, claims.slice(0, 60));
  });

  test('is refused in any other form', () => {
    const [header = '', payload = ''] = jwt(goodHeader).split('.');
    const hostile = [
      '',
      '.',
      '..',
      '...',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}..${signature}`,
      `.${payload}.${signature}`,
      `${header}.${payload}.${signature}.`,
      `${header}.${payload}.${signature}.${signature}.${signature}`,
      ` ${jwt(goodHeader)}`,
      `${jwt(goodHeader)}\n`,
      `${jwt(goodHeader)}=`,
      `${header}.${payload}.+/+/`,
      `${header}=.${payload}.${signature}`,
      `{"payload":"${payload}","protected":"${header}","signature":"${signature}"}`,
      jwt(goodHeader, `{"iss":"https://idp.example","x":"${'x'.repeat(20_000)}"}`),
      '.'.repeat(1_000_000),
      `${encodeBase64url(Buffer.from([0xff, 0xfe]))}.${payload}.${signature}`,
    ];
    for (const token of hostile)
      assert.throws(() => readForeignJwt(token), MalformedInput, token.slice(0, 60));
    // The last character of this signature has bits that no byte uses.
    assert.throws(() => readForeignJwt(`${header}.${payload}.AB`), MalformedInput);
  });
});
