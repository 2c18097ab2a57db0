import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { overlayRoot } from '../support/certificates.ts';
import { authority, client, type Made, makeCertificate } from '../support/chains.ts';
import { type CommandLine, commandLine, exits, type Outcome } from '../support/command-line.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { serverOfRoot } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const { server, cli: admin } = await serverOfRoot({ clock });

const fine = (who: CommandLine, args: readonly string[]) => who.exits(0, args);

/** Writes certificate and key where that person's commands run. */
function files(who: CommandLine, name: string, { certPem, keyPem }: Made): readonly [string, string] {
  writeFileSync(join(who.cwd, `${name}.crt`), certPem);
  writeFileSync(join(who.cwd, `${name}.key`), keyPem);
  return [`${name}.crt`, `${name}.key`];
}

function loginWith(who: CommandLine, name: string, leaf: Made): Promise<Outcome> {
  const [cert, key] = files(who, name, leaf);
  return who.run(['login', server.url, '--ca', join(server.home, 'ca.pem'), '-c', cert, '-k', key]);
}

describe('certificates on the command line', () => {
  test('an identity gets one, logs in with it, and its session is renewed with it', async () => {
    await createIdentity(server, 'device');
    const leaf = client({ issuer: await overlayRoot() });
    const [cert] = files(admin, 'device', leaf);
    await using device = commandLine(clock);
    await exits(3, loginWith(device, 'device', leaf));
    await fine(admin, ['create', 'authenticator', 'cert', 'device', '--cert', cert]);
    const listed = await fine(admin, ['list', 'authenticators', 'method = "cert"']);
    assert.match(listed.stdout, /device/);
    const done = await exits(0, loginWith(device, 'device', leaf));
    assert.match(done.stdout, /as device \(cert\)/);
    assert.equal((await fine(device, ['whoami', '-j'])).json.name, 'device');
    clock.advance(HOUR);
    assert.equal((await fine(device, ['whoami', '-j'])).json.name, 'device');
  });

  test('names what is missing to create an authenticator before it asks anything', async () => {
    for (const [args, message] of [
      [['cert', 'root'], /needs its certificate/],
      [['cert', 'root', 'name', '--cert', 'device.crt'], /has no user name/],
      [['updb', 'root'], /needs the user name/],
      [['updb', 'root', 'name', '--cert', 'device.crt'], /belongs to the method cert/],
    ] as const) {
      const refused = await admin.exits(2, ['create', 'authenticator', ...args]);
      assert.match(refused.stderr, message);
    }
  });

  test('a third-party authority is created, verified and used to log in, until it is disabled', async () => {
    await createIdentity(server, 'partner', { externalId: 'partner-7' });
    const made = authority();
    const [caFile] = files(admin, 'partner-ca', made);
    await fine(admin, ['create', 'ca', 'partners', caFile, '--auth', '--claim-location', 'COMMON_NAME']);
    const read = (await fine(admin, ['get', 'ca', 'partners'])).stdout;
    assert.match(read, /^certPem +CN=.+, until 20\d\d-\d\d-\d\d, SHA-256 [0-9A-F:]{95}$/m);
    const shown = (await fine(admin, ['get', 'ca', 'partners', '-j'])).json;
    assert.equal(shown.isAuthEnabled, true);
    assert.equal(shown.externalIdClaim.matcher, 'ALL');
    await fine(admin, [
      'update',
      'ca',
      'partners',
      '--claim-matcher',
      'PREFIX',
      '--claim-matches',
      'partner-',
    ]);
    await fine(admin, ['update', 'ca', 'partners', '--claim-index', '0']);
    const { externalIdClaim } = (await fine(admin, ['get', 'ca', 'partners', '-j'])).json;
    const { location, matcher, matcherCriteria } = externalIdClaim;
    assert.deepEqual([location, matcher, matcherCriteria], ['COMMON_NAME', 'PREFIX', 'partner-']);
    await using partner = commandLine(clock);
    const leaf = client({ issuer: made, subject: 'partner-7' });
    await exits(3, loginWith(partner, 'partner', leaf));

    const wrong = files(admin, 'wrong', makeCertificate({ subject: 'wrong', issuer: made }));
    const refused = await admin.exits(1, ['ca', 'verify', 'partners', '--cert', wrong[0]]);
    assert.match(refused.stderr, /verification token/);
    const [proof] = files(
      admin,
      'proof',
      makeCertificate({ subject: shown.verificationToken, issuer: made }),
    );
    assert.match(
      (await fine(admin, ['ca', 'verify', 'partners', '--cert', proof])).stdout,
      /Verified ca partners/,
    );
    assert.match((await fine(admin, ['list', 'cas'])).stdout, /partners/);

    await exits(0, loginWith(partner, 'partner', leaf));
    await fine(admin, ['update', 'ca', 'partners', '--no-auth']);
    await exits(3, loginWith(partner, 'partner', leaf));
    await fine(admin, ['delete', 'ca', 'partners']);
  });
});
