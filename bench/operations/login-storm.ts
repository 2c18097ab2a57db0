// Every device comes back at once, as after a power cut: how soon the last one is in, and what those notice who are.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, openConnection } from '../load/connection.ts';
import { repeat } from '../load/rounds.ts';
import type { Device } from '../overlay/seed.ts';
import { type Findings, limitVerdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { quantile } from '../statistics.ts';
import { version, visit } from './handshakes.ts';
import { imitate } from './imitate.ts';
import { jsonHead, type Operation } from './operation.ts';
import { startStormCalls } from './storm-calls.ts';

/** One address may have 2,000 connections; every address of the network 127.0.0.0/8 is this machine. */
const devicesOfAddress = 1500;
/** Of those who are in. A second. */
const callRate = 100;
const longestStorm = 180_000;

interface Outcome {
  refused: number;
  /** What else went wrong, and how often. */
  readonly failures: Map<string, number>;
}

/** Connects and logs in; told to come back it does, as often as it has to. Any other failure is counted, and tried again. */
async function comeBack(
  port: number,
  { device, localAddress }: { readonly device: Device; readonly localAddress: string },
  outcome: Outcome,
  until: number,
): Promise<boolean> {
  while (performance.now() < until) {
    try {
      const connection = await openConnection(port, { ...device, localAddress } as Parameters<
        typeof openConnection
      >[1]);
      const answer = await connection.request(
        'POST',
        '/edge/client/v1/authenticate?method=cert',
        jsonHead,
        '{}',
      );
      connection.close();
      if (answer.status === 200) return true;
      const after = retryAfter(answer);
      if (answer.status === 503 && after !== null) {
        outcome.refused += 1;
        await sleep(after * 1000);
        continue;
      }
      note(outcome, `status ${answer.status}`);
    } catch (error) {
      note(outcome, (error as NodeJS.ErrnoException).code ?? String(error));
    }
    await sleep(1000);
  }
  return false;
}

function retryAfter({ head }: Answer): number | null {
  const found = /\r\nretry-after: *(\d+)/i.exec(head)?.[1];
  return found === undefined ? null : Number(found);
}

function note({ failures }: Outcome, what: string): void {
  failures.set(what, (failures.get(what) ?? 0) + 1);
}

export const loginStorm: Operation = {
  name: 'login-storm',
  async run(stage: Stage): Promise<Findings> {
    const overlay = await stage.overlay();
    const { port } = overlay.process;
    const count = stage.devices;
    const devices = await overlay.seed.devices(count);
    const tokens = (await overlay.seed.sample(100)).map(({ accessToken }) => accessToken);
    const cryptography = await handshakeSeconds(stage, devices);

    const outcome: Outcome = { refused: 0, failures: new Map() };
    const calls = await startStormCalls({ port, tokens, rate: callRate });
    const begun = performance.now();
    const before = await overlay.process.usage();
    const arrived = await Promise.all(
      devices.map((device, at) => {
        const localAddress = `127.0.0.${2 + Math.floor(at / devicesOfAddress)}`;
        return comeBack(port, { device, localAddress }, outcome, begun + longestStorm);
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    const latencies = await calls.stop();
    const after = await overlay.process.usage();

    const failures = [...outcome.failures].map(([what, times]) => `${what}: ${times}`).join(', ');
    const missing = arrived.filter((isIn) => !isIn).length;
    const cpu = (after.cpuMicros - before.cpuMicros) / count;
    const p99 = quantile(latencies, 0.99);
    const failed = [...outcome.failures.values()].reduce((sum, times) => sum + times, missing);
    return {
      title: 'Login storm',
      about:
        `${count.toLocaleString('en')} devices connect with their certificates at the same moment and log in (zt-session), while ` +
        `${callRate} calls a second come from others who are in. The load generator makes the same handshakes on the same cores.`,
      figures: [
        ['the last one is in after', `${seconds.toFixed(1)} s`],
        [
          'cryptography of as many handshakes, on the cores of the bare server',
          `${cryptography.toFixed(1)} s`,
        ],
        ['CPU of the controller for each device', `${Math.round(cpu)} µs`],
        ['told to come back (503)', String(outcome.refused)],
        ['failed otherwise, and came again', failures === '' ? 'none' : failures],
        ['never got in', String(missing)],
        [
          'calls p50 / p99 / slowest',
          `${[0.5, 0.99, 1].map((q) => quantile(latencies, q).toFixed(1)).join(' / ')} ms`,
        ],
      ],
      verdicts: [
        limitVerdict('login storm, failures but 503', failed, 0, 'failures'),
        limitVerdict('login storm, time against its handshakes', seconds / cryptography, 1.3, '×'),
        limitVerdict('login storm, p99 of calls', p99, 50, 'ms'),
      ],
    };
  },
};

/** What so many full handshakes with a certificate cost the bare server, extrapolated from some. */
async function handshakeSeconds(stage: Stage, devices: readonly Device[]): Promise<number> {
  const [overlay, bare] = [await stage.overlay(), await stage.bare()];
  await imitate(overlay.process, bare, version, '');
  const sample = 200;
  let at = 0;
  const steps = Array.from({ length: 4 }, () =>
    visit(bare.port, version, () => {
      at += 1;
      return devices[at % devices.length] as Device;
    }),
  );
  await repeat(steps, sample);
  const before = await bare.usage();
  await repeat(steps, sample);
  const after = await bare.usage();
  return ((after.cpuMicros - before.cpuMicros) / sample / 1_000_000) * devices.length;
}
