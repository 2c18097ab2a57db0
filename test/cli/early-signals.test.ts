// Signals to a controller that is not ready yet. Its database does not answer until the test lets it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { sandbox, stopped, untilReady } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { postgresServer } from '../support/postgres.ts';
import { eventually } from '../support/until.ts';

const run = ['run', 'controller', 'h/controller.yml', '--log-format', 'json'];

/** A box with a home, and a database that is silent until `answer`. */
async function boxWithSilentDatabase(t: TestContext) {
  const box = sandbox();
  await box.home('h', 'localhost:0');
  mkdirSync(join(box.cwd, 'tmp'));
  const postgres = await postgresServer();
  const url = new URL(await postgres.createDatabase());
  const asked = Promise.withResolvers<void>();
  const answers = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const wire = createServer(async (near) => {
    sockets.add(near.on('error', () => undefined));
    asked.resolve();
    await answers.promise;
    const far = connect(postgres.socket).on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await once(wire.listen(0, '127.0.0.1'), 'listening');
  t.after(async () => {
    await box.close();
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  url.host = `127.0.0.1:${(wire.address() as AddressInfo).port}`;
  url.search = '?sslmode=disable';
  return {
    box,
    env: { OVERLAY_AUTH_DB: url.href, TMPDIR: join(box.cwd, 'tmp') },
    /** Resolves when the command waits for its database. */
    asked: asked.promise,
    answer: answers.resolve,
  };
}

test('SIGHUP before a controller is ready is followed by one reload after that', async (t) => {
  const { box, env, asked, answer } = await boxWithSilentDatabase(t);
  const started = box.start(run, { env });
  await asked;
  for (let time = 0; time < 2; time += 1) started.child.kill('SIGHUP');
  answer();
  await untilReady(started);
  await started.line(({ event }) => event === 'reloaded');
  const { stdout } = await exits(0, stopped(started));
  const events = stdout.match(/"event":"(ready|reloaded|stopped)"/g)?.map((text) => text.slice(9, -1));
  assert.deepEqual(events, ['ready', 'reloaded', 'stopped']);
});

/** Hangs up when the entry point begins to load the program. */
const hangUp = `import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/cli.program\\.[jt]s$/.test(specifier)) process.kill(process.pid, 'SIGHUP');
      return next(specifier, context);
    },
  });`;

test('SIGHUP while the program is loaded does not end a controller', async (t) => {
  const box = sandbox();
  t.after(() => box.close());
  await box.home('h', 'localhost:0');
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hangUp)}`;
  const started = box.start(run, { env: { NODE_OPTIONS } });
  await untilReady(started);
  await exits(0, stopped(started));
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} before a controller is ready ends it with 0`, async (t) => {
    const { box, env, asked } = await boxWithSilentDatabase(t);
    const started = box.start(run, { env });
    await asked;
    started.child.kill(signal);
    const { stderr } = await exits(0, started.finished);
    assert.equal(stderr, '');
  });

test('an ephemeral home is deleted when the controller is stopped before it is ready', async (t) => {
  const { box, env, asked } = await boxWithSilentDatabase(t);
  const started = box.start(['quickstart', '--ephemeral', '--port', '0', '--json'], { env });
  await asked;
  const [home = ''] = readdirSync(env.TMPDIR);
  assert.ok(existsSync(join(env.TMPDIR, home, 'secrets')));
  started.child.kill('SIGTERM');
  await exits(0, started.finished);
  assert.deepEqual(readdirSync(env.TMPDIR), []);
});

test('an ephemeral home is deleted when a second signal ends the controller', async (t) => {
  const { box, env } = await boxWithSilentDatabase(t);
  const { TMPDIR } = env;
  const started = box.start(['quickstart', '--ephemeral', '--port', '0', '--json'], { env: { TMPDIR } });
  const { url, log, ca } = await untilReady(started);
  const { hostname, port } = new URL(url);
  const socket = connectTls({ host: hostname, port: Number(port), ca: readFileSync(ca) });
  t.after(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('POST /oidc/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n');
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  started.child.kill('SIGTERM');
  await eventually(
    () => readFileSync(log, 'utf8'),
    (text) => text.includes('event=stopping'),
  );
  started.child.kill('SIGTERM');
  await exits(1, started.finished);
  assert.deepEqual(readdirSync(TMPDIR), []);
});
