import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PostgresTlsError, readPostgresTls, staysOnMachine, withoutTlsParameters } from './postgres-tls.ts';

const read = (query: string, env: Record<string, string> = {}, host = 'db.example') =>
  readPostgresTls(new URL(`postgres://u@${host}/x${query}`), env);

describe('the TLS parameters of a PostgreSQL URL', () => {
  test('means a server that proves who it is, unless it says otherwise', () => {
    for (const [query, protection] of [
      ['?sslmode=verify-full', 'verified'],
      ['?sslmode=verify-ca', 'verified'],
      ['?sslmode=require', 'verified'],
      ['?sslmode=prefer', 'verified'],
      ['?ssl=true', 'verified'],
      ['?sslrootcert=/root.pem', 'verified'],
      ['?sslcert=/c.pem&sslkey=/k.pem', 'verified'],
      ['?sslnegotiation=direct', 'verified'],
      ['?channel_binding=require', 'verified'],
      ['?sslmode=no-verify&channel_binding=prefer', 'unverified'],
      ['?sslmode=no-verify', 'unverified'],
      ['?sslmode=disable', 'plain'],
      ['?application_name=x', 'unasked'],
      ['', 'unasked'],
    ] as const) {
      assert.equal(read(query).protection, protection, query);
    }
  });

  test('comes from the environment where it says nothing', () => {
    assert.equal(read('', { PGSSLMODE: 'require' }).protection, 'verified');
    assert.equal(read('?sslmode=disable', { PGSSLMODE: 'require' }).protection, 'plain');
    assert.equal(read('', { PGSSLMODE: '' }).protection, 'unasked');
    assert.equal(read('', { PGCHANNELBINDING: 'require' }).protection, 'verified');
    const files = { PGSSLROOTCERT: '/r.pem', PGSSLCERT: '/c.pem', PGSSLKEY: '/k.pem' };
    assert.deepEqual(read('?sslmode=verify-full&sslrootcert=/mine.pem', files), {
      protection: 'verified',
      rootFile: '/mine.pem',
      certFile: '/c.pem',
      keyFile: '/k.pem',
      negotiation: 'postgres',
    });
    const socket = '/var/run/postgresql';
    assert.equal(read(`?host=${socket}`, { PGSSLMODE: 'verify-full', ...files }).protection, 'plain');
  });

  test('is refused where it would lead to something other than was meant', () => {
    for (const [query, env] of [
      ['?sslmode=verify_full'],
      ['?sslmode=allow'],
      ['?sslmode='],
      ['?sslmode=Require'],
      ['?SSLMODE=require'],
      ['?sslMode=require'],
      ['?ssl_mode=require'],
      ['?ssl=on'],
      ['?ssl=false'],
      ['?ssl=true&sslmode=disable'],
      ['?sslmode=require&sslmode=disable'],
      ['?uselibpqcompat=true&sslmode=require'],
      ['?sslcrl=/revoked.pem'],
      ['?sslmode=require&sslpassword=x'],
      ['?tls=true'],
      ['?require_auth=scram-sha-256'],
      ['?requirepeer=postgres'],
      ['?sslmode=require&sslrootcert=root.pem'],
      ['?sslmode=require&sslcert=/c.pem'],
      ['?sslmode=require&sslkey=/k.pem'],
      ['?sslnegotiation=soon'],
      ['?channel_binding=required'],
      ['?channel_binding=require&sslmode=disable'],
      ['?sslmode=no-verify', { PGCHANNELBINDING: 'require' }],
      ['?sslmode=require&host=/var/run/postgresql'],
      ['', { PGSSLMODE: 'on' }],
      ['', { PGSSLMODE: 'verify_full' }],
      ['', { PGSSLMODE: 'constructor' }],
      ['', { PGSSLROOTCERT: 'root.pem' }],
    ] as const) {
      assert.throws(() => read(query, env), PostgresTlsError, `${query} ${JSON.stringify(env)}`);
    }
  });

  test('does not ignore a schema: the message says how to name one', () => {
    for (const name of ['schema', 'currentSchema', 'search_path'])
      assert.throws(() => read(`?${name}=overlay`), /options=-c%20search_path%3D/, name);
    assert.equal(read('?options=-c%20search_path%3Doverlay').protection, 'unasked');
  });

  test('is removed from the URL, and nothing else is', () => {
    const url = new URL('postgres://u:p%40%2F@h:5/x?sslmode=require&application_name=a&sslrootcert=/r&ssl=1');
    assert.equal(withoutTlsParameters(url).href, 'postgres://u:p%40%2F@h:5/x?application_name=a');
  });

  test('matters where it leaves the machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.3.2.1', '[::1]', '%2Fvar%2Frun']) {
      assert.equal(staysOnMachine(new URL(`postgres://u@${host}/x`)), true, host);
    }
    for (const host of ['db.example', 'localhost.example', '10.0.0.1', '[2001:db8::1]']) {
      assert.equal(staysOnMachine(new URL(`postgres://u@${host}/x`)), false, host);
    }
    assert.equal(staysOnMachine(new URL('postgres://u@localhost/x?host=db.example')), false);
  });
});
