// Counts the files of src/ that one request leads through, on the main thread of a real controller.
//   node scripts/touched-files.mjs            how many, for each kind of request
//   node scripts/touched-files.mjs --files    and which
// A file counts when a function of it is called. Each request is made several times; what is not called every time
// was called by something else that ran meanwhile.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  authorizationQuery,
  authRequestIdOf,
  callWith,
  codeOf,
  redeem,
  refresh,
  submitPassword,
} from '../test/support/flow.ts';
import { httpsClient } from '../test/support/https-client.ts';

const { values: flags } = parseArgs({ options: { files: { type: 'boolean' }, json: { type: 'boolean' } } });
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const recorder = new URL('./call-recorder.mjs', import.meta.url).href;
const [name, password] = ['ana', 'tall tree bakery 41'];
const rounds = 10;

const cwd = mkdtempSync(join(tmpdir(), 'overlay-auth-touched-'));
try {
  const found = await measure();
  if (flags.json) process.stdout.write(`${JSON.stringify(found)}\n`);
  else print(found);
} finally {
  rmSync(cwd, { recursive: true, force: true });
}

function print(found) {
  for (const [request, files] of Object.entries(found)) {
    process.stdout.write(`${String(files.length).padStart(4)} ${request}\n`);
    if (flags.files) process.stdout.write(files.map((file) => `       ${file}\n`).join(''));
  }
}

/** @returns the files of each request */
async function measure() {
  command(['init', '--home', 'h', '--address', 'localhost:0']);
  command(['admin', 'create', name, '--password-stdin', '--config', 'h/controller.yml'], `${password}\n`);
  const args = ['--import', recorder, main, 'run', 'controller', 'h/controller.yml', '--log-format', 'json'];
  const controller = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  try {
    const url = await readyAt(controller);
    const client = httpsClient(url, readFileSync(join(cwd, 'h', 'pki', 'root-ca.cert.pem'), 'utf8'));
    const found = await requests(client, recordWith(controller));
    client.closeConnections();
    return found;
  } finally {
    const ended = once(controller, 'exit');
    controller.kill('SIGTERM');
    await ended;
  }
}

function command(words, input = '') {
  const { status, stderr } = spawnSync(process.execPath, [main, ...words], { cwd, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function readyAt(controller) {
  for await (const line of createInterface({ input: controller.stdout })) {
    if (line.includes('"event":"ready"')) {
      controller.stdout.resume();
      return JSON.parse(line).url;
    }
  }
  throw new Error('the controller ended before it was ready');
}

/** @returns what makes a request and keeps those files that it led through every time */
function recordWith(controller) {
  const found = {};
  async function ask(what) {
    const answer = once(controller, 'message');
    controller.send(what);
    return (await answer)[0];
  }
  return Object.assign(
    async (request, make) => {
      await ask('begin');
      const answer = await make();
      if (answer.status >= 400) throw new Error(`${request}: ${answer.status} ${answer.text}`);
      const called = await ask('end');
      found[request] = found[request]?.filter((file) => called.includes(file)) ?? called;
      return answer;
    },
    { found },
  );
}

async function requests(client, record) {
  for (let round = 0; round < rounds; round += 1) {
    const begun = await record('authorization', () => client.get(`/oidc/authorize?${authorizationQuery()}`));
    const id = authRequestIdOf(begun);
    const answer = await record('password login', () => submitPassword(client, id, name, password));
    const redeemed = await record('code redemption', () => redeem(client, codeOf(answer)));
    const token = redeemed.json.access_token;
    await record('first API call', () => callWith(client, token));
    await record('next API call', () => callWith(client, token));
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    await record('list of policies', () => client.get('/edge/management/v1/auth-policies', bearer));
    await record('refresh', () => refresh(client, redeemed.json.refresh_token));
    const json = { username: name, password };
    await record('legacy authenticate', () =>
      client.post('/edge/client/v1/authenticate?method=password', { json }),
    );
    const [ana] = (await client.get('/edge/management/v1/identities', bearer)).json.data;
    const tagged = { ...bearer, json: { tags: { round: String(round) } } };
    const path = `/edge/management/v1/identities/${ana.id}`;
    await record('change of an identity', () => client.request('PATCH', path, tagged));
  }
  return record.found;
}
