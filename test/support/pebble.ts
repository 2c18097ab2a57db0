// Pebble, the ACME authority that Let's Encrypt tests clients with, and a name server that knows every name.

import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { httpsClient } from './https-client.ts';
import { testPki } from './test-pki.ts';
import { until } from './until.ts';

export const noPebble =
  spawnSync('pebble', ['-version']).error === undefined
    ? false
    : 'there is no pebble here; the Debian package pebble has it';

export interface Pebble {
  /** URL of its directory. */
  readonly directory: string;
  /** The authority of that address, PEM. */
  readonly caPem: string;
  /** The root of what it issues, PEM. */
  root(): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * @param of.tlsPort where it looks for every host
 * @param of.seconds how long its certificates are valid
 * @param of.customers the HMAC keys (base64url) of those who alone may have accounts, by their ids
 */
export async function startPebble(
  folder: string,
  {
    tlsPort,
    seconds = 7_776_000,
    customers,
  }: {
    readonly tlsPort: number;
    readonly seconds?: number;
    readonly customers?: Readonly<Record<string, string>>;
  },
): Promise<Pebble> {
  const [port, managementPort] = [await freePort(), await freePort()];
  const { ca, server } = await testPki();
  const caPem = ca.certPem;
  const names = await startNameServer();
  const pair = { certificate: join(folder, 'pebble.cert.pem'), privateKey: join(folder, 'pebble.key.pem') };
  writeFileSync(pair.certificate, server.certPem);
  writeFileSync(pair.privateKey, server.keyPem);
  const file = join(folder, 'pebble.json');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    ...pair,
    httpPort: await freePort(),
    tlsPort,
    // What versions before 2.5 have instead of profiles.
    certificateValidityPeriod: seconds,
    externalAccountBindingRequired: customers !== undefined,
    externalAccountMACKeys: customers,
    profiles: { default: { description: 'all', validityPeriod: seconds } },
  };
  writeFileSync(file, JSON.stringify({ pebble }));
  const args = ['-config', file, '-dnsserver', `127.0.0.1:${names.port}`];
  // Its own pauses and its refusals of one nonce in twenty stay.
  const child = spawn('pebble', args, { stdio: 'ignore', env: { ...process.env, PEBBLE_VA_NOSLEEP: '1' } });
  const management = httpsClient(`https://localhost:${managementPort}`, caPem);
  await until(10_000, () =>
    management.get('/roots/0').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return {
    directory: `https://localhost:${port}/dir`,
    caPem,
    root: async () => (await management.get('/roots/0')).text,
    async [Symbol.asyncDispose]() {
      management.closeConnections();
      names.close();
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    },
  };
}

/**
 * Answers each question for an IPv4 address with 127.0.0.1, and each other with nothing (RFC 1035 section 4.1), over TCP
 * and, for older versions, over UDP.
 */
async function startNameServer(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    // A client sends one short question in one segment, its length first.
    socket.once('data', (bytes: Buffer) => {
      const answer = answerTo(bytes.subarray(2));
      socket.end(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 0xff]), answer]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket('udp4', (query, from) =>
    datagrams.send(answerTo(query), from.port, from.address),
  );
  datagrams.bind(port, '127.0.0.1');
  await once(datagrams, 'listening');
  return {
    port,
    close() {
      server.close();
      datagrams.close();
    },
  };
}

function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const isForAddress = query.readUInt16BE(end - 4) === 1;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(isForAddress ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, query.subarray(12, end), ...(isForAddress ? [record] : [])]);
}
