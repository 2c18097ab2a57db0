// A program that opens connections, sends requests on each without reading an answer when told to, and ends with its
// input. In a process of its own, because what it receives takes memory too.
//   node unread-requests.ts PORT CONNECTIONS REQUESTS PATH…

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';

const [port = 0, connections = 0, requests = 0] = process.argv.slice(2, 5).map(Number);
const paths = process.argv.slice(5);

async function open() {
  // Its own source: the limits of each source do not concern those who ask meanwhile.
  const where = { port, host: '127.0.0.1', localAddress: '127.0.0.2' };
  const socket = connect({ ...where, rejectUnauthorized: false });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.pause();
  return socket;
}

const input = createInterface(process.stdin)[Symbol.asyncIterator]();
const sockets = [];
for (let count = 0; count < connections; count += 1) sockets.push(await open());
process.stdout.write('open\n');
await input.next();
for (const [at, socket] of sockets.entries()) {
  const path = paths[at % paths.length];
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: text/html, */*\r\n\r\n`.repeat(requests),
  );
  // So that all do not begin in the same moment.
  if (at % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
process.stdout.write('sent\n');
await input.next();
process.exit();
