// Authentication of callers: our keys, issuers and clients, access tokens, and the session view, which loads ended
// sessions before any request is admitted.

import { parseRedirectUri } from '../config/redirect-uris.ts';
import { algorithmsInUse } from '../model/signing-key.ts';
import { clientRegistry, tokenUses } from '../oidc/clients.ts';
import { DAY } from '../platform/clock.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import { requestAuthenticator } from '../sessions/authenticate-request.ts';
import { openIssuerView } from '../sessions/issuer-view.ts';
import type { RevocationSource } from '../sessions/revocation-view.ts';
import { secondaryTokens } from '../sessions/secondary-tokens.ts';
import { type DenySet, openSessionView } from '../sessions/session-view.ts';
import { ztSessions } from '../sessions/zt-session.ts';
import { clockWatch } from '../tasks/clock-watch.ts';
import type { Deliverer } from '../tasks/deliver.ts';
import { ocspResponders } from '../tasks/ocsp-responders.ts';
import { revocationKeeper } from '../tasks/revocation-keeper.ts';
import { accessTokenVerifier } from '../tokens/access-token.ts';
import { dpopVerifier } from '../tokens/dpop-verifier.ts';
import { ensureSigningKeys, type KeyRing, longestSignedLifetime, openKeyRing } from '../tokens/key-ring.ts';
import { openServerSecrets } from '../tokens/server-secrets.ts';
import { type ProofMemory, usedProofs } from '../tokens/used-proofs.ts';
import type { Base } from './in-use.ts';
import type { Providers } from './providers.ts';
import type { Records } from './records.ts';

export type Callers = Awaited<ReturnType<typeof openCallers>>;

interface CallersNeeds extends Pick<Records, 'audit' | 'subscribers'> {
  readonly ownAuthorities: readonly PathCertificate[];
  /** Woken when there is something to deliver, once it is there; null: another thread delivers. */
  readonly deliveries: { readonly deliverer: Pick<Deliverer, 'wake'> | null };
}

/** Resolves when the keys exist and the deny set is complete. */
export async function openCallers(
  base: Base,
  { jwks, outbound }: Pick<Providers, 'jwks' | 'outbound'>,
  { audit, subscribers, ownAuthorities, deliveries }: CallersNeeds,
) {
  const { config, store, vault, clock, random, log, first, threads, inUse } = base;
  const ring = await openKeyRing({ keys: store.keys, vault, clock });
  const points = config.listeners.flatMap(({ bindPoints }) => bindPoints);
  const issuers = await openIssuerView(
    store,
    points.map(({ issuer }) => issuer),
  );
  const revoked: DenySet = new Map();
  const responders = ocspResponders({ client: outbound, clock, random });
  const keeper =
    first === undefined ? revocationKeeper({ store, client: outbound, responders, clock, log }) : null;
  const view = await openSessionView({
    store,
    clock,
    jwks,
    revocationSource: sourceOf(keeper, first),
    ownAuthorities,
    revoked,
    threads,
    tokenLifetime: inUse.accessTokenEnd,
    sessionTimeout: () => inUse.edge.api.sessionTimeout,
    log,
    onSigningKeys: ring.reload,
    onNodes: issuers.reload,
    onEventSubscriptions: subscribers.reload,
    onDelivery: () => deliveries.deliverer?.wake(),
    readRedirectUri: parseRedirectUri,
  });
  const watch = clockWatch({ store, clock, log, onSetRight: view.feed.startOver });
  await watch.compare();
  const rotateKeysWhenDue = keyRotation(base, ring, audit);
  // Keys are made here if there are none, unless the clock is wrong.
  if (first === undefined && (!watch.isWrong || ring.list().length === 0)) await rotateKeysWhenDue();

  const clients = clientRegistry(config.edge.oidc.compatibility.clientIds, view.clients);
  const accessTokens = accessTokenVerifier(ring, {
    issuers: issuers.all,
    lifetimes: inUse.lifetimes,
    revoked,
    useOf: tokenUses(clients),
    threads,
  });
  const secrets = await openServerSecrets({ keys: store.keys, vault, random });
  const secondary = secondaryTokens({ clock, jwks, signers: view.signers }, threads);
  const sessions = ztSessions({ ...view, secondary, clock, tagKey: secrets.tagKey });
  const memory = proofMemory(base);
  const proofs = dpopVerifier(secrets.dpopNonceKey, memory, Math.ceil(4000 / threads));
  const needs = { clockWatch: watch, accessTokens, proofs, view, secondary, clock, ztSessions: sessions };
  const authenticate = requestAuthenticator(needs);
  return {
    ring,
    issuers,
    revoked,
    view,
    keeper,
    watch,
    rotateKeysWhenDue,
    clients,
    accessTokens,
    proofs,
    usedProofs: memory,
    secrets,
    authenticate,
  };
}

/** One thread gets revocation lists for all. */
function sourceOf(keeper: RevocationSource | null, first: Base['first']): RevocationSource {
  const source = keeper ?? first?.revocations;
  if (source === undefined) throw new Error('the first thread keeps the lists');
  return source;
}

/**
 * Where used DPoP proofs are remembered: by the first thread, or in the database where other nodes share it.
 * docs/decisions/dpop.md
 */
function proofMemory({ config, store, clock, random, first }: Base): ProofMemory {
  if (config.db.engine !== 'sqlite')
    return {
      use: async ({ id, until }) => ((await store.oidcClients.useAssertion(id, until)) ? 'new' : 'used'),
      startedAt: 0,
      epoch: '',
    };
  return first?.usedProofs ?? { use: usedProofs(), startedAt: clock.now(), epoch: random.id() };
}

/** Makes the next signing keys when they are due. */
function keyRotation({ config, store, vault, clock, inUse }: Base, ring: KeyRing, audit: Records['audit']) {
  const algorithms = algorithmsInUse(config.edge.oidc.idTokenSigningAlg);
  return async () => {
    const needs = { keys: store.keys, vault, clock, ring };
    // A day at least: applications log people out with the ID token of their login, expired or not.
    const tokenLifetime = Math.max(longestSignedLifetime(inUse.edge.oidc), DAY);
    for (const { kid, alg } of await ensureSigningKeys(needs, algorithms, tokenLifetime))
      audit.record({ event: 'key.rotated', kid, alg }, null);
  };
}
