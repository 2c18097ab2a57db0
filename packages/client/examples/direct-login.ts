// A program that asks for the credentials itself and answers the other questions of the policy.
//   node direct-login.ts https://auth.example:1280 ca.pem password NAME PASSWORD
//   node direct-login.ts https://auth.example:1280 ca.pem certificate CERT KEY
//   node direct-login.ts https://auth.example:1280 ca.pem external-jwt TOKEN
// Further questions appear on standard output, and each answer is a line of standard input.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import {
  createClientApi,
  discover,
  type LoginState,
  memoryTokenStore,
  openSession,
  Refusal,
  startDirectLogin,
} from '@overlay-auth/client';
import { httpsTransport } from '@overlay-auth/client/node';

const [baseUrl = '', caFile = '', method = '', first = '', second = ''] = process.argv.slice(2);
const { send: transport, close } = httpsTransport({
  ca: readFileSync(caFile, 'utf8'),
  ...(method === 'certificate'
    ? { clientCertificate: { cert: readFileSync(first, 'utf8'), key: readFileSync(second, 'utf8') } }
    : {}),
});
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const ask = async (question: string) => {
  process.stdout.write(`${question}\n`);
  return String((await lines.next()).value);
};

let externalJwt: string | undefined;

/** Answers the questions. A refusal changes nothing: answer the same state again. */
async function answer(state: LoginState): Promise<LoginState> {
  switch (state.kind) {
    case 'credentials':
      if (method === 'password') return state.password({ username: first, password: second });
      if (method === 'certificate') return state.certificate();
      return state.externalJwt(first);
    case 'totp':
      return state.submit(await ask('code of the app, or a recovery code?'));
    case 'totp-enrollment':
      return state.begin();
    case 'totp-confirmation':
      process.stdout.write(`scan ${state.provisioningUrl}\nkeep ${state.recoveryCodes.join(' ')}\n`);
      return state.confirm(await ask('code that the app shows now?'));
    case 'external-jwt':
      externalJwt = await ask(`token of ${state.issuer}?`);
      return state.submit(externalJwt);
    case 'passkey':
    case 'passkey-set-up':
      throw new Error('Log in with a browser: this program has no authenticator for passkeys.');
    case 'new-password':
      return state.submit(await ask('the new password?'));
    case 'unsupported':
      throw new Error(`Log in with a browser: this program cannot answer ${state.queries.join(', ')}.`);
    case 'done':
      return state;
  }
}

const provider = await discover({ baseUrl, transport });
let state: LoginState = await startDirectLogin(provider);
while (state.kind !== 'done') {
  try {
    state = await answer(state);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_TOTP_CODE') throw error;
    process.stdout.write(`refused: ${error.message} (${error.requestId})\n`);
  }
}
const session = openSession({ provider, store: memoryTokenStore(state.tokens) });
const secondary = externalJwt;
const api = createClientApi({
  baseUrl,
  token: session,
  transport,
  // A policy that requires a second token requires it with every call.
  ...(secondary === undefined ? {} : { secondaryToken: async () => secondary }),
});
const { data } = await api.GET('/current-identity');
process.stdout.write(`You are ${data.data.name}, by ${state.tokens.factors.join(' and ')}.\n`);
await session.logOut();
close();
process.stdin.destroy();
