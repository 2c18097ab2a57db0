// Calls and messages between two threads of this process, by name. Each side declares the calls that it answers;
// messages arrive in the order in which they were sent. Those of one turn of the event loop are sent together: each
// message costs both sides more than its contents, and interrupts a thread that is busy with something else.

import type { MessagePort, Transferable, Worker } from 'node:worker_threads';

/** The functions of one side: by name, with one argument, until the caller gives up. */
export type Answers<Names extends PropertyKey = string> = {
  readonly [Name in Names]: (argument: never, gone: AbortSignal | undefined) => unknown;
};

type ArgumentOf<Theirs extends Answers<keyof Theirs>, Name extends keyof Theirs> = Parameters<
  Theirs[Name]
>[0];

export interface ThreadCalls<Theirs extends Answers<keyof Theirs>> {
  /**
   * Resolves with the answer.
   * @param gone aborts the signal of the other side, which answers all the same
   * @throws CallFailed it failed there, or that thread has ended
   */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    argument: ArgumentOf<Theirs, Name>,
    gone?: AbortSignal,
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** Sends a message without an answer. */
  tell<Name extends keyof Theirs & string>(
    name: Name,
    argument: ArgumentOf<Theirs, Name>,
    transfer?: readonly Transferable[],
  ): void;
  /** Sends the messages of this turn now. For a thread that ends: its earlier messages still arrive. */
  sendNow(): void;
  /** The other side has ended: fails the calls that wait for an answer, and all later ones, and gives up what it asked for. */
  end(reason: string): void;
}

/** A call failed in the other thread: the name and message of its error. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly thrown: string;
  readonly details: unknown;
  constructor({ thrown, message, details }: Failure) {
    super(message);
    this.thrown = thrown;
    this.details = details;
  }
}

interface Failure {
  readonly thrown: string;
  readonly message: string;
  /** Its own fields. */
  readonly details: unknown;
}

type Message =
  | { readonly name: string; readonly argument: unknown; readonly id?: number; readonly mayGo?: boolean }
  | { readonly gone: number }
  | { readonly answered: number; readonly value: unknown }
  | { readonly answered: number; readonly failure: Failure };

/** @param answers the calls and messages of the other side; the asking side handles failures */
export function threadCalls<Theirs extends Answers<keyof Theirs>>(
  port: MessagePort | Worker,
  answers: Answers,
): ThreadCalls<Theirs> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  /** Of the other side's questions that it may give up. */
  const askers = new Map<number, AbortController>();
  let lastId = 0;
  let ended: CallFailed | null = null;

  port.on('message', (messages: readonly Message[]) => {
    for (const message of messages) {
      if ('answered' in message) settle(message);
      else if ('gone' in message) askers.get(message.gone)?.abort();
      else void answer(message);
    }
  });
  const { send, sendNow } = gathering(port, (message, error) => {
    if ('answered' in message) send({ answered: message.answered, failure: failureOf(error) });
    else if ('gone' in message || message.id === undefined) throw error;
    else settle({ answered: message.id, failure: failureOf(error) });
  });

  function settle(message: Extract<Message, { answered: number }>): void {
    const waiter = waiting.get(message.answered);
    waiting.delete(message.answered);
    if ('failure' in message) waiter?.reject(new CallFailed(message.failure));
    else waiter?.resolve(message.value);
  }

  async function answer({ name, argument, id, mayGo }: Extract<Message, { name: string }>): Promise<void> {
    const respond = answers[name] as (argument: unknown, gone?: AbortSignal) => unknown;
    // The sender does not wait, so an error must not be lost.
    if (id === undefined) {
      respond(argument);
      return;
    }
    const asker = mayGo === true ? new AbortController() : undefined;
    if (asker !== undefined) askers.set(id, asker);
    try {
      send({ answered: id, value: await respond(argument, asker?.signal) });
    } catch (error) {
      send({ answered: id, failure: failureOf(error) });
    } finally {
      askers.delete(id);
    }
  }

  return {
    ask(name, argument, gone) {
      if (ended !== null) return Promise.reject(ended);
      lastId += 1;
      const id = lastId;
      const answered = new Promise<never>((resolve, reject) => {
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        send({ name, argument, id, ...(gone === undefined ? {} : { mayGo: true }) });
      });
      return whileWanted(gone, answered, () => send({ gone: id }));
    },
    tell(name, argument, transfer = []) {
      send({ name, argument }, transfer);
    },
    sendNow,
    end(reason) {
      ended = new CallFailed({ thrown: 'ThreadEnded', message: reason, details: {} });
      for (const { reject } of waiting.values()) reject(ended);
      waiting.clear();
      for (const asker of askers.values()) asker.abort();
    },
  };
}

/**
 * Lets a client give up work that is under way in another thread.
 * @param giveUp called once, at once if the client has gone already, and not after the work is over
 * @returns the outcome of the work, which may be that it was given up
 */
export function whileWanted<T>(
  gone: AbortSignal | undefined,
  work: Promise<T>,
  giveUp: () => void,
): Promise<T> {
  if (gone === undefined) return work;
  if (gone.aborted) giveUp();
  else gone.addEventListener('abort', giveUp);
  return work.finally(() => gone.removeEventListener('abort', giveUp));
}

/**
 * The calls of a thread that was just started and calls nothing itself.
 * @param what the words for it in the error of calls when it has ended
 */
export function callsOfThread<Theirs extends Answers<keyof Theirs>>(worker: Worker, what: string) {
  const calls = threadCalls<Theirs>(worker, {});
  let cause = '';
  worker.on('error', (error) => {
    cause = `: ${String(error)}`;
  });
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      calls.end(`${what} has ended${cause}`);
      resolve();
    });
  });
  return { calls, ended };
}

/**
 * Sends messages through a port, those of one turn together.
 * @param onRefused called with a message that cannot cross threads, and why
 */
function gathering(port: MessagePort | Worker, onRefused: (message: Message, error: unknown) => void) {
  type Sent = { readonly message: Message; readonly transfer: readonly Transferable[] };
  let gathered: Sent[] = [];
  const post = (sent: readonly Sent[]) =>
    port.postMessage(
      sent.map(({ message }) => message),
      sent.flatMap(({ transfer }) => transfer),
    );

  function postAlone(sent: Sent): void {
    try {
      post([sent]);
    } catch (error) {
      onRefused(sent.message, error);
    }
  }

  function sendNow(): void {
    const sent = gathered;
    gathered = [];
    if (sent.length === 0) return;
    try {
      post(sent);
    } catch {
      // A message that cannot cross threads is a defect of its sender, and keeps no other from arriving.
      for (const one of sent) postAlone(one);
    }
  }

  return {
    send(message: Message, transfer: readonly Transferable[] = []): void {
      if (gathered.push({ message, transfer }) === 1) setImmediate(sendNow);
    },
    sendNow,
  };
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { thrown: 'Error', message: String(error), details: {} };
  const { name, message, stack: _, cause: __, ...details } = error as Error & Record<string, unknown>;
  return { thrown: name, message, details };
}
