// What an import takes, what it says of the rest, and what a repeated one does.

import assert from 'node:assert/strict';
import { createHash, createPrivateKey } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hashRawSync } from '@node-rs/argon2';
import { asId, type IdentityId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { usualPolicy } from '../../src/model/usual-policy.ts';
import { authority, client as clientCertificate, commonName, type Made } from '../support/chains.ts';
import { beginLogin, claimsOf, codeOf, login, redeem, submitPassword } from '../support/flow.ts';
import { httpsClient } from '../support/https-client.ts';
import { testBudget } from '../support/list-budget.ts';
import { loggedIn } from '../support/management.ts';
import { postgresServer } from '../support/postgres.ts';
import { boltDatabase, type Content, value } from './bolt-writer.ts';
import { expected, freshHome, type Home, keyFile, validWhenTaken } from './support.ts';

const everything = {
  filter: { op: 'and', terms: [] },
  sort: [],
  limit: 1000,
  offset: 0,
  budget: testBudget,
} as const;
const trusting = ['--trust', 'controller-ca.pem', '--signing-key', 'controller-signing-ca.key'] as const;

const counted = (created: number, changed = 0, leftOut = 0) => ({
  created,
  changed,
  unchanged: 0,
  conflict: 0,
  leftOut,
});

describe('an import', () => {
  let home: Home;
  before(async () => {
    home = await freshHome();
  });
  after(() => home.cli[Symbol.asyncDispose]());

  test('that is a dry run says what it would do, and writes nothing', async () => {
    const config = readFileSync(join(home.folder, 'controller.yml'), 'utf8');
    const bundle = readFileSync(join(home.folder, 'pki', 'ca-bundle.pem'), 'utf8');
    const tried = await home.importFile('--dry-run', '-j', '--report', 'report.json', ...trusting);
    assert.equal(tried.code, 0, tried.stderr);
    assert.equal(tried.json.dryRun, true);
    assert.deepEqual(tried.json.counts, {
      'auth-policy': counted(6, 1),
      'ext-jwt-signer': counted(3),
      ca: counted(4),
      'config-type': counted(9),
      identity: counted(37),
      authenticator: counted(30),
      totp: counted(4, 0, 1),
      enrollment: counted(4, 0, 1),
    });
    assert.deepEqual(JSON.parse(readFileSync(join(home.cli.cwd, 'report.json'), 'utf8')), tried.json);
    assert.equal(readFileSync(join(home.folder, 'controller.yml'), 'utf8'), config);
    assert.equal(readFileSync(join(home.folder, 'pki', 'ca-bundle.pem'), 'utf8'), bundle);
    await home.running(async ({ store }) => {
      assert.equal((await store.identities.list(everything)).totalCount, 0);
      assert.equal((await store.cas.list(everything)).totalCount, 0);
    });
  });

  test('reports what was not imported and why, for people and for programs, without secrets', async () => {
    const outcome = await home.importFile('--dry-run', '-j', ...trusting);
    const { leftOut, notTaken, deviations, authorities } = outcome.json;
    const reasonOf = (name: string): string =>
      leftOut.find((each: { name: string }) => each.name === name)?.reason;
    assert.match(reasonOf('back from leave'), /lockout that was over at 2026-11-22T08:56:02/);
    assert.match(reasonOf('totp started'), /never confirmed/);
    assert.match(reasonOf('sensor-ec-01'), /appData/);
    assert.match(reasonOf('erott'), /routers/);
    const kinds = notTaken.map(({ kind, count }: { kind: string; count: number }) => [kind, count]);
    assert.deepEqual(new Map(kinds).get('apiSessions'), 6);
    assert.deepEqual(new Map(kinds).get('services'), 2);
    assert.ok(deviations.some(({ field }: { field: string }) => field === 'requireVerifiedEmail'));
    assert.equal(authorities.length, 2);
    const text = await home.importFile('--dry-run', ...trusting);
    assert.match(text.stdout, /^identity +37 /m);
    assert.match(text.stdout, /Nothing was written\.$/m);
    for (const { totp, enrollments, authenticators } of expected.identities) {
      const secrets = [
        totp?.secret,
        ...(totp?.recoveryCodes ?? []),
        ...enrollments.map(({ token }) => token),
      ];
      for (const secret of [...secrets, ...authenticators.map(({ password }) => password)])
        assert.ok(secret === undefined || !(outcome.stdout + text.stdout).includes(secret));
    }
  });

  test('without an authority reports each of its certificates that cannot log in', async () => {
    const outcome = await home.importFile('--dry-run', '-j');
    const untrusted = outcome.json.deviations.filter(({ what }: { what: string }) =>
      what.includes('--trust'),
    );
    assert.equal(untrusted.length, 8);
  });

  test('refuses files of the PKI that cannot be used, before anything is written', async () => {
    writeFileSync(
      join(home.cli.cwd, 'leaf.pem'),
      keyFile('sensor-ec.crt').split(/(?<=END CERTIFICATE-----\n)/)[0] ?? '',
    );
    writeFileSync(join(home.cli.cwd, 'other.key'), keyFile('ca-ott.key'));
    for (const [options, message] of [
      [['--trust', 'leaf.pem'], /leaf\.pem cannot be used: it contains no certificate of an authority/],
      [['--trust', 'ctrl.db'], /ctrl\.db cannot be used: it is not a text file/],
      [['--trust', 'gone.pem'], /gone\.pem cannot be used: it does not exist/],
      [['--trust', 'controller-ca.pem', '--signing-key', 'other.key'], /none of the authorities of --trust/],
      [['--trust', 'controller-ca.pem', '--signing-key', 'leaf.pem'], /no private key/],
    ] as const) {
      const outcome = await home.importFile(...options);
      assert.equal(outcome.code, 1, options.join(' '));
      assert.match(outcome.stderr, message);
    }
    await home.running(async ({ store }) => {
      assert.equal((await store.identities.list(everything)).totalCount, 0);
    });
  });

  test('imports every entity with its id, as an administrator of the source then sees it', async () => {
    const outcome = await home.importFile(...trusting);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stdout, /All of it is written\.$/m);
    assert.match(outcome.stderr, /^\d+ entities imported in \d+\.\d s$/m);
    await home.running(async (running) => {
      const admin = await loggedIn(running, 'admin', 'Import-A-Adm1n-pw');
      const listed = async (path: string) => {
        const answer = await admin.get(`${path}?limit=500`);
        assert.equal(answer.status, 200, answer.text);
        return new Map<string, Record<string, unknown>>(
          answer.json.data.map((each: { id: string }) => [each.id, each]),
        );
      };
      const identities = await listed('identities');
      assert.equal(identities.size, expected.identities.length);
      for (const {
        id,
        name,
        typeId,
        isAdmin,
        disabled,
        externalId,
        authPolicyId,
        roleAttributes,
        tags,
      } of expected.identities) {
        const { type: _type, ...found } = identities.get(id) ?? {};
        const wanted = { name, typeId, isAdmin, disabled, externalId, authPolicyId, tags };
        for (const [field, content] of Object.entries(wanted))
          assert.deepEqual(found[field], content, `${name} ${field}`);
        assert.deepEqual([...(found.roleAttributes as string[])].sort(), [...roleAttributes].sort());
        assert.equal((await admin.get(`identities/${id}`)).status, 200, id);
      }
      const policies = await listed('auth-policies');
      for (const { id, name, primary, secondary, tags } of expected.authPolicies) {
        const found = policies.get(id);
        assert.ok(found !== undefined, id);
        // The source knows no passkeys.
        const { passkey } = usualPolicy.primary;
        assert.deepEqual([found.name, found.primary, found.tags], [name, { ...primary, passkey }, tags]);
        const { requireTotp, requireExtJwtSigner } = found.secondary as Record<string, unknown>;
        assert.deepEqual(
          [requireTotp, requireExtJwtSigner ?? undefined],
          [secondary.requireTotp, secondary.requireExtJwtSigner],
        );
      }
      const signers = await listed('external-jwt-signers');
      for (const signer of expected.signers) {
        const found = signers.get(signer.id);
        for (const field of [
          'name',
          'issuer',
          'audience',
          'enabled',
          'useExternalId',
          'claimsProperty',
          'jwksEndpoint',
          'kid',
          'targetToken',
          'tags',
        ] as const)
          assert.deepEqual(found?.[field], signer[field], `${signer.name} ${field}`);
      }
      const cas = await listed('cas');
      for (const ca of expected.cas) {
        const found = cas.get(ca.id);
        for (const field of ['name', 'isVerified', 'isAuthEnabled', 'identityRoles'] as const)
          assert.deepEqual(found?.[field], ca[field], `${ca.name} ${field}`);
        const claim =
          ca.externalIdClaim === undefined ? null : { ...ca.externalIdClaim, removeMatched: true };
        assert.deepEqual(found?.externalIdClaim, claim);
      }
      assert.equal((await listed('config-types')).size, 9);
      const enrollments = await listed('enrollments');
      for (const { id, token } of expected.identities.flatMap((each) => each.enrollments)) {
        const found = enrollments.get(id);
        assert.equal(found?.token, token, id);
        assert.equal(claimsOf(String(found?.jwt)).jti, token);
      }
      assert.equal((await listed('authenticators')).size, 30);
    });
  });

  test('continues to issue certificates with the given key, and keeps the former authority', async () => {
    const config = readFileSync(join(home.folder, 'controller.yml'), 'utf8');
    assert.match(config, /cert: "\.\/pki\/imported-signing\.cert\.pem"/);
    const bundle = readFileSync(join(home.folder, 'pki', 'ca-bundle.pem'), 'utf8');
    assert.equal(bundle.match(/BEGIN CERTIFICATE/g)?.length, 4);
    const again = await home.importFile(...trusting, '-j');
    assert.equal(again.code, 0, again.stderr);
    assert.equal(again.json.signing, 'unchanged');
    assert.deepEqual(again.json.authorities, []);
    assert.equal(readFileSync(join(home.folder, 'pki', 'ca-bundle.pem'), 'utf8'), bundle);
    assert.equal(readFileSync(join(home.folder, 'controller.yml'), 'utf8'), config);
  });

  test('accepts a signing key in any form, and stores it in one', async () => {
    const other = await freshHome();
    try {
      const key = createPrivateKey(keyFile('controller-signing-ca.key'));
      const pem = key.export({ format: 'pem', type: 'pkcs1' });
      writeFileSync(join(other.cli.cwd, 'pkcs1.key'), pem);
      const outcome = await other.importFile('--trust', 'controller-ca.pem', '--signing-key', 'pkcs1.key');
      assert.equal(outcome.code, 0, outcome.stderr);
      const kept = readFileSync(join(other.folder, 'pki', 'imported-signing.key.pem'), 'utf8');
      assert.match(kept, /^-----BEGIN PRIVATE KEY-----/);
      assert.equal(statSync(join(other.folder, 'pki', 'imported-signing.key.pem')).mode & 0o777, 0o600);
    } finally {
      await other.cli[Symbol.asyncDispose]();
    }
  });

  test('that is repeated undoes nothing of what happened here since', async () => {
    await home.running(async (running) => {
      const admin = await loggedIn(running, 'admin', 'Import-A-Adm1n-pw');
      assert.equal((await admin.call('DELETE', 'identities/Dj23DKiZi')).status, 200);
      assert.equal(
        (await admin.call('PATCH', 'identities/6Xo3DKiZB', { roleAttributes: ['moved'] })).status,
        200,
      );
      const password = { password: 'chosen here after the move' };
      assert.equal(
        (await admin.call('PATCH', 'authenticators/5dsGvVuYGbXERiMSjyEn7q', password)).status,
        200,
      );
      assert.equal((await admin.call('DELETE', 'enrollments/JLkywReUXXhO9h8ffiyuL')).status, 200);
    });
    const repeated = await home.importFile(...trusting, '-j');
    assert.equal(repeated.code, 0, repeated.stderr);
    for (const [kind, counts] of Object.entries<Record<string, number>>(repeated.json.counts)) {
      const { created, changed, conflict } = counts;
      assert.deepEqual({ created, changed, conflict }, { created: 0, changed: 0, conflict: 0 }, kind);
    }
    await home.running(async (running) => {
      const gone = await submitPassword(running, await beginLogin(running), 'alice', 'alice-Passw0rd');
      assert.equal(gone.status, 401);
      const former = await submitPassword(
        running,
        await beginLogin(running),
        'dwayne',
        '"quoted\\ pass\'word"',
      );
      assert.equal(former.status, 401);
      await login(running, 'dwayne', 'chosen here after the move');
      assert.equal((await running.store.enrollments.list(everything)).totalCount, 3);
    });
  });
});

function sha1(der: Buffer): string {
  return createHash('sha1').update(der).digest('hex');
}

const now = value.time('2026-11-22T08:00:00Z');
const dated = { createdAt: now, updatedAt: now };
const passwordOf = (identity: string, username: string): Content => ({
  ...dated,
  method: value.text('updb'),
  identity: value.text(identity),
  updbUsername: value.text(username),
  // "second Passw0rd!"
  updbPassword: value.text('4tFIGZAi2mJZvrNTBcw8FqBWBvTlh/GZsT08AmMraow='),
  updbSalt: value.text('X1P+tHkwc3WKjA=='),
});
const policies = {
  default: {
    ...dated,
    name: value.text('Default'),
    'primary.updb.allowed': value.flag(true),
    'primary.cert.allowed': value.flag(true),
  },
};
const identityOf = (name: string, more: Content = {}): Content => ({
  ...dated,
  name: value.text(name),
  type: value.text('Default'),
  authPolicyId: value.text('default'),
  ...more,
});
const sourceOf = (content: Content): Buffer => boltDatabase({ ziti: { authPolicies: policies, ...content } });

async function withSource<T>(content: Content, work: (home: Home) => Promise<T>): Promise<T> {
  const home = await freshHome({ source: sourceOf(content) });
  try {
    return await work(home);
  } finally {
    await home.cli[Symbol.asyncDispose]();
  }
}

const certificateOf = (identity: string, made: Pick<Made, 'certPem' | 'der'>): Content => ({
  ...dated,
  method: value.text('cert'),
  identity: value.text(identity),
  certPem: value.text(made.certPem),
  certFingerprint: value.text(sha1(made.der)),
});

describe('values that break our rules', () => {
  test('are changed or left out, and each one is reported', () =>
    withSource(
      {
        identities: {
          a1: identityOf(' Ana\u00a0\u200bB. '),
          a2: identityOf('Ana B.'),
          a3: identityOf('type', { type: value.text('Robot') }),
          a4: identityOf('tags', {
            tags: {
              list: { x: value.flag(true) },
              fine: value.text('yes'),
              long: value.text('x'.repeat(2000)),
              ['__proto__']: value.text('of nothing'),
              constructor: value.text('kept'),
            },
          }),
          a5: identityOf('nobody', { authPolicyId: value.text('gone') }),
          a6: identityOf('x'.repeat(300)),
          'bad/id': identityOf('bad id'),
        },
        authenticators: {
          p1: passwordOf('a1', 'Bob'),
          p2: passwordOf('a2', 'bob'),
          p3: passwordOf('a3', ' spaced '),
          p4: passwordOf('gone', 'orphan'),
        },
        constructor: { c1: {} },
        ['__proto__']: { c2: {} },
      },
      async (home) => {
        const outcome = await home.importFile('-j');
        assert.equal(outcome.code, 0, outcome.stderr);
        const { deviations, leftOut, notTaken } = outcome.json;
        const whatOf = (id: string) =>
          deviations
            .filter((each: { id: string }) => each.id === id)
            .map((each: { field: string }) => each.field);
        assert.deepEqual(whatOf('a1'), ['name']);
        assert.deepEqual(whatOf('a2'), ['name']);
        assert.deepEqual(whatOf('a3'), ['type']);
        assert.deepEqual(whatOf('a4'), ['tags', 'tags', 'tags']);
        assert.match(outcome.stdout, /lacks \\"__proto__\\": it must not be named __proto__/);
        assert.deepEqual(
          notTaken.map(({ kind, reason }: Record<string, string>) => [kind, reason]),
          ['__proto__', 'constructor'].map((kind) => [kind, 'is not known to this release']),
        );
        assert.deepEqual(whatOf('a6'), ['name']);
        assert.deepEqual(whatOf('p1'), ['username']);
        const left = new Map(leftOut.map(({ id, reason }: { id: string; reason: string }) => [id, reason]));
        assert.deepEqual([...left.keys()].sort(), ['a5', 'bad/id', 'p2', 'p3', 'p4']);
        assert.match(String(left.get('p2')), /letter case/);
        await home.running(async (running) => {
          const named = (await running.store.identities.list(everything)).items.map(({ name }) => name);
          assert.deepEqual([...named].sort(), ['Ana B.', 'Ana B. (a2)', 'tags', 'type', 'x'.repeat(255)]);
          const tagged = await running.store.identities.find(asId('a4'));
          assert.deepEqual(tagged?.tags, { fine: 'yes', constructor: 'kept' });
          await login(running, 'BOB', 'second Passw0rd!');
        });
      },
    ));

  test('that no database can store are left out, on PostgreSQL too', async () => {
    const signer = (more: Content): Content => ({
      ...dated,
      issuer: value.text('https://idp.example'),
      audience: value.text('overlay'),
      certPem: value.text(keyFile('ca-ott.crt')),
      ...more,
    });
    const source = sourceOf({
      identities: { a1: identityOf('zero\0name', { tags: { 'a\0b': value.text('c\0d') } }) },
      externalJwtSigners: {
        s1: signer({ name: value.text('zero\0'), kid: value.text('k\0') }),
        s2: signer({ name: value.text('zero\0'), kid: value.text('k'), claimsProperty: value.text('s\0') }),
      },
      cas: {
        c1: {
          ...dated,
          name: value.text('ca\0'),
          certPem: value.text(keyFile('ca-auto.crt')),
          verificationToken: value.text('t\0'),
          identityNameFormat: value.text('[caName]\0'),
        },
      },
    });
    const home = await freshHome({ db: await (await postgresServer()).createDatabase(), source });
    try {
      const outcome = await home.importFile('-j');
      assert.equal(outcome.code, 0, outcome.stderr);
      assert.deepEqual(
        outcome.json.leftOut.map(({ id }: { id: string }) => id),
        ['s1'],
      );
      await home.running(async ({ store }) => {
        const [identity] = (await store.identities.list(everything)).items;
        assert.deepEqual([identity?.name, identity?.tags], ['zeroname', {}]);
      });
    } finally {
      await home.cli[Symbol.asyncDispose]();
    }
  });

  test('a password that our form of passwords would change is compared as it was typed', () =>
    withSource(
      {
        identities: { a1: identityOf('ana') },
        authenticators: {
          p1: {
            ...passwordOf('a1', 'ana'),
            // argon2id of "cafe\u0301\u00a0x", which has another normal form
            updbPassword: value.text('JywilHMSQdBCXF4aGANe/xpD6UV3U18Hm98/sCLxtFI='),
            updbSalt: value.text(Buffer.from('0123456789').toString('base64')),
          },
        },
      },
      async (home) => {
        assert.equal((await home.importFile()).code, 0);
        await home.running(async (running) => {
          const composed = await submitPassword(running, await beginLogin(running), 'ana', 'caf\u00e9 x');
          assert.equal(composed.status, 401);
          await login(running, 'ana', 'cafe\u0301\u00a0x');
          // Hashed anew in our form, by which every keyboard types the same.
          await login(running, 'ana', 'caf\u00e9 x');
          await login(running, 'ana', 'cafe\u0301\u00a0x');
        });
      },
    ));

  test('that decide nothing leave no CA out, and a CA that is shut in the source is not advised to be opened', () => {
    const shut = authority();
    const authorities = [shut, authority(), authority()];
    const rule = (fields: Readonly<Record<string, Buffer>>) =>
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [`externalIdClaim.${name}`, field]));
    const noise = value.text(`\u0001${'x'.repeat(300)}`);
    const rules = [
      {
        matcher: value.text('ALL'),
        matcherCriteria: noise,
        parser: value.text('NONE'),
        parserSeparator: noise,
      },
      { matcher: value.text('PREFIX'), matcherCriteria: value.text(''), parser: value.text('NONE') },
      { matcher: value.text('SUFFIX'), matcherCriteria: noise, parser: value.text('NONE') },
    ];
    const leaf = clientCertificate({ issuer: shut });
    return withSource(
      {
        identities: {
          a1: identityOf('ana'),
          a2: identityOf('first', { isDefaultAdmin: value.flag(true) }),
          a3: identityOf('reader', { permissions: value.set('admin_readonly') }),
        },
        cas: Object.fromEntries(
          authorities.map(({ certPem }, at) => [
            `c${at}`,
            {
              ...dated,
              name: value.text(`ca ${at}`),
              certPem: value.text(certPem),
              isVerified: value.flag(true),
              isAuthEnabled: value.flag(false),
              externalIdClaim: rule({
                location: value.text('COMMON_NAME'),
                index: value.int(0),
                ...rules[at],
              }),
            },
          ]),
        ),
        authenticators: { k1: certificateOf('a1', leaf) },
      },
      async (home) => {
        const outcome = await home.importFile('-j');
        assert.equal(outcome.code, 0, outcome.stderr);
        const { deviations, leftOut } = outcome.json;
        assert.deepEqual(
          leftOut.map(({ id }: { id: string }) => id),
          ['c2'],
        );
        const reports = JSON.stringify(deviations.filter(({ id }: { id: string }) => id === 'k1'));
        assert.match(reports, /its CA ca 0 has authentication off, in the source too/);
        assert.doesNotMatch(reports, /--trust/);
        await home.running(async ({ store }) => {
          const { items } = await store.cas.list(everything);
          assert.deepEqual(items.map(({ externalIdClaim }) => externalIdClaim?.matcher).sort(), [
            'ALL',
            'ALL',
          ]);
          const found = (id: string) => store.identities.find(asId<IdentityId>(id));
          assert.equal((await found('a2'))?.isAdmin, true);
          assert.deepEqual((await found('a3'))?.permissions, ['read']);
        });
      },
    );
  });

  test('a certificate whose path leads through a CA that is shut in the source is reported', () => {
    const open = authority(validWhenTaken);
    const shut = authority({ issuer: open, ...validWhenTaken });
    const leaf = clientCertificate({ issuer: shut, ...validWhenTaken });
    const ca = (certPem: string, isAuthEnabled: boolean) => ({
      ...dated,
      name: value.text(isAuthEnabled ? 'open' : 'shut'),
      certPem: value.text(certPem),
      isVerified: value.flag(true),
      isAuthEnabled: value.flag(isAuthEnabled),
    });
    return withSource(
      {
        identities: { a1: identityOf('ana') },
        cas: { c0: ca(open.certPem, true), c1: ca(shut.certPem, false) },
        authenticators: { k1: certificateOf('a1', { ...leaf, certPem: leaf.certPem + shut.certPem }) },
      },
      async (home) => {
        const outcome = await home.importFile('-j');
        assert.equal(outcome.code, 0, outcome.stderr);
        const { deviations } = outcome.json;
        const reports = JSON.stringify(deviations.filter(({ id }: { id: string }) => id === 'k1'));
        assert.match(reports, /its CA shut has authentication off, in the source too/);
      },
    );
  });

  test('a password with control characters logs in as it was typed, by every way', () => {
    const salt = Buffer.from('0123456789');
    const cost = { memoryCost: 3072, timeCost: 1, parallelism: 4, outputLen: 32, algorithm: 2, salt };
    const typed = ['tab\tand\u001bescape', 'line\nend\r\n', 'nul\0inside', '\u0001\u007f\u0085\u200b\ufeff'];
    const names = typed.map((_, at) => `control ${at}`);
    return withSource(
      {
        identities: Object.fromEntries(names.map((name, at) => [`c${at}`, identityOf(name)])),
        authenticators: Object.fromEntries(
          names.map((name, at) => [
            `p${at}`,
            {
              ...passwordOf(`c${at}`, name),
              updbPassword: value.text(hashRawSync(typed[at] ?? '', cost).toString('base64')),
              updbSalt: value.text(salt.toString('base64')),
            },
          ]),
        ),
      },
      async (home) => {
        assert.equal((await home.importFile()).code, 0);
        await home.running(async (running) => {
          for (const [at, password] of typed.entries()) {
            const username = names[at] ?? '';
            for (const kind of ['json', 'form'] as const) {
              const fields = { authRequestId: await beginLogin(running), username, password };
              const answer = await running.post('/oidc/login/username', { [kind]: fields });
              assert.equal(answer.status, 302, `${kind} ${JSON.stringify(password)}: ${answer.text}`);
            }
            const legacy = await running.post('/edge/client/v1/authenticate?method=password', {
              json: { username, password },
            });
            assert.equal(legacy.status, 200, `legacy ${JSON.stringify(password)}`);
          }
        });
      },
    );
  });

  test('an identity keeps all of its certificates, and a certificate that a rule gives to another is left out', async () => {
    const ca = authority({ subject: 'partner', ...validWhenTaken });
    const leaves = ['first', 'second'].map((name) =>
      clientCertificate({ subject: commonName(name), issuer: ca, ...validWhenTaken }),
    );
    const claimed = clientCertificate({
      subject: commonName('corp-somebody'),
      issuer: ca,
      ...validWhenTaken,
    });
    const [first, second] = leaves;
    assert.ok(first !== undefined && second !== undefined);
    await withSource(
      {
        identities: {
          a1: identityOf('ana'),
          a2: identityOf('bea', { externalId: value.text('somebody') }),
        },
        cas: {
          c1: {
            ...dated,
            name: value.text('partner'),
            certPem: value.text(ca.certPem),
            isVerified: value.flag(true),
            isAuthEnabled: value.flag(true),
            externalIdClaim: {
              'externalIdClaim.location': value.text('COMMON_NAME'),
              'externalIdClaim.matcher': value.text('PREFIX'),
              'externalIdClaim.matcherCriteria': value.text('corp-'),
              'externalIdClaim.parser': value.text('NONE'),
              'externalIdClaim.parserSeparator': value.text(''),
              'externalIdClaim.index': value.int(0),
            },
          },
        },
        authenticators: {
          k1: certificateOf('a1', first),
          k2: certificateOf('a1', second),
          k3: certificateOf('a1', claimed),
          k4: { ...certificateOf('a2', claimed), certFingerprint: value.text('00') },
        },
      },
      async (home) => {
        const outcome = await home.importFile('-j');
        assert.equal(outcome.code, 0, outcome.stderr);
        const left = outcome.json.leftOut.map(({ id }: { id: string }) => id);
        assert.deepEqual(left, ['k3', 'k4']);
        await home.running(async (running) => {
          for (const [made, identity] of [
            [first, 'a1'],
            [second, 'a1'],
            [claimed, 'a2'],
          ] as const) {
            const { certPem: cert, keyPem: key } = made;
            using client = httpsClient(running.url, running.caPem, { cert, key, maxSockets: 1 });
            const json = { authRequestId: await beginLogin(client) };
            const answer = await client.post('/oidc/login/cert', { json });
            const tokens = await redeem(client, codeOf(answer));
            assert.equal(
              JSON.parse(Buffer.from(tokens.json.access_token.split('.')[1], 'base64url').toString()).sub,
              identity,
            );
          }
        });
      },
    );
  });
});

describe('an import of a source that has changed since', () => {
  test('updates entities that were not changed here, and reports a conflict for the others', () =>
    withSource(
      {
        identities: { a1: identityOf('ana'), a2: identityOf('bea'), a3: identityOf('cleo') },
        authenticators: { p1: passwordOf('a1', 'ana') },
      },
      async (home) => {
        assert.equal((await home.importFile()).code, 0);
        await home.running(async ({ store, clock }) => {
          const [bea] = (await store.identities.list(everything)).items.filter(({ name }) => name === 'bea');
          assert.ok(bea !== undefined);
          await store.identities.update(bea.id, { roleAttributes: [typedName('here')] }, clock.now());
          const [cleo] = (await store.identities.list(everything)).items.filter(
            ({ name }) => name === 'cleo',
          );
          assert.ok(cleo !== undefined);
          await store.identities.delete(cleo.id, clock.now());
        });
        const later = value.time('2026-11-22T08:30:00Z');
        const changed = (name: string) =>
          identityOf(name, { updatedAt: later, roleAttributes: value.set('there') });
        writeFileSync(
          join(home.cli.cwd, 'ctrl.db'),
          sourceOf({
            identities: {
              a1: changed('ana'),
              a2: changed('bea'),
              a3: changed('cleo'),
              a4: identityOf('dora'),
            },
            authenticators: { p1: passwordOf('a1', 'ana'), p4: passwordOf('a4', 'dora') },
          }),
        );
        const again = await home.importFile('-j');
        assert.equal(again.code, 0, again.stderr);
        const statusOf = new Map(
          again.json.entities.map(({ id, status }: { id: string; status: string }) => [id, status]),
        );
        assert.deepEqual(
          ['a1', 'a2', 'a3', 'a4', 'p1', 'p4'].map((id) => statusOf.get(id)),
          ['changed', 'conflict', 'conflict', 'created', 'unchanged', 'created'],
        );
        assert.deepEqual(
          again.json.conflicts.map(({ name, reason }: { name: string; reason: string }) => [name, reason]),
          [
            ['bea', 'it was changed here since it was imported'],
            ['cleo', 'it was deleted here since it was imported'],
          ],
        );
        await home.running(async ({ store }) => {
          const { items } = await store.identities.list(everything);
          const attributes = Object.fromEntries(
            items.map(({ name, roleAttributes }) => [name, roleAttributes]),
          );
          assert.deepEqual(attributes, { ana: ['there'], bea: ['here'], dora: [] });
        });
      },
    ));

  test('keeps names that pass for one another, and reports each', () =>
    withSource(
      {
        identities: {
          a1: identityOf('ana'),
          a2: identityOf('ANA'),
          a3: identityOf('аnа'),
          a4: identityOf('bea'),
        },
        authenticators: { p1: passwordOf('a1', 'ana'), p4: passwordOf('a4', 'ANNA') },
      },
      async (home) => {
        const outcome = await home.importFile('-j');
        assert.equal(outcome.code, 0, outcome.stderr);
        assert.deepEqual(
          outcome.json.deviations
            .map(({ id, field, what }: Record<string, string>) => [id, field, what])
            .filter(([, field]: readonly string[]) => field === 'name'),
          ['a2', 'a3'].map((id) => [id, 'name', 'passes for a name of the identity ana, and is kept']),
        );
        const again = await home.importFile('-j');
        assert.deepEqual([again.code, again.json.counts.identity.unchanged], [0, 4], again.stderr);
      },
    ));

  test('leaves alone what has the same name or user name here', () =>
    withSource(
      {
        identities: { a1: identityOf('ana'), a2: identityOf('bea') },
        authenticators: { p1: passwordOf('a1', 'ana'), p2: passwordOf('a2', 'Root') },
      },
      async (home) => {
        const made = await home.cli.run(
          ['admin', 'create', 'root', '--password-stdin', '--config', join(home.folder, 'controller.yml')],
          { input: 'seven quiet lanterns\n' },
        );
        assert.equal(made.code, 0, made.stderr);
        await home.running(async ({ store }) => {
          const [root] = (await store.identities.list(everything)).items;
          assert.ok(root !== undefined);
          await store.identities.update(root.id, { name: typedName('ana') }, home.clock.now());
        });
        const outcome = await home.importFile('-j');
        assert.deepEqual(
          outcome.json.conflicts.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`),
          ['identity a1', 'authenticator p1', 'authenticator p2'],
        );
        await home.running((running) => login(running, 'root', 'seven quiet lanterns'));
      },
    ));
});

test('an import into PostgreSQL logs in the same people, and can be repeated', async () => {
  const home = await freshHome({ db: await (await postgresServer()).createDatabase() });
  try {
    const outcome = await home.importFile('-j', ...trusting);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.deepEqual(outcome.json.counts.identity, counted(37));
    const again = await home.importFile('-j', ...trusting);
    assert.equal(again.json.counts.identity.unchanged, 37);
    await home.running(async (running) => {
      await login(running, 'zoë.müller', 'päss wörd 密码');
      const [cert, key] = [keyFile('certonly.crt'), keyFile('certonly.key')];
      using client = httpsClient(running.url, running.caPem, { cert, key, maxSockets: 1 });
      const json = { authRequestId: await beginLogin(client) };
      assert.equal((await client.post('/oidc/login/cert', { json })).status, 302);
    });
  } finally {
    await home.cli[Symbol.asyncDispose]();
  }
});
