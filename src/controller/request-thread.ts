// A request thread beside the first one. It does everything that a node does, except that the first thread writes the
// log, the decision records and, on SQLite, the database, hashes passwords, and does the background work.

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Config, LogConfig } from '../config/config.ts';
import type { ConcludedAttempt } from '../explain/attempt-log.ts';
import type { MetricsText } from '../http/server/metrics.ts';
import type { AnswerInspector } from '../http/server/mount.ts';
import type { CountedTogether } from '../http/server/shared-source-counts.ts';
import type { CaId } from '../model/ids.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import type { KeySetNews, KeySetQuestion } from '../platform/jwk/jwks-cache.ts';
import { forwardingLogger, type LineLevel, type LogEntry } from '../platform/log/logger.ts';
import type { SampledLine } from '../platform/log/sampled-lines.ts';
import type { Random } from '../platform/random.ts';
import { releaseMemory } from '../platform/release-memory.ts';
import type { HashCost } from '../platform/secrets/hash-cost.ts';
import { askerOf, HashPoolFull, HashPoolStopped, HashUnwanted } from '../platform/secrets/hash-pool.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import type { Password } from '../platform/secrets/password-hash.ts';
import { CallFailed, type ThreadCalls, threadCalls } from '../platform/thread-calls.ts';
import {
  type Intermediates,
  learnIntermediates,
  onIntermediates,
} from '../platform/x509/known-intermediates.ts';
import type { RevocationSource, StatusNews, StatusQuestion } from '../sessions/revocation-view.ts';
import type { PresentedOnce, ProofMemory, ProofOnce } from '../tokens/used-proofs.ts';
import { openThreadStore } from './database.ts';
import type { Foundations } from './foundations.ts';
import { isForMetricsOnly, openListeners, prepareConfig } from './listeners.ts';
import { openServices } from './services.ts';
import type { ThreadCounts } from './thread-counts.ts';
import type { FirstThread } from './thread-roles.ts';

/** Data for a thread at its start. */
export interface ThreadData {
  /** With the open ports, and without the listeners that only the first thread has. */
  readonly config: Config;
  /** From 1; the first thread is 0. */
  readonly number: number;
  readonly threads: number;
  /** Of the key that seals now: this thread need not read the key file. */
  readonly vaultSecret: Uint8Array;
  readonly trustedRoots: readonly string[];
  readonly hashCost: HashCost;
  readonly nodeName: string;
  readonly usedProofs: Pick<ProofMemory, 'startedAt' | 'epoch'>;
  readonly counted: Pick<CountedTogether, 'table' | 'key'>;
  /** One number: 1 while more than one node is online. */
  readonly isCluster: Int32Array<SharedArrayBuffer>;
  /** By the name of the listener. */
  readonly ticketKeys: Readonly<Record<string, Uint8Array>>;
}

/** For the pool of the first thread, which has one queue for all. */
interface Hashed {
  readonly password: Password;
  readonly source: string;
}

/** Calls that the first thread answers. */
export interface AnswersOfFirst {
  log(entry: LogEntry<LineLevel>): void;
  /** Resolves when all lines so far are written. @returns false when they cannot be */
  logWritten(_: null): Promise<boolean>;
  strangersLine(line: SampledLine): void;
  keepAttempt(attempt: ConcludedAttempt): void;
  flushAttempts(_: null): Promise<void>;
  hash(of: Hashed, gone: AbortSignal | undefined): Promise<string>;
  verify(of: Hashed & { readonly phc: string | null }, gone: AbortSignal | undefined): Promise<boolean>;
  /** The other end of the port will send intents. */
  letWrite(port: MessagePort): void;
  /** Something was committed: resolves when no thread still remembers anything that it outdated. */
  changed(_: null): Promise<void>;
  /** Runs a check of the whole controller by its id. */
  check(id: string): Promise<void>;
  readMetrics(_: null): Promise<MetricsText>;
  /** See `DevicePolls`. */
  devicePoll(poll: { id: string; now: Millis }): Promise<Millis | undefined>;
  /** See `ProofMemory`. */
  useProof(of: { proof: PresentedOnce; now: Millis }): Promise<ProofOnce>;
  /** See `FetchingJwksCache`. */
  keySet(question: KeySetQuestion): Promise<KeySetNews | null>;
  /** See `RevocationSource`. */
  revocationLists(caId: CaId): ReturnType<RevocationSource['listsOf']>;
  certificateStatus(question: StatusQuestion): Promise<StatusNews>;
  /** The certificates of a client, for the other threads. */
  intermediates(news: Intermediates): void;
  /** From now on the thread must be asked to catch up with every change. */
  join(_: null): void;
  /** The thread accepts connections. */
  ready(_: null): void;
  /** The thread is alive. */
  beat(counts: ThreadCounts): void;
}

/** Calls that a thread answers. */
export interface AnswersOfThread {
  catchUp(_: null): Promise<void>;
  beFresh(_: null): Promise<void>;
  counts(_: null): ThreadCounts;
  /** When the answer arrives, everything that the thread sent before has arrived too, and its audit events are stored. */
  settle(_: null): Promise<void>;
  /** One thread after the other: see `releaseMemory`. */
  releaseMemory(_: null): void;
  /** Prepares another configuration, with the current contents of its files. @throws what cannot be used */
  prepareConfig(config: Config): Promise<void>;
  /** Puts it in use. */
  useConfig(_: null): void;
  learnIntermediates(news: Intermediates): void;
  useTicketKeys(of: { listener: string; keys: Uint8Array }): void;
  /** Finishes the requests under way and releases everything. */
  stop(_: null): Promise<void>;
}

/** How often a thread says that it is alive. */
export const beatInterval: Millis = SECOND;

/**
 * Answers requests until told to stop. Anything that cannot be opened ends the thread.
 * @param needs.port to the first thread
 */
export async function runRequestThread(needs: {
  data: ThreadData;
  port: MessagePort;
  clock: Clock;
  random: Random;
  vault: KeyVault;
  inspectAnswer?: AnswerInspector;
}): Promise<void> {
  const { data, port } = needs;
  let stop = async () => {};
  // Answered from the beginning: the thread may be told to stop before there is anything to stop.
  const answers: Record<string, (argument: never) => unknown> = { stop: () => stop() };
  const first = threadCalls<AnswersOfFirst>(port, answers);
  // Lines of the audit trail must not be lost with a thread that an error ends.
  process.once('exit', first.sendNow);
  const logLevel = { now: data.config.log.level };
  const foundations = await threadFoundations({ ...needs, logLevel: () => logLevel.now }, first);
  const { store, config } = foundations;
  const services = await openServices(foundations);
  store.changes.onChange(async (notice) => {
    if (notice === 'own') await first.ask('changed', null);
  });
  const ofThread = {
    catchUp: () => services.view.feed.catchUp(),
    beFresh: () => services.view.feed.beFresh(),
    counts: services.counts,
    settle: async () => void (await services.audit.kept()),
    learnIntermediates: (news) => void learnIntermediates(news),
  } satisfies Partial<AnswersOfThread>;
  Object.assign(answers, ofThread);
  onIntermediates((news) => first.tell('intermediates', news));
  await first.ask('join', null);
  // Reads the changes that were committed after its views were read and before it joined.
  await services.view.feed.catchUp();

  const listeners = await openListeners(foundations, services, {
    threads: data.threads,
    counted: { ...data.counted, row: data.number },
    ticketKeys: data.ticketKeys,
    onTicketKeys() {},
  });
  const { address } = config.edge.api;
  await services.node.start({ id: '', name: data.nodeName, address, apiAddresses: [], version: '' });
  const beat = setInterval(() => first.tell('beat', services.counts()), beatInterval);
  stop = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
    await services.stop();
    await store.close();
    clearInterval(beat);
  };
  let prepared: { readonly use: () => void; readonly level: LogConfig['level'] } | undefined;
  const ofListeners = {
    releaseMemory,
    async prepareConfig(fresh) {
      prepared = {
        use: await prepareConfig(foundations, services, {
          config: withoutMetrics(fresh),
          listeners,
          address,
        }),
        level: fresh.log.level,
      };
    },
    useConfig() {
      logLevel.now = prepared?.level ?? logLevel.now;
      prepared?.use();
      prepared = undefined;
    },
    useTicketKeys({ listener: name, keys }) {
      for (const running of listeners)
        if (running.listener.name === name) running.useTicketKeys(Buffer.from(keys));
    },
  } satisfies Partial<AnswersOfThread>;
  Object.assign(answers, ofListeners);
  first.tell('ready', null);
}

async function threadFoundations(
  needs: Parameters<typeof runRequestThread>[0] & { readonly logLevel: () => LogConfig['level'] },
  first: ThreadCalls<AnswersOfFirst>,
): Promise<Foundations> {
  const { data, clock, random, vault, inspectAnswer, logLevel } = needs;
  const config = withoutMetrics(data.config);
  return {
    config,
    clock,
    random,
    vault,
    trustedRoots: data.trustedRoots,
    log: forwardingLogger({ level: logLevel, written: () => first.ask('logWritten', null) }, (entry) =>
      first.tell('log', entry),
    ),
    store: await openThreadStore(config, {
      threads: data.threads,
      joinWriter() {
        const { port1, port2 } = new MessageChannel();
        first.tell('letWrite', port1, [port1]);
        return port2;
      },
    }),
    hashPool: hashesOf(first, data.hashCost),
    first: firstThread(first, data),
    ...(inspectAnswer === undefined ? {} : { inspectAnswer }),
  };
}

/** Only the first thread has the listeners that serve nothing but the metrics. */
function withoutMetrics(config: Config): Config {
  return { ...config, listeners: config.listeners.filter((listener) => !isForMetricsOnly(listener)) };
}

function firstThread(
  first: ThreadCalls<AnswersOfFirst>,
  { threads, isCluster, usedProofs }: ThreadData,
): FirstThread {
  return {
    threads,
    isCluster: () => Atomics.load(isCluster, 0) === 1,
    strangersLine: (line) => first.tell('strangersLine', { ...line, fields: { ...line.fields } }),
    attempts: {
      keep: (attempt) => first.tell('keepAttempt', attempt),
      flush: () => first.ask('flushAttempts', null),
    },
    checks: ['store.read', 'store.changes', 'store.write', 'store.clock'].map((id) => ({
      id,
      check: () => first.ask('check', id),
    })),
    readMetrics: () => first.ask('readMetrics', null),
    devicePolls: (id, now) => first.ask('devicePoll', { id, now }),
    usedProofs: { ...usedProofs, use: (proof, now) => first.ask('useProof', { proof, now }) },
    keySet: (question) => first.ask('keySet', question),
    revocations: {
      listsOf: (caId) => first.ask('revocationLists', caId),
      obtain: (question) => first.ask('certificateStatus', question),
    },
  };
}

/** The pool of the first thread: all threads share one queue. */
function hashesOf(first: ThreadCalls<AnswersOfFirst>, cost: HashCost): Foundations['hashPool'] {
  const asThrown = (error: unknown): never => {
    if (error instanceof CallFailed && error.thrown === 'HashPoolFull')
      throw new HashPoolFull((error.details as { readonly retryAfterSeconds: number }).retryAfterSeconds);
    if (error instanceof CallFailed && error.thrown === 'HashUnwanted') throw new HashUnwanted();
    if (error instanceof CallFailed && error.thrown === 'HashPoolStopped')
      throw new HashPoolStopped(error.message, { cause: error });
    throw error;
  };
  return {
    cost,
    hash(password, asker) {
      const { source, gone } = askerOf(asker);
      return first.ask('hash', { password, source }, gone).catch(asThrown);
    },
    verify(phc, password, asker) {
      const { source, gone } = askerOf(asker);
      return first.ask('verify', { phc, password, source }, gone).catch(asThrown);
    },
    depth() {
      throw new Error('the first thread knows the depth of the pool');
    },
    async close() {},
  };
}
