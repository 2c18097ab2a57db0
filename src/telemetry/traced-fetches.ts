// Requests to other servers, with a span for each: the method, the host and the path. No query, because it may contain
// codes and keys; no body; and no trace context for the other server, which is not ours.

import type {
  AnswerPoster,
  FormPoster,
  MessagePoster,
  OutboundClient,
  TlsConnector,
} from '../platform/network/outbound-client.ts';
import type { SpanDescription, TracingInUse } from '../platform/tracing.ts';

type Client = OutboundClient & FormPoster & MessagePoster & AnswerPoster & TlsConnector;

const longestPath = 256;

/** The same client, whose spans belong to the request that caused them. */
export function tracedFetches(client: Client, tracing: TracingInUse): Client {
  const within = <T>(method: 'GET' | 'POST', url: string, work: () => T): T =>
    tracing.current === null ? work() : tracing.current.within(fetchSpan(method, url), work);
  return {
    get: (url, wanted) => within('GET', url, () => client.get(url, wanted)),
    post: (url, message) => within('POST', url, () => client.post(url, message)),
    connect: client.connect,
    postFor: (url, ...rest) => within('POST', url, () => client.postFor(url, ...rest)),
    postForm: (url, form, wanted) => within('POST', url, () => client.postForm(url, form, wanted)),
  };
}

function fetchSpan(method: 'GET' | 'POST', text: string): SpanDescription {
  const url = URL.parse(text);
  return {
    name: method,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      ...(url === null
        ? {}
        : {
            'url.scheme': url.protocol.replace(':', ''),
            'server.address': url.hostname,
            'server.port': Number(url.port || (url.protocol === 'http:' ? 80 : 443)),
            'url.path': url.pathname.slice(0, longestPath),
          }),
    },
  };
}
