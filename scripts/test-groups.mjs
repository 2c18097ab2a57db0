// Runs groups of test files, each group in a process of its own, and sees what becomes of the processes.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const groupScript = fileURLToPath(new URL('./test-group.mjs', import.meta.url));
const reporter = new URL('./test-progress.mjs', import.meta.url).href;

/** A test may take so long, on a machine that has twenty times as much to do as it can. Millis. */
const testLimit = 900_000;
/** A process that says nothing for so long hangs: longer than a test may take, and its hooks. Millis. */
const silenceLimit = 1_200_000;
/** It may say nothing for so long while it starts. Millis. */
const startLimit = 120_000;
/** After its last file a process ends by itself, or something keeps it. Millis. */
const endLimit = 120_000;

/**
 * The files by the folder that they belong to: `src` as a whole, and each folder of `test/`.
 * @param apart folders of which each file is a group, and files that are one
 * @param together lists of folders that are one group each, named after the first
 * @param wings beginnings of paths: the files that begin so are a group beside that of their folder
 * @param longestFirst groups that begin before the others, in this order
 * @returns name and files of each group
 */
export function groupsOf(files, { apart, together = [], wings, longestFirst }) {
  const groups = Map.groupBy(files, (file) => {
    const [top, area, ...rest] = file.split('/');
    const folder = top === 'test' && rest.length > 0 ? `${top}/${area}` : top;
    if (apart.includes(folder) || apart.includes(file)) return file;
    const [first] = together.find((folders) => folders.includes(folder)) ?? [folder];
    return wings.find((wing) => file.startsWith(wing)) ?? first;
  });
  const rank = (name) => {
    const at = longestFirst.findIndex((first) => name.startsWith(first));
    return at === -1 ? longestFirst.length : at;
  };
  return [...groups]
    .map(([name, members]) => ({ name, files: members }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/**
 * Runs the files of a group. When its process dies or hangs, the file that ran has failed, and those behind it run
 * in a new process.
 * @param serve called with each request of a process for something of the whole run, answers it
 * @returns counts, each failed test with its reason, what failed besides tests (in words), seconds, and what the
 * processes wrote
 */
export async function runGroup(group, { serve, env = {}, limits = {} } = {}) {
  const outcome = {
    ...group,
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
    problems: [],
    output: '',
    cpu: 0,
    cpuOf: {},
  };
  const began = performance.now();
  let files = group.files;
  while (files.length > 0) {
    const reached = await runProcess(files, outcome, { serve, env, limits });
    files = files.slice(reached);
  }
  outcome.failed += outcome.problems.length;
  outcome.seconds = (performance.now() - began) / 1000;
  return outcome;
}

/**
 * The engine gives a process so little room for young objects at first that it collects them again and again while it
 * loads the controller and starts servers, which takes a tenth of a run. Megabytes; at most it has as much anyway.
 */
const roomForYoung = 16;

/** @returns how many of the files need not run again */
function runProcess(files, outcome, { serve, env, limits }) {
  const { test = testLimit, silence = silenceLimit, end = endLimit, leave } = limits;
  const args = [
    `--min-semi-space-size=${roomForYoung}`,
    `--test-timeout=${test}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stderr',
    groupScript,
    ...files,
  ];
  // A test that tests this is no part of the group.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...inherited, ...env, ...(leave !== undefined && { OVERLAY_AUTH_TEST_LEAVE: String(leave) }) },
  });
  let [current, ended, isThrough, hung, failedHere] = [files[0], 0, false, false, 0];
  let timer;
  const expectSign = (limit) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, limit);
  };
  expectSign(Math.max(silence, startLimit));

  child.on('message', (message) => {
    expectSign(silence);
    if (message.began !== undefined) current = message.began;
    if (message.result !== undefined) outcome[message.result] += 1;
    if (message.result === 'failed') {
      failedHere += 1;
      outcome.failures.push(`${current ?? outcome.name}: ${message.reason}`);
    }
    if (message.need !== undefined)
      serve(message.need).then(
        (thing) => child.send(thing),
        () => child.kill(),
      );
    if (message.ended !== undefined) {
      ended += 1;
      current = undefined;
      outcome.cpuOf[message.ended] = message.cpu;
      for (const what of message.left) outcome.problems.push(`${message.ended} leaves behind: ${what}`);
    }
    if (message.through) {
      isThrough = true;
      outcome.cpu += message.cpu;
      expectSign(end);
    }
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      outcome.output += text;
    });
  }
  return new Promise((resolve) => {
    child.on('error', (error) => {
      outcome.problems.push(`the process of ${outcome.name} could not be started: ${error.message}`);
      resolve(files.length);
    });
    // Another process that has inherited its output must not keep us.
    child.on('exit', () =>
      setTimeout(() => child.stdout.destroy() && child.stderr.destroy(), 20_000).unref(),
    );
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const how = hung ? 'hung' : `ended with ${signal ?? `exit code ${code}`}`;
      if (!isThrough && current !== undefined) outcome.problems.push(`${current}: its process ${how}`);
      else if (!isThrough || hung)
        outcome.problems.push(`the process of ${outcome.name} ${how} after ${files[ended - 1]}`);
      else if (code !== 0 && failedHere === 0) outcome.problems.push(`the process of ${outcome.name} ${how}`);
      resolve(isThrough ? files.length : current === undefined ? Math.max(ended, 1) : ended + 1);
    });
  });
}
