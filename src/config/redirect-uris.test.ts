import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatRedirectUri } from '../model/redirect-uri-pattern.ts';
import {
  allowsAnyRemotePort,
  defaultPostLogoutUris,
  defaultRedirectUris,
  parseRedirectUri,
} from './redirect-uris.ts';
import { Refusal } from './refusal.ts';

describe('configured redirect URIs', () => {
  test('a star as the whole port means every port of that host', () => {
    const loopback = ['localhost', '127.0.0.1', '[::1]'].flatMap((host) => [
      `http://${host}`,
      `https://${host}`,
    ]);
    const others = ['https://app.example.com', 'https://192.0.2.7', 'https://[2001:db8::5]'];
    for (const prefix of [...loopback, ...others]) {
      const pattern = parseRedirectUri(`${prefix}:*/auth/callback?x=1`);
      assert.deepEqual(pattern, { kind: 'any-port', prefix, suffix: '/auth/callback?x=1' });
      assert.equal(allowsAnyRemotePort(pattern), others.includes(prefix), prefix);
    }
    for (const uri of ['https://app.example.com/callback', 'myapp://auth/callback']) {
      assert.equal(allowsAnyRemotePort(parseRedirectUri(uri)), false);
    }
  });

  test('everything else that is allowed is matched exactly', () => {
    const allowed = [
      'https://app.example.com/callback',
      'https://app.example.com',
      'https://app.example.com/',
      'https://app.example.com:8443/cb?tenant=a%20b',
      'https://192.0.2.7/cb',
      'https://[2001:db8::5]:8443/cb',
      'http://localhost/auth/callback',
      'http://localhost:8080/auth/callback',
      'http://127.0.0.1:1/cb',
      'http://[::1]:65535/cb',
      'https://app.example.com/a..b/.well-known/cb',
      'myapp://auth/callback',
      'com.example.app:/callback',
      'com.example.app:///callback',
    ];
    for (const uri of allowed) assert.deepEqual(parseRedirectUri(uri), { kind: 'exact', uri });
  });

  test('a star anywhere else is refused', () => {
    const stars = [
      '*',
      'https://*',
      'https://*/callback',
      'https://*.example.com/callback',
      'https://app.example.com:*',
      'https://*.example.com:*/callback',
      'https://app.example.com:4*/callback',
      'https://app.example.com/*',
      'https://app.example.com/cb?x=*',
      'http://local*:80/callback',
      'http://localhost:*',
      'http://localhost:*?x=1',
      'http://localhost:80*/callback',
      'http://localhost:*80/callback',
      'http://localhost:**/callback',
      'http://localhost:*/*',
      'http://localhost:*/auth/*/callback',
      'http://localhost*/callback',
      'http://localhost.example.com:*/callback',
      'http://127.0.0.2:*/callback',
      'http://0.0.0.0:*/callback',
      'http://[::]:*/callback',
      'http://[0:0:0:0:0:0:0:1]:*/callback',
      'http://*@localhost:80/callback',
      'http*://localhost/callback',
      'myapp://localhost:*/callback',
      'myapp://*',
    ];
    for (const uri of stars) assert.throws(() => parseRedirectUri(uri), Refusal, uri);
  });

  test('a refusal shows how a name or path in other letters is written in a URI', () => {
    for (const [uri, said] of [
      ['https://bücher.example/cb', /cannot have; write https:\/\/xn--bcher-kva\.example\/cb$/],
      ['https://app.example/zurück', /cannot have; write https:\/\/app\.example\/zur%C3%BCck$/],
      ['http://localhost:*/zurück', /must write percent-encoded$/],
    ] as const) {
      assert.throws(() => parseRedirectUri(uri), said);
      // It follows "The field redirectUris", or the path of the setting.
      assert.throws(() => parseRedirectUri(uri), /: has the redirect URI ".+", which is refused: /);
    }
  });

  test('a mistyped https, a missing one and two addresses in one say what to write', () => {
    for (const [uri, said] of [
      ['htps://app.example.com/cb', /htps is no scheme of the web; write https:\/\/app\.example\.com\/cb$/],
      ['hhtps://app.example.com/cb', /write https:\/\/app\.example\.com\/cb$/],
      ['httpss://app.example.com/cb', /write https:\/\/app\.example\.com\/cb$/],
      ['htp://localhost:*/cb', /write http:\/\/localhost:\*\/cb$/],
      ['localhost:3000/cb', /write https:\/\/ before it, or http:\/\/ for localhost$/],
      ['app.example.com:8443/cb', /write https:\/\/ before it, or http:\/\/ for localhost$/],
      ['https://a.example/cb,https://b.example/cb', /it contains a second address; list each by itself$/],
      ['http://localhost/cb;myapp://cb', /it contains a second address; list each by itself$/],
    ] as const)
      assert.throws(() => parseRedirectUri(uri), said, uri);
    for (const uri of [
      'https://a.example/cb,x',
      'https://a.example/cb?next=a,https://b',
      'hp:/cb',
      'ws2:/cb',
    ])
      parseRedirectUri(uri);
  });

  test('fragments, user names, relative references and plain http to another host are refused', () => {
    const hostile = [
      '',
      ' ',
      '/auth/callback',
      'auth/callback',
      '//app.example.com/cb',
      'localhost:8080/cb',
      'https:',
      'https:/app.example.com/cb',
      'https:app.example.com/cb',
      'https://',
      'https:///cb',
      'https://:443/cb',
      'https://app.example.com/cb#',
      'https://app.example.com/cb#x',
      'https://user@app.example.com/cb',
      'https://user:pw@app.example.com/cb',
      'https://localhost:x@evil.example/auth/callback',
      'http://localhost:*@evil.example/auth/callback',
      'http://localhost:80@evil.example/cb',
      'http://localhost:1\\@evil.example/cb',
      'http://app.example.com/cb',
      'http://192.0.2.7/cb',
      'http://localhost.evil.example/cb',
      'http://localhost./cb',
      'http://127.1/cb',
      'http://2130706433/cb',
      'http://0x7f.0.0.1/cb',
      'http://[::ffff:127.0.0.1]/cb',
      'http://LOCALHOST/cb',
      'HTTP://localhost/cb',
      'https://APP.example.com/cb',
      'https://app.example.com./cb',
      'https://bücher.example/cb',
      'http://ⓛocalhost/cb',
      'https://app.example.com:0/cb',
      'https://app.example.com:080/cb',
      'https://app.example.com:65536/cb',
      'https://app.example.com:/cb',
      'https://app.example.com:http/cb',
      'https://app.example.com/../cb',
      'https://app.example.com/a/./cb',
      'https://app.example.com/%2e%2e/cb',
      'https://app.example.com/.%2E',
      'http://localhost:*/auth/../callback',
      'https://app.example.com/a b',
      ' https://app.example.com/cb',
      'https://app.example.com/cb\n',
      'https://app.example.com/c\tb',
      'https://app.example.com/%zz',
      'https://app.example.com/%2',
      'https://app.example.com/"',
      'https://app.example.com/<x>',
      'https://app.example.com/\u0000',
      'https://[::1/cb',
      'https://[zz]/cb',
      'https://[fe80::1%25eth0]/cb',
      'https://ex%61mple.com/cb',
      `https://app.example.com/${'a'.repeat(3000)}`,
    ];
    for (const uri of hostile) {
      assert.throws(
        () => parseRedirectUri(uri),
        (error: unknown) => error instanceof Refusal && error.message.length < 400,
        JSON.stringify(uri.slice(0, 80)),
      );
    }
  });

  test('schemes that a browser executes or opens are refused, in any letter case', () => {
    const hostile = [
      'javascript:alert(1)',
      'JavaScript:alert(1)//',
      'javascript://localhost/%0aalert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://app.example.com/x',
      'view-source:https://app.example.com',
      'filesystem:https://app.example.com/x',
      'about:blank',
      'intent://x/y',
      'ws://localhost/x',
      'urn:ietf:wg:oauth:2.0:oob',
      'mailto:a@b.example',
      'myapp:',
      'myapp:callback',
      'myapp://',
      'myapp://user@auth/callback',
      'MyApp://auth/callback',
      '1app://auth/callback',
      'myapp://[auth]/callback',
      'myapp://auth:x/callback',
    ];
    for (const uri of hostile) assert.throws(() => parseRedirectUri(uri), Refusal, uri);
  });

  test('the defaults are loopback patterns for both schemes and all three hosts', () => {
    const lists = [
      [defaultRedirectUris, '/auth/callback'],
      [defaultPostLogoutUris, '/auth/logout'],
    ] as const;
    for (const [uris, suffix] of lists) {
      const patterns = uris.map(parseRedirectUri);
      assert.equal(new Set(uris).size, 6);
      for (const pattern of patterns) {
        assert.equal(pattern.kind === 'any-port' && pattern.suffix, suffix);
      }
      assert.deepEqual(patterns.map(formatRedirectUri), uris);
    }
  });
});
