// A collector for tests: it takes OTLP over HTTPS or HTTP and decodes it by the protocol's definition
// (opentelemetry-proto, trace.proto and metrics.proto), not with the library that encoded it.

import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { stopServing } from './closable.ts';
import { testPki } from './test-pki.ts';
import { patience } from './until.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty at the root of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly nanoseconds: bigint;
  readonly attributes: Attributes;
  /** 2: an error. */
  readonly status: number;
  readonly resource: Attributes;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  readonly isMonotonic: boolean;
  readonly points: readonly { readonly attributes: Attributes; readonly value: number }[];
  /** For the points of a histogram. */
  readonly buckets: readonly (readonly number[])[];
}

export interface OtlpReceiver {
  readonly endpoint: string;
  readonly caPem: string;
  readonly spans: readonly ReceivedSpan[];
  /** One entry each time that metrics arrived. */
  readonly metrics: readonly (readonly ReceivedMetric[])[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Everything that arrived, unchanged. */
  bytes(): Buffer;
  /** From now on answers with this status, or accepts requests and never answers. */
  answerWith(status: number | 'silence'): void;
  /** Resolves with the result of `read` once there is one. */
  until<T>(read: (receiver: OtlpReceiver) => T | undefined | false): Promise<T>;
  close(): Promise<void>;
}

export async function startOtlpReceiver({
  isPlain = false,
}: {
  readonly isPlain?: boolean;
} = {}): Promise<OtlpReceiver> {
  const pki = await testPki();
  const bodies: Buffer[] = [];
  const spans: ReceivedSpan[] = [];
  const metrics: (readonly ReceivedMetric[])[] = [];
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const watchers = new Set<() => void>();
  let status: number | 'silence' = 200;
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    requests.push({ path: request.url ?? '', headers: request.headers });
    if (status === 200) {
      bodies.push(body);
      if (request.url?.endsWith('/v1/traces')) spans.push(...readSpans(body));
      else metrics.push(readMetrics(body));
    }
    if (status !== 'silence') response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
    for (const look of watchers) look();
  };
  const server = isPlain
    ? createPlainServer(listener)
    : createServer({ cert: pki.server.certPem, key: pki.server.keyPem }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: OtlpReceiver = {
    endpoint: isPlain ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    caPem: pki.ca.certPem,
    spans,
    metrics,
    requests,
    bytes: () => Buffer.concat(bodies),
    answerWith(next) {
      status = next;
    },
    until: (read) =>
      new Promise((resolve, reject) => {
        const giveUp = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`nothing of the kind has come: ${spans.map(({ name }) => name).join(', ')}`));
        }, patience);
        const look = () => {
          const found = read(receiver);
          if (found === undefined || found === false) return;
          clearTimeout(giveUp);
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    close: () => stopServing(server),
  };
  return receiver;
}

/** The section of the configuration that sends everything there, metrics every second. */
export function sendingTo(
  { endpoint }: Pick<OtlpReceiver, 'endpoint'>,
  lines: readonly string[] = ['traces: { sampling: 1 }', 'metrics: { interval: 1s }'],
): string {
  const ca = endpoint.startsWith('https:') ? ['ca: ca.pem'] : [];
  return ['telemetry:', ...[`endpoint: ${endpoint}`, ...ca, ...lines].map((line) => `  ${line}`), ''].join(
    '\n',
  );
}

type Fields = ReadonlyMap<number, readonly Buffer[]>;

/** The fields of a protobuf message by number: the bytes of each value; for a varint those of a 64-bit number. */
function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const kind = tag & 7;
    let value = Buffer.alloc(8);
    if (kind === 0) value.writeBigUInt64LE(BigInt.asUintN(64, varint()));
    else {
      const length = kind === 1 ? 8 : kind === 5 ? 4 : Number(varint());
      value = message.subarray(at, at + length) as typeof value;
      if (value.length !== length) throw new Error('the message is cut off');
      at += length;
    }
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const all = (fields: Fields, number: number) => (fields.get(number) ?? []).map(fieldsOf);
const bytesOf = (fields: Fields, number: number) => fields.get(number)?.[0] ?? Buffer.alloc(8);
const text = (fields: Fields, number: number) => fields.get(number)?.[0]?.toString() ?? '';
const hex = (fields: Fields, number: number) => fields.get(number)?.[0]?.toString('hex') ?? '';
const integer = (fields: Fields, number: number) => bytesOf(fields, number).readBigInt64LE();

function attributesOf(pairs: readonly Fields[]): Attributes {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value] = all(pair, 2);
      if (value === undefined) throw new Error('an attribute without a value');
      if (value.has(1)) return [text(pair, 1), text(value, 1)];
      if (value.has(2)) return [text(pair, 1), integer(value, 2) === 1n];
      if (value.has(3)) return [text(pair, 1), Number(integer(value, 3))];
      return [text(pair, 1), bytesOf(value, 4).readDoubleLE()];
    }),
  );
}

function resourceOf(ofResource: Fields): Attributes {
  return attributesOf(all(ofResource, 1).flatMap((resource) => all(resource, 1)));
}

function readSpans(body: Buffer): readonly ReceivedSpan[] {
  return all(fieldsOf(body), 1).flatMap((ofResource) =>
    all(ofResource, 2)
      .flatMap((ofScope) => all(ofScope, 2))
      .map((span) => ({
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: text(span, 5),
        kind: Number(integer(span, 6)),
        nanoseconds: integer(span, 8) - integer(span, 7),
        attributes: attributesOf(all(span, 9)),
        status: all(span, 15).map((status) => Number(integer(status, 3)))[0] ?? 0,
        resource: resourceOf(ofResource),
      })),
  );
}

function readMetrics(body: Buffer): readonly ReceivedMetric[] {
  return all(fieldsOf(body), 1)
    .flatMap((ofResource) => all(ofResource, 2))
    .flatMap((ofScope) => all(ofScope, 2))
    .map((metric) => {
      const kinds = [
        ['gauge', 5],
        ['sum', 7],
        ['histogram', 9],
      ] as const;
      const [type, number] = kinds.find(([, at]) => metric.has(at)) ?? kinds[0];
      const [data = new Map() as Fields] = all(metric, number);
      const points = all(data, 1);
      return {
        name: text(metric, 1),
        type,
        isMonotonic: type === 'sum' && integer(data, 3) === 1n,
        points: points.map((point) =>
          type === 'histogram'
            ? { attributes: attributesOf(all(point, 9)), value: Number(integer(point, 4)) }
            : {
                attributes: attributesOf(all(point, 7)),
                value: point.has(4) ? bytesOf(point, 4).readDoubleLE() : Number(integer(point, 6)),
              },
        ),
        buckets: type === 'histogram' ? points.map((point) => packed(bytesOf(point, 6))) : [],
      };
    });
}

/** Numbers of 8 bytes, one after the other. */
function packed(bytes: Buffer): readonly number[] {
  return Array.from({ length: bytes.length / 8 }, (_, at) => Number(bytes.readBigUInt64LE(at * 8)));
}
