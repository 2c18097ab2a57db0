// The calls of those who are in while others connect: in a thread of its own, because the one that makes the storm is
// too busy to notice in time that an answer is there.

import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { expectStatus, openConnection } from '../load/connection.ts';
import { currentApiSession } from './api-call.ts';
import { bearerHead } from './operation.ts';

interface Asked {
  readonly port: number;
  readonly tokens: readonly string[];
  /** Calls a second. */
  readonly rate: number;
}

const connections = 8;

export interface StormCalls {
  /** @returns how long each call took, Millis */
  stop(): Promise<Float64Array>;
}

/** Calls at a steady rate until told to stop. Resolves once the connections are open. */
export async function startStormCalls(asked: Asked): Promise<StormCalls> {
  const worker = new Worker(new URL(import.meta.url), { workerData: asked });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  const message = <T>() =>
    Promise.race([failed, new Promise<T>((resolve) => worker.once('message', resolve))]);
  await message();
  return {
    async stop() {
      worker.postMessage('stop');
      return message<Float64Array>();
    },
  };
}

async function call({ port, tokens, rate }: Asked): Promise<void> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  parentPort?.postMessage('open');
  const latencies: number[] = [];
  const callers = open.map(async (connection, caller) => {
    for (let at = caller; !isOver; at += connections) {
      const begun = performance.now();
      const head = bearerHead(tokens[at % tokens.length] ?? '');
      expectStatus(await connection.request('GET', currentApiSession, head), 200);
      latencies.push(performance.now() - begun);
      await sleep((connections * 1000) / rate);
    }
    connection.close();
  });
  await Promise.all(callers);
  parentPort?.postMessage(Float64Array.from(latencies));
}

if (parentPort !== null) await call(workerData as Asked);
