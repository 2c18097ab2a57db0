// What is asked of other servers, with a span for each fetch: the method, the host and the path. No query, because codes
// and keys stand there; no body; and no trace context for the other server, which is not ours.

import type { FormPoster, OutboundClient } from '../platform/network/outbound-client.ts';
import type { SpanDescription, TracingInUse } from '../platform/tracing.ts';

type Client = OutboundClient & FormPoster;

const longestPath = 256;

/** The same client, whose fetches are parts of the request for which they are made. */
export function tracedFetches(client: Client, tracing: TracingInUse): Client {
  const within = <T>(method: 'GET' | 'POST', url: string, work: () => T): T =>
    tracing.current === null ? work() : tracing.current.within(fetchSpan(method, url), work);
  return {
    get: (url, wanted) => within('GET', url, () => client.get(url, wanted)),
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
