import { once } from 'node:events';
import type { Server } from 'node:http';

/** What a test closes, or has closed by `await using` at the end of the block in which it was made. */
export interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}

/** Adds what `await using` calls. */
export function closable<Resource extends Closable>(
  one: Omit<Resource, typeof Symbol.asyncDispose> & Pick<Closable, 'close'>,
): Resource {
  // Sound because only this is missing.
  return Object.assign(one, { [Symbol.asyncDispose]: () => one.close() }) as Resource;
}

/** Also ends the connections that are open. */
export async function stopServing(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
