import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { systemClock } from '../clock.ts';
import { createIntermediateCa, createRootCa, issueServerCertificate } from './pki.ts';
import { leadsToPublicAuthority } from './public-authority.ts';

const needs = { clock: systemClock };
const root = await createRootCa(needs, { commonName: 'Root', days: 2 });
const between = await createIntermediateCa(needs, { commonName: 'Between', days: 2, ca: root });
const server = await issueServerCertificate(needs, { days: 1, dnsNames: ['a.test'], ips: [], ca: between });

describe('a public authority of a server certificate', () => {
  test('is found at the end of the chain, with its root or without', () => {
    const roots = [...rootCertificates.slice(0, 3), root.certPem];
    assert.equal(leadsToPublicAuthority(server.certPem + between.certPem, roots), true);
    assert.equal(leadsToPublicAuthority(server.certPem + between.certPem + root.certPem, roots), true);
  });

  test('is not there for a chain of our own, a gap, or a root that issued nothing of it', () => {
    assert.equal(leadsToPublicAuthority(server.certPem + between.certPem), false);
    assert.equal(leadsToPublicAuthority(server.certPem, [root.certPem]), false);
    assert.equal(leadsToPublicAuthority(server.certPem + root.certPem, [root.certPem]), false);
    assert.equal(leadsToPublicAuthority(`${server.certPem}${rootCertificates[0]}`), false);
  });

  test('of the same name with another key counts for nothing', async () => {
    const namesake = await createRootCa(needs, { commonName: 'Root', days: 2 });
    assert.equal(leadsToPublicAuthority(server.certPem + between.certPem, [namesake.certPem]), false);
  });
});
