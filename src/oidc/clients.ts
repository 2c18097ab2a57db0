// The OIDC clients. There is one, public, built in (spec 2.1).

export interface Client {
  readonly clientId: string;
}

/** The id of the main client. */
export const mainClientId = 'overlay';

const mainClient: Client = { clientId: mainClientId };

/** The client of that id, or undefined. */
export function findClient(clientId: string): Client | undefined {
  return clientId === mainClientId ? mainClient : undefined;
}
