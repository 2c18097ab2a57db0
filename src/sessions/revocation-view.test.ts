import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authority, client, type Made } from '../../test/support/chains.ts';
import { revocationList } from '../../test/support/revocation.ts';
import { checkedCertificates } from '../login/certificate/revocation.ts';
import type { Ca } from '../model/entities/ca.ts';
import { asId, type CaId } from '../model/ids.ts';
import { systemClock } from '../platform/clock.ts';
import { readPathCertificate } from '../platform/x509/path-certificate.ts';
import { listInAnswer, type RevocationList } from '../platform/x509/revocation-list.ts';
import { openRevocationView, type StatusNews } from './revocation-view.ts';

const issuer = authority();
const leaf = client({ issuer });
const path = [leaf, issuer].map(({ der }) => readPathCertificate(der));
const ca = { id: asId<CaId>('ca'), revocation: { mode: 'hard' } } as Ca;

function listOf(number: number, revoked: readonly Made[]): Promise<RevocationList> {
  const list = listInAnswer(revocationList({ issuer, number, revoked }));
  return list.verifiedBy(readPathCertificate(issuer.der), systemClock.now());
}

test('lists that were asked for before newer ones came do not take their place', async () => {
  const [older, newer] = [await listOf(1, []), await listOf(2, [leaf])];
  let current: readonly RevocationList[] = [];
  const asked: PromiseWithResolvers<StatusNews>[] = [];
  const view = await openRevocationView({
    store: { cas: { listAll: async () => [ca] } as never },
    clock: systemClock,
    source: {
      listsOf: async () => current,
      obtain() {
        const answer = Promise.withResolvers<StatusNews>();
        asked.push(answer);
        return answer.promise;
      },
    },
  });
  const first = view.ask(ca, path);
  current = [newer];
  await view.changed(ca.id);
  asked[0]?.resolve({ lists: [older], answer: null, problem: '' });
  assert.equal((await first).status, 'revoked');
  assert.equal(view.peek(ca.id, checkedCertificates(path))?.status, 'revoked');

  // Where the newer ones decide nothing, the older ones decide the question that was under way, and no other.
  current = [];
  await view.changed(ca.id);
  const second = view.ask(ca, path);
  await view.changed(ca.id);
  asked[1]?.resolve({ lists: [older], answer: null, problem: '' });
  assert.equal((await second).status, 'good');
  assert.equal(view.peek(ca.id, checkedCertificates(path)), undefined);
});
