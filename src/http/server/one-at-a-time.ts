// The requests of a connection are worked on one after the other, each when the client has taken the answer before. Node
// would read on, make an object of every request of a burst and let all of them be answered at once, into memory.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock, Millis } from '../../platform/clock.ts';
import { gatheredBytes } from './body-on-its-way.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  readonly socket: TLSSocket;
  /** Node's parser. */
  readonly parse: (bytes: Buffer) => void;
  /** The request that is worked on, or whose answer still waits to be taken. */
  current: IncomingMessage | undefined;
  /** Requests that the parser made of the same bytes: at most a few. */
  readonly parsed: (readonly [IncomingMessage, ServerResponse])[];
  /** Received bytes that were not parsed yet. */
  readonly held: Buffer[];
  /** Whether it is among those whose next request may begin. */
  isReady: boolean;
  isOver: boolean;
}

/** How long held requests are worked on before requests of other connections are read. */
const longestTurn: Millis = 4;

/** The end of a request without a body. */
const headEnd = '\r\n\r\n';
/** Fewer bytes are not parsed alone, because two ends may follow one another. No usual request is as short. */
const leastParsed = 64;

const connections = new WeakMap<Duplex, Connection>();

/** How many received bytes a connection keeps: those that nothing has looked at yet, and the body of its request. */
export function heldBytes(socket: Duplex): number {
  const { held = [], current } = connections.get(socket) ?? {};
  const body = current === undefined ? 0 : gatheredBytes(current);
  return held.reduce((sum, { length }) => sum + length, socket.readableLength + body);
}

/**
 * Applies to all connections of a server.
 * @returns begins a request, or keeps it until its turn comes; for each request that the server emits
 */
export function oneAtATime(
  { clock }: { clock: Clock },
  server: Server,
  handle: Handler,
): (request: IncomingMessage, response: ServerResponse) => void {
  /** Connections whose next request may begin. */
  const ready: Connection[] = [];
  let isScheduled = false;

  // After the listener with which Node began to read.
  server.on('secureConnection', (socket) => readInstead(socket, letGoOn));
  // Node has given its parser to another connection.
  server.prependListener('connect', (_request, socket) => end(connections.get(socket)));

  function takeTurns(): void {
    const end = clock.monotonic() + longestTurn;
    // Connections that become ready meanwhile wait until the other ones have been read.
    for (const connection of ready.splice(0)) {
      if (clock.monotonic() < end) {
        connection.isReady = false;
        goOn(connection);
      } else ready.push(connection);
    }
    isScheduled = ready.length > 0;
    if (isScheduled) setImmediate(takeTurns);
  }

  function letGoOn(connection: Connection): void {
    if (connection.isReady) return;
    connection.isReady = true;
    ready.push(connection);
    if (!isScheduled) setImmediate(takeTurns);
    isScheduled = true;
  }

  function begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.current = request;
    response.once('close', () => {
      connection.current = undefined;
      if (connection.parsed.length > 0 || connection.held.length > 0) letGoOn(connection);
    });
    handle(request, response);
  }

  function goOn(connection: Connection): void {
    const { socket, parsed, held } = connection;
    if (!socket.writable) {
      end(connection);
      return;
    }
    const next = connection.current === undefined ? parsed.shift() : undefined;
    if (next !== undefined) begin(connection, ...next);
    if (isBusy(connection)) return;
    const [bytes, ...later] = held.splice(0);
    if (bytes !== undefined) parseOn(connection, bytes);
    held.push(...later);
    if (held.length === 0) socket.resume();
    else if (!isBusy(connection)) letGoOn(connection);
  }

  return (request, response) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) handle(request, response);
    else if (connection.current === undefined) begin(connection, request, response);
    else connection.parsed.push([request, response]);
  };
}

/** Receives what Node would parse. */
function readInstead(socket: TLSSocket, letGoOn: (connection: Connection) => void): void {
  const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
  if (parse === undefined) return;
  const connection: Connection = {
    socket,
    parse,
    current: undefined,
    parsed: [],
    held: [],
    isReady: false,
    isOver: false,
  };
  connections.set(socket, connection);
  socket.removeListener('data', parse);
  socket.on('data', (bytes: Buffer) => {
    if (connection.held.length === 0) parseOn(connection, bytes);
    else hold(connection, bytes);
  });
  // Node resumes a connection whenever a request has been read, or answers that waited have been taken.
  socket.on('resume', () => {
    if (connection.held.length === 0) return;
    socket.pause();
    if (!isBusy(connection)) letGoOn(connection);
  });
}

/**
 * Whether nothing more may be parsed: the body of a request that is worked on belongs to it. While too much waits for the
 * client, Node does not parse either, and its parser ends the process if it is asked to.
 */
function isBusy({ socket, current, parsed }: Connection): boolean {
  return parsed.length > 0 || current?.complete === true || (socket as PausedByNode)._paused === true;
}

interface PausedByNode extends TLSSocket {
  readonly _paused?: boolean;
}

/** Parses up to the end of a request at a time, and keeps the rest as soon as one is worked on. */
function parseOn(connection: Connection, bytes: Buffer): void {
  const { socket, parse } = connection;
  for (let at = 0; at < bytes.length; ) {
    if (connection.isOver || !socket.writable) {
      end(connection);
      return;
    }
    if (isBusy(connection)) {
      hold(connection, bytes.subarray(at));
      return;
    }
    const found = bytes.indexOf(headEnd, at + leastParsed - headEnd.length, 'latin1');
    const to = found === -1 ? bytes.length : found + headEnd.length;
    parse(at === 0 && to === bytes.length ? bytes : bytes.subarray(at, to));
    at = to;
  }
}

function hold({ socket, held, isOver }: Connection, bytes: Buffer): void {
  if (isOver || !socket.writable) return;
  held.push(bytes);
  socket.pause();
}

function end(connection: Connection | undefined): void {
  if (connection === undefined) return;
  connection.isOver = true;
  connection.parsed.length = 0;
  connection.held.length = 0;
}
