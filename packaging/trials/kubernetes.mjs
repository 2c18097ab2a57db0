import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { insideOf, killInside, signalInside } from './inside.mjs';
import { root, run, say } from './running.mjs';

const password = 'a password for the trial';
/** Where the pods listen: all are on this machine. */
const addressOf = (number) => `127.0.0.${number + 10}`;

/**
 * Runs the pods of packaging/kubernetes.yaml from the root folder of the image: the init container, then the container
 * with its user, its mounts and its environment, the probes, the hook before the end and the time for it. A service in
 * front sends new connections to the pods that are ready. All pods are replaced, one after the other, while clients call.
 * @param folder the root folder of the image
 * @param image  Entrypoint, Cmd and Env
 * @param databaseUrl an empty database of PostgreSQL
 */
export async function tryManifests({ work, folder, image, databaseUrl }) {
  const { Deployment } = Object.fromEntries(
    parseAllDocuments(readFileSync(join(root, 'packaging', 'kubernetes.yaml'), 'utf8'), { merge: true })
      .map((document) => document.toJS())
      .map((object) => [object.kind, object]),
  );
  const { spec } = Deployment.spec.template;
  const { replicas } = Deployment.spec;
  const service = await startService();
  const cluster = { work, folder, image, spec, service, home: join(work, 'home'), pods: [] };
  say('Kubernetes: setting up, and starting the pods of the manifests');
  const { PGPASSWORD, url, socketFolder } = withoutPassword(databaseUrl);
  // The database is reached by its socket, as if it were one more mount.
  chmodSync(socketFolder, 0o755);
  chmodSync(join(socketFolder, '..'), 0o755);
  cluster.database = { [socketFolder]: socketFolder };
  const environment = { ...process.env, PGPASSWORD, OVERLAY_AUTH_PASSWORD: password, OVERLAY_AUTH_CONFIG_DIR: join(work, 'kube-login') };
  // The service runs in this process, so nothing may block it.
  const cli = async (...words) =>
    (await promisify(execFile)(process.execPath, [join(root, 'bin', 'overlay-auth.mjs'), ...words], { env: environment })).stdout;
  await cli('init', '--home', cluster.home, '--address', `localhost:${service.port}`, '--db', url);
  cluster.secrets = { PGPASSWORD };
  const clients = { calls: 0, failures: [], end: false };
  try {
    for (let number = 1; number <= replicas; number += 1) cluster.pods.push(await startPod(cluster, number));
    run(inContainer(cluster, cluster.pods[0], [`OVERLAY_AUTH_PASSWORD=${password}`, ...image.Entrypoint, 'admin', 'create', 'admin']));
    const ca = readFileSync(join(cluster.home, 'pki', 'root-ca.cert.pem'));
    await cli('login', `https://localhost:${service.port}`, '-u', 'admin', '--ca', join(cluster.home, 'pki', 'root-ca.cert.pem'));
    const names = [...(await cli('list', 'controllers', '-j')).matchAll(/"name":\s*"(overlay-auth-[^"]+)"/g)].map(([, name]) => name);
    if (new Set(names).size !== replicas) throw new Error(`the nodes are ${names.join(', ') || 'unknown'}`);
    const calling = Promise.all([false, true].map((isKept) => callAllTheTime(clients, service.port, ca, isKept)));
    say('Kubernetes: replacing every pod while clients call');
    for (let number = 1; number <= replicas; number += 1) {
      // One more than wanted at most, none fewer, as the strategy says.
      cluster.pods.push(await startPod(cluster, replicas + number));
      await endPod(cluster, cluster.pods.shift());
    }
    await cli('create', 'identity', 'after-it');
    clients.end = true;
    await calling;
  } finally {
    clients.end = true;
    for (const { child } of cluster.pods) killInside(child);
    service.close();
  }
  if (clients.failures.length > 0) {
    throw new Error(`${clients.failures.length} of ${clients.calls} calls failed while pods were replaced: ${clients.failures[0]}`);
  }
  return `${replicas} pods of kubernetes.yaml started and replaced, ${clients.calls} calls meanwhile, none failed`;
}

/** The password apart, as a secret has it. */
function withoutPassword(databaseUrl) {
  const { username, password: secret, port, pathname, search, searchParams } = new URL(databaseUrl);
  const url = `postgres://${username}@localhost:${port}${pathname}${search}`;
  return { PGPASSWORD: secret, url, socketFolder: searchParams.get('host') };
}

/** Sends each new connection to the next pod that is ready. */
async function startService() {
  const ready = [];
  let next = 0;
  const server = createServer((client) => {
    if (ready.length === 0) return client.destroy();
    next += 1;
    const pod = connect(1280, ready[next % ready.length]);
    for (const [one, other] of [[client, pod], [pod, client]]) one.on('error', () => other.destroy()).pipe(other);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    port: server.address().port,
    add: (address) => void ready.push(address),
    remove: (address) => void ready.splice(ready.indexOf(address), 1),
    close: () => server.close(),
  };
}

/** As its kubelet does it: volumes, init containers, the container, and probes until it is ready. */
async function startPod(cluster, number) {
  const { work, spec, image, service } = cluster;
  const name = `overlay-auth-${number}`;
  const address = addressOf(number);
  const data = join(work, name, 'data');
  const secret = join(work, name, 'secret');
  for (const path of [data, secret]) mkdirSync(path, { recursive: true });
  const { fsGroup } = spec.securityContext;
  chownSync(data, 0, fsGroup);
  chmodSync(data, 0o2777);
  const config = join(cluster.home, 'controller.yml');
  const text = readFileSync(config, 'utf8');
  // What the head of the manifests does by sed, with the pod's own address in place of all.
  const ports = [1280, 1290];
  const interfaces = text.replace(/interface: .*/g, () => `interface: "${address}:${ports.shift()}"`);
  writeFileSync(config, interfaces);
  run(['tar', '--create', '--gzip', '--file', join(secret, 'home.tgz'), '--directory', cluster.home, 'controller.yml', 'pki', 'secrets']);
  writeFileSync(config, text);
  chownSync(join(secret, 'home.tgz'), 0, fsGroup);
  chmodSync(join(secret, 'home.tgz'), 0o640);
  const pod = { name, address, data, secret };
  for (const { command } of spec.initContainers) run(inContainer(cluster, pod, command, { '/secret': secret }));
  const [program, ...args] = inContainer(cluster, pod, [...image.Entrypoint, ...image.Cmd]);
  pod.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  pod.log = '';
  for (const stream of [pod.child.stdout, pod.child.stderr]) stream.on('data', (part) => (pod.log += part));
  pod.ended = new Promise((resolve) => pod.child.on('close', resolve));
  const [{ startupProbe, livenessProbe, readinessProbe }] = spec.containers;
  for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
    for (let tries = probe.failureThreshold + 60; (await probeOnce(address, probe.httpGet)) !== 200; tries -= 1) {
      if (tries === 0 || pod.child.exitCode !== null) throw new Error(`${name} does not pass ${probe.httpGet.path}: ${pod.log.slice(-500)}`);
      await delay(500);
    }
  }
  service.add(address);
  return pod;
}

function inContainer({ folder, image, spec, secrets, database }, { name, data }, words, mounts = {}) {
  const { runAsUser, runAsGroup } = spec.securityContext;
  const variables = spec.containers[0].env.map(({ name: variable }) => `${variable}=${secrets[variable]}`);
  const pod = { folder, mounts: { '/data': data, ...database, ...mounts }, workdir: '/data', user: `${runAsUser}:${runAsGroup}`, hostname: name };
  return insideOf(pod, [...image.Env, ...variables, ...words]);
}

/** The connections that come during the hook before the end are still served; then it gets the time for its end. */
async function endPod({ spec, service }, pod) {
  service.remove(pod.address);
  await delay(spec.containers[0].lifecycle.preStop.sleep.seconds * 1000);
  signalInside(pod.child, 'SIGTERM');
  const code = await Promise.race([pod.ended, delay(spec.terminationGracePeriodSeconds * 1000, 'not in its time', { ref: false })]);
  if (code !== 0) throw new Error(`${pod.name} ended with ${code}: ${pod.log.slice(-500)}`);
}

function probeOnce(host, { path }) {
  return call({ host, port: 1280, path, rejectUnauthorized: false, agent: false }).catch(() => undefined);
}

/** @param isKept over one connection as long as it lasts; otherwise each over a new one */
async function callAllTheTime(clients, port, ca, isKept) {
  const agent = new Agent({ keepAlive: isKept, maxSockets: 1, ca });
  while (!clients.end) {
    clients.calls += 1;
    const status = await call({ host: 'localhost', port, path: '/oidc/.well-known/openid-configuration', agent }).catch(String);
    // As every client does with a connection that the server closed while it was idle.
    if (status !== 200 && !(isKept && /ECONNRESET|hang up/.test(status))) clients.failures.push(status);
    await delay(20);
  }
  agent.destroy();
}

function call(options) {
  return new Promise((resolve, reject) => {
    const sent = request({ timeout: 10_000, ...options }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)));
    sent.on('timeout', () => sent.destroy(new Error('no answer'))).on('error', reject).end();
  });
}
