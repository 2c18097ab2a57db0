// A wire as long as it is told: what comes in at one end goes out at the other after so many Millis. A thread of its own,
// so that the load generator does not make it longer.
import { type AddressInfo, connect, createServer } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface WireOptions {
  /** The file of a socket. */
  readonly target: string;
  /** One way, in Millis. */
  readonly delay: number;
}

export interface Wire {
  /** On 127.0.0.1. */
  readonly port: number;
  close(): Promise<void>;
}

export async function openWire(options: WireOptions): Promise<Wire> {
  const worker = new Worker(new URL(import.meta.url), { workerData: options });
  const port = await new Promise<number>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  return { port, close: async () => void (await worker.terminate()) };
}

if (!isMainThread) {
  const { target, delay } = workerData as WireOptions;
  const wire = createServer((near) => {
    const far = connect(target);
    near.setNoDelay(true);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.on('data', (bytes) => void setTimeout(() => to.write(bytes), delay));
    }
  }).listen(0, '127.0.0.1', () => parentPort?.postMessage((wire.address() as AddressInfo).port));
}
