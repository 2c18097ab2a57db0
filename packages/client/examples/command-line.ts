// A program that logs in with the browser of this computer, and stays logged in: the tokens are in a file.
//   node command-line.ts https://auth.example:1280 ca.pem tokens.json

import { readFileSync } from 'node:fs';
import { createClientApi, discover, openSession } from '@overlay-auth/client';
import { fileTokenStore, httpsTransport, loopbackLogin } from '@overlay-auth/client/node';

const [baseUrl = '', caFile = '', tokenFile = ''] = process.argv.slice(2);
const { send: transport, close } = httpsTransport({ ca: readFileSync(caFile, 'utf8') });
const provider = await discover({ baseUrl, transport });
const session = openSession({ provider, store: fileTokenStore(tokenFile) });

if ((await session.tokens()) === null) {
  await loopbackLogin(provider, {
    open: (url) => void process.stderr.write(`Log in by visiting\n  ${url}\n`),
    complete: (tokens) => session.begin(tokens),
  });
}
const api = createClientApi({ baseUrl, token: session, transport });
const { data } = await api.GET('/current-identity');
process.stdout.write(`You are ${data.data.name}.\n`);
close();
