// What a test file leaves behind in the process that it shares with others.
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getCACertificates } from 'node:tls';

/** What was closed may take a moment to end. Millis. */
const patience = Number(process.env.OVERLAY_AUTH_TEST_LEAVE ?? 60_000);

/** By certificate, as text. */
const fingerprints = new Map();

/** The same certificate may be written in several ways. */
function fingerprintOf(pem) {
  if (!fingerprints.has(pem)) fingerprints.set(pem, new X509Certificate(pem).fingerprint256);
  return fingerprints.get(pem);
}

/** What there is now. */
export function standing() {
  const open = {};
  for (const kind of process.getActiveResourcesInfo()) open[kind] = (open[kind] ?? 0) + 1;
  const listeners = {};
  for (const event of process.eventNames()) {
    // Libraries that flush at the end listen once and for all.
    if (event !== 'exit') listeners[String(event)] = process.listenerCount(event);
  }
  return {
    open,
    listeners,
    env: { ...process.env },
    cwd: process.cwd(),
    roots: new Set(getCACertificates('default').map(fingerprintOf)),
  };
}

/**
 * Waits a moment for what was closed to end.
 * @param isShared whether something was made in between that others are to find: what it has opened does not count
 * @returns in words what is there now and was not `before`
 */
export async function leftSince(before, { isShared }) {
  for (let waited = 0; ; waited += 20) {
    const now = standing();
    const left = differences(isShared ? { ...now, env: before.env, cwd: before.cwd } : before, now);
    if (left.length === 0 || waited >= patience) return left;
    await delay(20);
  }
}

function differences(before, now) {
  const left = [...more('open', before.open, now.open), ...more('listener', before.listeners, now.listeners)];
  for (const name of new Set([...Object.keys(before.env), ...Object.keys(now.env)])) {
    if (before.env[name] !== now.env[name]) left.push(`environment variable ${name}`);
  }
  if (before.cwd !== now.cwd) left.push(`working directory ${now.cwd}`);
  if (!now.roots.isSubsetOf(before.roots)) left.push('trusted roots of the process');
  return left;
}

function more(what, before, now) {
  return Object.entries(now)
    .filter(([kind, count]) => count > (before[kind] ?? 0))
    .map(([kind, count]) => `${what} ${kind} (${count - (before[kind] ?? 0)})`);
}

/**
 * Seconds of CPU of this process and of all that came of it, those that run and those that have ended. A browser counts
 * as long as it runs: it does not wait for its processes, so what they have cost is not to be had afterwards.
 */
export function processorSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + ticksOfOtherProcesses() / ticksPerSecond;
}

const ticksPerSecond = 100;

function ticksOfOtherProcesses() {
  const all = new Map();
  for (const name of processes()) {
    const read = statOf(name);
    if (read !== null) all.set(Number(name), read);
  }
  const isOurs = (pid) => pid === process.pid || (all.has(pid) && isOurs(all.get(pid).parent));
  let ticks = all.get(process.pid)?.ended ?? 0;
  for (const { parent, own, ended } of all.values()) {
    if (isOurs(parent)) ticks += own + ended;
  }
  return ticks;
}

/** None where the system does not tell. */
function processes() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** @returns its parent, its ticks, and those of its children that have ended; null when it has ended itself */
function statOf(name) {
  try {
    // After the name of the program, which may have spaces.
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1).split(' ').map(Number);
    return { parent: fields[1], own: fields[11] + fields[12], ended: fields[13] + fields[14] };
  } catch {
    return null;
  }
}
