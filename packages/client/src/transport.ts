// How requests are sent: `fetch`, or a platform's replacement (trust in a server, a client certificate).

import { ProtocolError, Unreachable } from './errors.ts';

/** Sends one request and never follows a redirect by itself. `fetch` is one. */
export type Transport = (request: Request) => Promise<Response>;

const MIB = 1024 * 1024;

/**
 * The transport that everything here uses: https only, no cookies, no answer that is too large.
 * @param largestAnswer in bytes; only a list without a limit, or an export, is nearly as long as usual
 * @throws ProtocolError not_https, answer_too_large
 * @throws Unreachable when there is no answer
 * @throws the reason of the request's signal when it is aborted
 */
export function guarded(
  transport: Transport = (request) => fetch(request),
  largestAnswer = 16 * MIB,
): Transport {
  return async (request) => {
    const { protocol, origin } = new URL(request.url);
    if (protocol !== 'https:') throw new ProtocolError('not_https', `${origin} is not an https address`);
    try {
      return await bounded(await transport(request), { origin, largestAnswer });
    } catch (error) {
      request.signal.throwIfAborted();
      // A platform may have a better description.
      throw error instanceof ProtocolError || error instanceof Unreachable
        ? error
        : new Unreachable(origin, error);
    }
  };
}

/** The same answer, with a body that was read and is not too large. */
async function bounded(
  response: Response,
  { origin, largestAnswer }: { readonly origin: string; readonly largestAnswer: number },
): Promise<Response> {
  if (response.body === null) return response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > largestAnswer) {
      await reader.cancel().catch(() => undefined);
      throw new ProtocolError(
        'answer_too_large',
        `An answer of ${origin} is larger than ${largestAnswer / MIB} MiB`,
      );
    }
    chunks.push(value);
  }
  const { status, statusText, headers } = response;
  // An answer that cannot have a body (204, 304) must not get even an empty one.
  return new Response(size === 0 ? null : new Blob(chunks), { status, statusText, headers });
}
