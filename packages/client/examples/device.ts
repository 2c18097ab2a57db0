// A device without a browser of its own: a person confirms its code on a telephone or another computer (RFC 8628).
//   node device.ts https://auth.example:1280 ca.pem

import { readFileSync } from 'node:fs';
import {
  createClientApi,
  discover,
  memoryTokenStore,
  openSession,
  Refusal,
  startDeviceLogin,
  type Tokens,
} from '@overlay-auth/client';
import { httpsTransport } from '@overlay-auth/client/node';

const [baseUrl = '', caFile = ''] = process.argv.slice(2);
const { send: transport, close } = httpsTransport({ ca: readFileSync(caFile, 'utf8') });
const provider = await discover({ baseUrl, transport });

/** Shows a code until a person has logged in with it. Null: the person declined. */
async function logIn(): Promise<Tokens | null> {
  for (;;) {
    const login = await startDeviceLogin(provider);
    const minutes = Math.round((login.expiresAt - Date.now()) / 60_000);
    process.stdout.write(
      `Open ${login.verificationUri} and enter ${login.userCode}, within ${minutes} minutes.\n`,
    );
    process.stdout.write(`Or open ${login.completeUri}\n`);
    try {
      return await login.wait();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'access_denied') return null;
      // The code was not entered in time: try another code.
      if (error.code !== 'expired_token') throw error;
    }
  }
}

const tokens = await logIn();
if (tokens === null) {
  process.stdout.write('The login of this device was refused.\n');
} else {
  const session = openSession({ provider, store: memoryTokenStore(tokens) });
  const api = createClientApi({ baseUrl, token: session, transport });
  const { data } = await api.GET('/current-identity');
  process.stdout.write(`This device is logged in as ${data.data.name}.\n`);
  await session.logOut();
}
close();
