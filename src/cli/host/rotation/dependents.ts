// Parts that would stop working without an authority: nodes that have not got so far, and certificates of clients.

import type { X509Certificate } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type ControllerNode, heartbeatInterval, isOnline } from '../../../model/node.ts';
import { HOUR, SECOND } from '../../../platform/clock.ts';
import { isIssuedBy, parseCertificate } from '../../../platform/x509/x509.ts';
import type { Host } from '../open-host.ts';

/**
 * The names of the running nodes that are not as they should be, once each had time to say so: nodes tell their keys
 * and authorities with every heartbeat.
 */
export async function nodesThatFail(
  { foundations: { store, clock } }: Host,
  isReady: (node: ControllerNode) => boolean,
): Promise<readonly string[]> {
  const failing = async () =>
    (await store.nodes.listAll()).filter((node) => isOnline(node, clock.now()) && !isReady(node));
  const patience = clock.monotonic() + heartbeatInterval + 2 * SECOND;
  let found = await failing();
  while (found.length > 0 && clock.monotonic() < patience) {
    await wait(SECOND / 2);
    found = await failing();
  }
  return found.map(({ name }) => name);
}

/**
 * Certificates of clients that have not expired and that one of these authorities has issued.
 * @returns how many, and the names of the first few of their identities
 */
export async function clientsOf(
  { foundations: { store, clock } }: Host,
  authorities: readonly X509Certificate[],
) {
  const names: string[] = [];
  let count = 0;
  const query = {
    filter: {
      op: 'and',
      terms: [
        { op: '=', field: 'method', value: 'cert' },
        { op: '>', field: 'certExpiresAt', value: clock.now() },
      ],
    },
    sort: [{ field: 'id', descending: false }],
    limit: 500,
    offset: 0,
    // On the host no other request waits for a turn.
    budget: { payer: 'host', isStranger: false, comparisons: Number.MAX_SAFE_INTEGER, time: HOUR },
  } as const;
  for (let page = await store.authenticators.list({ ...query, part: 'first' }); ; ) {
    for (const one of page.items) {
      if (one.method !== 'cert' || !isOfOne(one.certPem, authorities)) continue;
      count += 1;
      if (names.length < mostNames) names.push(one.identityName);
    }
    if (page.next === undefined || page.next === null) return { count, some: names };
    page = await store.authenticators.list({ ...query, part: page.next });
  }
}

const mostNames = 10;

function isOfOne(certPem: string, authorities: readonly X509Certificate[]): boolean {
  const certificate = parseCertificate(certPem);
  return authorities.some((authority) => isIssuedBy(certificate, authority));
}
