import { createServer } from 'node:net';
import { CliError } from '../../terminal/output.ts';

const furthest = 20;

/**
 * Checks, before anything is created, that a port can be listened on. If not, names the next one that can.
 * @param command to type again, with another `--port`
 * @throws CliError it cannot
 */
export async function requireFreePort(host: string, port: number, command: string): Promise<void> {
  if (port === 0 || (await isFree(host, port))) return;
  throw new CliError(`Port ${port} is used by another program.`, {
    code: 'port_in_use',
    next: `${command} --port ${await nextFree(host, port + 1)}`,
  });
}

const afterMain = 10;

/** The port for metrics beside a main one: ten higher, or the next that can be listened on. 0 stays 0. */
export async function metricsPortFor(port: number): Promise<number> {
  if (port === 0) return 0;
  const wished = port + afterMain + furthest <= 65535 ? port + afterMain : port - afterMain - furthest;
  return (await nextFree('127.0.0.1', wished)) || wished;
}

async function nextFree(host: string, from: number): Promise<number> {
  const last = Math.min(from + furthest, 65535);
  for (let port = from; port <= last; port += 1) if (await isFree(host, port)) return port;
  return 0;
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve('code' in error && error.code !== 'EADDRINUSE'));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
