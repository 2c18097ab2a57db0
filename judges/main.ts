// Drives clients of other makers against a fresh service: what they print is the verdict.
//   node judges/main.ts [NAME…] [--write]
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { authRequestIdOf, locationOf, submitPassword } from '../test/support/flow.ts';
import { createdId, rootOf } from '../test/support/management.ts';
import { startTestServer, type TestServer } from '../test/support/test-server.ts';
import { type Judge, judges } from './judges.ts';

const password = 'seven quiet lanterns';
const scope = 'openid profile email offline_access';
const redirectUri = 'http://localhost:8400/auth/callback';
const work = join(import.meta.dirname, '.work');

interface Step {
  readonly name: string;
  readonly isOk: boolean;
  readonly why: string;
}

interface Verdict {
  readonly judge: Judge;
  readonly steps: readonly Step[];
  /** Why it was not run. */
  readonly skipped: string | null;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs a command to its end; its output is shown only when it fails. */
function run(command: readonly string[], cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    const [name = '', ...args] = command;
    const child = spawn(name, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + String(chunk)).slice(-4000);
      });
    }
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) =>
      resolve(code === 0 ? null : `${command.join(' ')} ended with ${code}: ${output}`),
    );
  });
}

/** What a person does in the browser: logs in, and comes back to the application. */
async function logIn(server: TestServer, url: string): Promise<string> {
  const { pathname, search } = new URL(url);
  const begun = await server.get(pathname + search);
  return locationOf(await submitPassword(server, authRequestIdOf(begun), 'alice', password));
}

interface Client {
  readonly CLIENT_ID: string;
  readonly CLIENT_SECRET: string;
}

async function clientFor(server: TestServer, { client, name }: Judge): Promise<Client> {
  if (client === 'built-in') return { CLIENT_ID: 'overlay', CLIENT_SECRET: '' };
  const admin = await rootOf(server);
  const CLIENT_ID = createdId(
    await admin.call('POST', 'oidc-clients', {
      name,
      type: 'confidential',
      redirectUris: [redirectUri],
      postLogoutRedirectUris: ['http://localhost:8400/'],
      scopes: scope.split(' '),
      claims: { email: 'tags.email' },
    }),
  );
  const { json } = await admin.call('POST', `oidc-clients/${CLIENT_ID}/secrets`, {});
  return { CLIENT_ID, CLIENT_SECRET: String(json.data.secret) };
}

/** Java reads authorities from a store only. */
function trustStore(caFile: string): Promise<string | null> {
  const store = ['-storetype', 'PKCS12', '-keystore', `${caFile}.p12`, '-storepass', 'changeit'];
  return run(['keytool', '-importcert', '-noprompt', '-alias', 'ca', '-file', caFile, ...store], work);
}

async function judgeBy(server: TestServer, judge: Judge): Promise<readonly Step[]> {
  const client = await clientFor(server, judge);
  if (judge.language === 'Java') await trustStore(join(server.home, 'ca.pem'));
  return new Promise((resolve) => {
    const [name = '', ...args] = judge.command(work);
    const caFile = join(server.home, 'ca.pem');
    const child = spawn(name, args, {
      cwd: join(import.meta.dirname, judge.folder),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 120_000,
      env: {
        ...process.env,
        ...judge.environment(caFile),
        ISSUER: server.issuer,
        CA_FILE: caFile,
        ...client,
        REDIRECT_URI: redirectUri,
        SCOPE: scope,
      },
    });
    const steps: Step[] = [];
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors = (errors + String(chunk)).slice(-2000);
    });
    createInterface({ input: child.stdout }).on('line', async (line) => {
      const [, url] = /^AUTHORIZE (.+)$/.exec(line) ?? [];
      if (url !== undefined) {
        const back = await logIn(server, url).catch((error) => `error: ${String(error)}`);
        child.stdin.write(`${back}\n`);
        return;
      }
      const [, what, verdict, why = ''] = /^STEP (.+?) (ok|failed) ?(.*)$/.exec(line) ?? [];
      if (what !== undefined) steps.push({ name: what, isOk: verdict === 'ok', why });
    });
    child.on('error', (error) => resolve([{ name: 'start', isOk: false, why: error.message }]));
    child.on('close', (code) => {
      if (code !== 0) steps.push({ name: 'end', isOk: false, why: `exit ${code}: ${errors.trim()}` });
      resolve(steps);
    });
  });
}

async function verdictOf(judge: Judge): Promise<Verdict> {
  for (const command of judge.prepare(work)) {
    say(`${judge.name}: ${command.join(' ').slice(0, 100)} …`);
    const failure = await run(command, join(import.meta.dirname, judge.folder));
    if (failure !== null) return { judge, steps: [], skipped: failure };
  }
  // A service of its own, so that no judge has to do with what another one did.
  const server = await startTestServer();
  try {
    await server.createUser({ name: 'alice', password });
    say(`${judge.name}: judging …`);
    return { judge, steps: await judgeBy(server, judge), skipped: null };
  } finally {
    await server.close();
  }
}

function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ judge, steps, skipped }) => {
    const result =
      skipped === null ? steps.map(({ name, isOk }) => (isOk ? name : `**${name}**`)).join(', ') : 'not run';
    const failed = steps.find(({ isOk }) => !isOk);
    const oneLine = (text: string) => text.split('\n').at(-1)?.replaceAll('|', '/').slice(0, 200) ?? '';
    const why = skipped === null ? oneLine(failed?.why ?? '') : oneLine(skipped.trim());
    return `| ${judge.name} ${judge.version} | ${judge.language} | ${result} | ${why} |`;
  });
  return ['| Client | Language | Steps (failed ones bold) | Why |', '|---|---|---|---|', ...rows].join('\n');
}

const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const chosen = judges.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
mkdirSync(work, { recursive: true });
const verdicts: Verdict[] = [];
for (const judge of chosen) verdicts.push(await verdictOf(judge));
const text = table(verdicts);
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write')) {
  const intro = `# Judges\n\nClients by other makers log in to this service with their own defaults. \`npm run judges -- --write\` ran them on ${new Date().toISOString().slice(0, 10)}. The client itself judges each step.\n\n`;
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'judges.md'), `${intro}${text}\n`);
}
process.exitCode = verdicts.some(({ steps }) => steps.some(({ isOk }) => !isOk)) ? 1 : 0;
