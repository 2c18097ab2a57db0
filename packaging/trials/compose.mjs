import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { insideOf, signalInside } from './inside.mjs';
import { root, run, say, serves } from './running.mjs';

const password = 'a password for the trial';
const file = join(root, 'packaging', 'compose.yaml');
const installations = '/usr/lib/postgresql';

/**
 * Runs packaging/compose.yaml: types what its first lines say, starts the services in the order of their conditions, and
 * stops and starts them again, with the volumes, environment, health checks and times of the file. The controller runs
 * from the root folder of its image. The database is the PostgreSQL of this machine, started as the entry point of its
 * image does it: at the first start, a server that only listens at its socket, and then the one for others. Both have a
 * network of their own, in which the names of the services have addresses.
 * @param folder the root folder of the image
 * @param image  Entrypoint, Cmd, Env, User and Healthcheck
 */
export async function tryCompose({ work, folder, image }) {
  const missing = ['ip', 'nsenter', 'psql', 'pg_isready'].filter((command) => spawnSync('which', [command]).status !== 0);
  if (!existsSync(installations)) missing.push('a PostgreSQL of Debian');
  if (missing.length > 0) return `compose.yaml was not tried, for want of ${missing.join(', ')}`;
  say('compose: typing what its first lines say, starting, stopping and starting again');
  const typed = typeFirstLines(work);
  const { PGPASSWORD } = Object.fromEntries(
    readFileSync(join(work, '.env'), 'utf8').trim().split('\n').map((line) => line.split('=')),
  );
  const text = readFileSync(file, 'utf8').replaceAll(/\$\{PGPASSWORD(:\?[^}]*)?\}/g, PGPASSWORD);
  const { controller, database } = parse(text).services;
  if (controller.depends_on.database.condition !== 'service_healthy') throw new Error('the order of the services is another one');
  const hosts = join(work, 'hosts');
  writeFileSync(hosts, '127.0.0.1 localhost database auth.example.com\n');
  run(['cp', hosts, join(folder, 'etc', 'hosts')]);
  const data = join(work, 'controller-volume');
  run(['cp', '-a', join(folder, 'data'), data]);
  const network = await startNetwork();
  const inController = (words, more = []) => {
    const container = { folder, mounts: { '/data': data }, workdir: '/data', user: image.User };
    const environment = Object.entries(controller.environment).map((pair) => pair.join('='));
    return network.inside(insideOf(container, [...image.Env, ...environment, ...more, ...words]));
  };
  const isHealthy = () => run(inController(image.Healthcheck.Test.slice(1)), { mayFail: true }).status === 0;
  // Its clients are on this machine, which has another network.
  const outside = { ...process.env, OVERLAY_AUTH_CONFIG_DIR: join(work, 'compose-login'), OVERLAY_AUTH_PASSWORD: password };
  const cli = async (...words) => {
    const [command, ...args] = network.inside(['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts, process.execPath, join(root, 'bin', 'overlay-auth.mjs'), ...words]);
    return (await promisify(execFile)(command, args, { env: outside })).stdout;
  };
  const up = (whileReady) =>
    serves(() => spawnIt(inController([...image.Entrypoint, ...image.Cmd])), whileReady, signalInside);
  let server;
  try {
    server = await startDatabase({ work, network, database });
    for (const words of typed) run(inController([...image.Entrypoint, ...words], [`OVERLAY_AUTH_PASSWORD=${password}`]));
    await up(async () => {
      if (!isHealthy()) throw new Error('it is not healthy');
      await cli('login', 'https://auth.example.com:1280', '-u', 'admin', '--ca', join(data, 'pki', 'root-ca.cert.pem'));
      await cli('create', 'identity', 'kept-by-compose');
      say('compose: the database crashes, and is started again');
      await server.end('SIGKILL');
      if (isHealthy()) throw new Error('it is healthy without its database');
      server = await startDatabase({ work, network, database });
      for (let tries = 120; !isHealthy(); tries -= 1) {
        if (tries === 0) throw new Error('it does not find its database again');
        await delay(500);
      }
      await cli('get', 'identity', 'kept-by-compose');
    });
    // SIGINT is what the image of PostgreSQL asks for.
    await server.end('SIGINT');
    server = await startDatabase({ work, network, database });
    await up(() => cli('get', 'identity', 'kept-by-compose'));
  } finally {
    await server?.end('SIGINT');
    network.end();
  }
  return 'compose.yaml was set up as its first lines say, ran, lost its database and found it again, and was stopped and started again, without docker';
}

/** @returns the words that the container of the controller gets, for each command before the last, which starts all */
function typeFirstLines(work) {
  const calls = join(work, 'typed');
  const docker = join(work, 'bin', 'docker');
  mkdirSync(join(work, 'bin'));
  writeFileSync(docker, `#!${process.execPath}\nrequire('node:fs').appendFileSync(${JSON.stringify(calls)}, JSON.stringify(process.argv.slice(2)) + '\\n');`);
  chmodSync(docker, 0o755);
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line.startsWith('#   ')).map((line) => line.slice(4));
  const env = { ...process.env, PATH: `${join(work, 'bin')}:${process.env.PATH}` };
  run(['sh', '-e', '-c', lines.join('\n')], { cwd: work, env });
  const typed = readFileSync(calls, 'utf8').trim().split('\n').map((line) => JSON.parse(line).join(' '));
  if (typed.at(-1) !== 'compose up -d') throw new Error(`the last line to type is ${typed.at(-1)}`);
  return typed.slice(0, -1).map((line) => line.replace('compose run --rm controller ', '').split(' '));
}

/** A network without the outside, whose services reach each other. */
async function startNetwork() {
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve, reject) => holder.stdout.once('data', resolve).once('end', () => reject(new Error('no network of its own'))));
  return {
    inside: (words) => ['nsenter', `--net=/proc/${holder.pid}/ns/net`, ...words],
    end: () => holder.kill('SIGKILL'),
  };
}

/** As the entry point of the image does it, and waits as compose does, until the health check passes. */
async function startDatabase({ work, network, database }) {
  const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD, POSTGRES_INITDB_ARGS } = database.environment;
  const [version] = readdirSync(installations).toSorted((one, other) => Number(other) - Number(one));
  const programs = join(installations, version, 'bin');
  const volume = join(work, 'database-volume');
  const folder = join(volume, version, 'docker');
  const sockets = join(work, 'database-sockets');
  for (const path of [volume, sockets]) mkdirSync(path, { recursive: true });
  // Everybody may pass, as in the file system of a container.
  chmodSync(work, 0o755);
  run(['chown', 'postgres', volume, sockets]);
  const inside = (words) => network.inside(['unshare', '--mount', 'sh', '-c', 'mkdir -p /run/postgresql && mount --bind "$0" /run/postgresql && exec setpriv --reuid postgres --regid postgres --clear-groups env -u PGPASSWORD "$@"', sockets, ...words]);
  const isHealthy = () => run(inside(database.healthcheck.test.slice(1)), { mayFail: true }).status === 0;
  const start = async (addresses) => {
    const server = spawnIt(inside([join(programs, 'postgres'), '-D', folder, '-c', `listen_addresses=${addresses}`, '-c', 'unix_socket_directories=/run/postgresql']));
    const ended = new Promise((resolve) => server.on('close', resolve));
    let log = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => (log += part));
    while (!log.includes('ready to accept connections')) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended: ${log.slice(-500)}`);
      await delay(100);
    }
    return { end: (signal) => (server.kill(signal), ended) };
  };
  if (!readdirSync(volume).includes(version)) {
    const secret = join(sockets, 'password');
    writeFileSync(secret, POSTGRES_PASSWORD);
    chmodSync(secret, 0o644);
    run(inside([join(programs, 'initdb'), '-D', folder, `--username=${POSTGRES_USER}`, `--pwfile=${secret}`, ...POSTGRES_INITDB_ARGS.split(' ')]));
    writeFileSync(join(folder, 'pg_hba.conf'), 'local all all trust\nhost all all all scram-sha-256\n');
    const first = await start('');
    run(inside(['psql', '-U', POSTGRES_USER, '-d', 'postgres', '-c', `CREATE DATABASE "${POSTGRES_DB}"`]));
    if (isHealthy()) throw new Error('the database is healthy before others reach it, so the controller is started too early');
    await first.end('SIGINT');
  }
  const server = await start('*');
  if (!isHealthy()) throw new Error('the health check of the database fails');
  return server;
}

function spawnIt([command, ...args]) {
  return spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}
