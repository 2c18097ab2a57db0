// Slow clients, in a process of their own, so that what they cost the machine is not taken for what they cost the server:
//   node assurance/slow-clients.ts PORT COUNT
// Each opens a connection, begins a request and sends one byte of a header each second; one that is sent away comes back
// after a second. Says how many are connected after each second, as a message to its parent, and ends with it.

import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { SECOND } from '../src/platform/clock.ts';
import { loopback } from './controller.ts';

/** Connections of one source. */
const perSource = 50;
/** Connections are opened, and bytes sent, in this many steps of a second: together they would be a flood, not slow clients. */
const steps = 50;

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const sockets: (TLSSocket | undefined)[] = Array.from({ length: count });
let opened = 0;
let step = 0;

function open(at: number): void {
  const options: ConnectionOptions & { localAddress: string } = {
    host: '127.0.0.1',
    port,
    localAddress: loopback(Math.floor(at / perSource)),
    servername: 'localhost',
    rejectUnauthorized: false,
  };
  const socket = connect(options);
  socket.on('error', () => undefined);
  socket.once('secureConnect', () => {
    sockets[at] = socket;
    socket.write('GET / HTTP/1.1\r\nx: ');
  });
  socket.once('close', () => {
    sockets[at] = undefined;
    setTimeout(() => open(at), SECOND);
  });
}

setInterval(() => {
  for (let more = 0; more < 20 && opened < count; more += 1, opened += 1) open(opened);
  for (let at = step; at < count; at += steps) sockets[at]?.write('a');
  step = (step + 1) % steps;
  if (step === 0) process.send?.(sockets.filter((socket) => socket !== undefined).length);
}, SECOND / steps);
process.once('disconnect', () => process.exit());
