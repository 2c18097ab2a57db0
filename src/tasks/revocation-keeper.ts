// Gets revocation lists and responders' answers for all threads of a node, verifies them, and keeps lists in the store,
// where they survive a restart, and where no older one takes the place of a newer one.

import {
  type CheckedCertificate,
  checkedCertificates,
  isChecked,
  statusByLists,
} from '../login/certificate/revocation.ts';
import type { CaId } from '../model/ids.ts';
import { type Clock, MINUTE } from '../platform/clock.ts';
import { fairTurns } from '../platform/fair-turns.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { OutboundClient } from '../platform/network/outbound-client.ts';
import { readPathCertificate } from '../platform/x509/path-certificate.ts';
import {
  ListRefused,
  listInAnswer,
  longestList,
  type RevocationList,
  type UnverifiedList,
} from '../platform/x509/revocation-list.ts';
import type { StatusNews, StatusQuestion } from '../sessions/revocation-view.ts';
import type { Store } from '../store/contracts/store.ts';
import type { OcspResponders } from './ocsp-responders.ts';
import {
  filesOf,
  isDue,
  isFile,
  isMissing,
  isSame,
  learn,
  mostAddresses,
  sourcesOf,
  takeFiles,
  verified,
  type Watched,
  watchedBy,
} from './watched-authority.ts';

interface KeeperNeeds {
  readonly store: Pick<Store, 'cas' | 'revocationLists'>;
  readonly client: OutboundClient;
  readonly responders: OcspResponders;
  readonly clock: Clock;
  readonly log: Logger;
}

export function revocationKeeper(needs: KeeperNeeds) {
  const { store, clock, log } = needs;
  const watched = new Map<CaId, Watched>();
  const loading = new Map<CaId, Promise<Watched | null>>();
  const fetches = listFetches(needs);
  let begun: Promise<void> = Promise.resolve();

  /** One after the other, so that the last one has seen the present state of the store. */
  function load(caId: CaId): Promise<Watched | null> {
    const before = loading.get(caId) ?? Promise.resolve(null);
    const next = before.then(loadNow, loadNow);
    loading.set(caId, next);
    return next;
    async function loadNow(): Promise<Watched | null> {
      const ca = await store.cas.find(caId);
      const known = watched.get(caId);
      if (ca === null || !isChecked(ca)) {
        watched.delete(caId);
        return null;
      }
      const state = watchedBy(ca, known);
      await takeStored(needs, state);
      await takeFiles(state, clock.now());
      watched.set(caId, state);
      // Not awaited: entries of the feed must not wait for other servers.
      if (known?.ca.updatedAt !== ca.updatedAt)
        begun = Promise.all([begun, fetchChanged(state)]).then(() => undefined);
      return state;
    }
  }

  async function fetchChanged(state: Watched): Promise<void> {
    try {
      await fetchDue([state]);
    } catch (error) {
      log.error('task failed', { task: 'revocation lists', error });
    }
  }

  async function fetchDue(states: readonly Watched[]): Promise<void> {
    if (states.length === 0) return;
    const stored = await store.revocationLists.describe(null);
    for (const state of states) {
      const urls = sourcesOf(state);
      const own = new Map(stored.filter(({ caId }) => caId === state.ca.id).map((each) => [each.url, each]));
      if ([...own.keys()].some((url) => !urls.includes(url)))
        await store.revocationLists.keepOnly(state.ca.id, urls, clock.now());
      const due = urls.filter((url) => isDue(own.get(url), filesOf(state.ca).get(url), clock.now()));
      await Promise.all(due.map((url) => fetches.from(state, url)));
    }
  }

  return {
    async listsOf(caId: CaId) {
      return [...((await load(caId))?.lists.values() ?? [])];
    },
    async obtain(question: StatusQuestion): Promise<StatusNews> {
      const state = watched.get(question.caId) ?? (await load(question.caId));
      if (state === null) return { lists: [], answer: null, problem: 'the CA is not checked' };
      return obtainStatus(needs, question, { state, fetches });
    },
    /** Fetches due lists, and notes the results. Call it often. */
    fetchDue: () => fetchDue([...watched.values()]),
    /**
     * Begins no further fetch, and waits for those that a change has begun. A shutdown waits for the task too, and the
     * addresses of one CA alone could take minutes.
     */
    async stop() {
      fetches.stop();
      await begun;
    },
    /** How many addresses and files have no list that counts now. */
    stale() {
      const now = clock.now();
      const isStale = ({ lists }: Watched, url: string) => (lists.get(url)?.nextUpdate ?? 0) <= now;
      return [...watched.values()].flatMap((state) => sourcesOf(state).filter((url) => isStale(state, url)))
        .length;
    },
  };
}

type ListFetches = ReturnType<typeof listFetches>;

/**
 * How many lists are fetched at once, in all and of one CA: each may take 64 MiB until it is kept. A CA whose addresses
 * are slow holds up its other lists until the time of a fetch is over, and no list of another CA.
 */
const turnsOfFetches = {
  ...{ atOnce: 4, ofOne: 2 },
  ...{ waiting: Number.POSITIVE_INFINITY, waitingOfOne: mostAddresses, patience: 5 * MINUTE },
};

function listFetches(needs: KeeperNeeds) {
  const underWay = new Map<string, Promise<void>>();
  const turns = fairTurns(turnsOfFetches);
  let isStopped = false;
  async function inTurn(state: Watched, url: string): Promise<void> {
    if (isFile(url)) return fetchList(needs, state, url);
    const end = await turns.take(state.ca.id);
    try {
      if (!isStopped) await fetchList(needs, state, url);
    } finally {
      end();
    }
  }
  const keyOf = ({ ca }: Watched, url: string) => `${ca.id} ${url}`;
  return {
    /** Never rejects. Those who ask meanwhile wait for the same fetch. */
    from(state: Watched, url: string): Promise<void> {
      const key = keyOf(state, url);
      const before = underWay.get(key);
      if (before !== undefined) return before;
      state.tried.set(url, needs.clock.now());
      const next = inTurn(state, url)
        .catch((error: unknown) => needs.log.error('task failed', { task: 'revocation lists', error }))
        .finally(() => underWay.delete(key));
      underWay.set(key, next);
      return next;
    },
    isUnderWay: (state: Watched, url: string) => underWay.has(keyOf(state, url)),
    stop() {
      isStopped = true;
    },
  };
}

async function obtainStatus(
  { clock, responders }: KeeperNeeds,
  question: StatusQuestion,
  { state, fetches }: { readonly state: Watched; readonly fetches: ListFetches },
): Promise<StatusNews> {
  const certificate = readPathCertificate(question.certificate);
  const issuer = readPathCertificate(question.issuer);
  const [checked] = checkedCertificates([certificate, issuer]) as [CheckedCertificate];
  // Its lists may have been there before its certificate was known.
  const isNew = learn(state, issuer);
  if (isNew) await takeFiles(state, clock.now());
  const decide = () => statusByLists(checked, [...state.lists.values()], clock.now());
  if (decide().status === null) {
    const of = { isNew, now: clock.now() };
    const missing = sourcesOf(state).filter(
      (url) => fetches.isUnderWay(state, url) || isMissing(state, url, of),
    );
    await Promise.all(missing.map((url) => fetches.from(state, url)));
  }
  const verdict = decide();
  if (verdict.status !== null) return { lists: [...state.lists.values()], answer: null, problem: '' };
  const { answer, problem } = await responders.ask(state.ca, { certificate, issuer });
  const problems = [verdict.saw, ...state.problems.values(), problem];
  // The lists as they are now: others may have come meanwhile, and the asking thread takes these for the latest.
  const lists = [...state.lists.values()];
  return { lists, answer, problem: problems.filter((each) => each !== '').join('; ') };
}

/** Takes over what another node, or this one before, has fetched. */
async function takeStored({ store, clock, log }: KeeperNeeds, state: Watched): Promise<void> {
  const { ca, lists, fetched } = state;
  for (const row of await store.revocationLists.describe(ca.id)) {
    const { url } = row;
    if (row.thisUpdate === null || isFile(url) || isSame(lists.get(url), row)) continue;
    const own = fetched.get(url);
    if (own !== undefined && isSame(own, row)) {
      lists.set(url, own);
      continue;
    }
    const stored = await store.revocationLists.find(ca.id, url);
    if (stored === null) continue;
    try {
      const issuer = readPathCertificate(stored.issuerPem);
      learn(state, issuer);
      const list = listInAnswer(Buffer.from(stored.der, 'base64'));
      lists.set(url, await list.verifiedBy(issuer, clock.now()));
    } catch (error) {
      log.warn('stored revocation list is not used', { ca: ca.name, url, problem: messageOf(error) });
    }
  }
}

/** Fetches a list, or reads it from its file, and keeps it if it is newer. */
async function fetchList(needs: KeeperNeeds, state: Watched, url: string): Promise<void> {
  const { store, clock } = needs;
  const { id: caId } = state.ca;
  const now = clock.now();
  try {
    const { list, der } = await readSource(needs, state, url);
    const fetched = await verified(state, list, now);
    if (now >= fetched.nextUpdate)
      throw new ListRefused(`has been outdated since ${new Date(fetched.nextUpdate).toISOString()}`);
    const issuer = state.issuers.get(fetched.authority);
    if (issuer === undefined) throw new Error('a list is verified by an issuer that is known');
    // The feed reports it before `keep` resolves, and it need not be read again.
    state.fetched.set(url, fetched);
    const before = state.lists.get(url);
    const { listNumber, thisUpdate, nextUpdate, entries, authorityName, baseNumber } = fetched;
    const facts = { listNumber, thisUpdate, nextUpdate, entries, issuer: authorityName };
    const stored = { caId, url, ...facts, isDelta: baseNumber !== null };
    const kept = await store.revocationLists.keep(
      { ...stored, issuerPem: issuer.x509.toString(), der: der.toString('base64') },
      now,
    );
    if (kept === 'older')
      throw new ListRefused(
        `is older than the one that is known${numberOf(before)}: its number is ${listNumber}`,
      );
    if (kept === 'other-issuer') throw new ListRefused('is one of another authority than before');
    if (kept !== 'gone') state.lists.set(url, fetched);
    state.problems.delete(url);
  } catch (error) {
    const problem = error instanceof ListRefused ? `the list ${error.message}` : messageOf(error);
    const words = `${url}: ${problem}`;
    if (state.problems.get(url) !== words)
      needs.log.warn('revocation list could not be had', { ca: state.ca.name, url, problem });
    state.problems.set(url, words);
    await store.revocationLists.noteFailure({ caId, url, error: problem }, now);
  } finally {
    state.fetched.delete(url);
  }
}

function numberOf(list: RevocationList | undefined): string {
  return list?.listNumber == null ? '' : ` (number ${list.listNumber})`;
}

async function readSource(
  { client }: KeeperNeeds,
  { ca }: Watched,
  url: string,
): Promise<{ readonly list: UnverifiedList; readonly der: Buffer }> {
  const file = filesOf(ca).get(url);
  if (file !== undefined) return { list: file, der: file.der };
  const accept = 'application/pkix-crl, */*;q=0.5';
  const list = listInAnswer(await client.get(url, { accept, maxBytes: longestList, isSigned: true }));
  return { list, der: list.der };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
