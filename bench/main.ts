// Benchmarks: starts the controller and its peers, drives them with the same load in alternated rounds, and holds
// what it measured against the budgets. Nothing leaves this machine, and everything ends with this process.
//
//   npm run bench -- [--quick] [--only NAME]… [--peers] [--sessions N] [--devices N] [--postgres] [--markdown FILE]
//                    [--profile FOLDER] [--check] [--record] [--instructions]
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { countWithPerf, whyNoInstructions } from './instructions.ts';
import { apiCall, firstSight } from './operations/api-call.ts';
import { codeFlow, passwordLogin } from './operations/code-flow.ts';
import { databaseCost } from './operations/database-cost.ts';
import { databaseSize } from './operations/database-size.ts';
import { distantStandby } from './operations/distant-standby.ts';
import { handshakes } from './operations/handshakes.ts';
import { loginStorm } from './operations/login-storm.ts';
import type { Operation } from './operations/operation.ts';
import { certificateLogin, externalJwtLogin } from './operations/other-logins.ts';
import { overloadedLogins } from './operations/overload.ts';
import { peers } from './operations/peers.ts';
import { refresh } from './operations/refresh.ts';
import { scale } from './operations/scale.ts';
import { endedSessions, startAndMemory } from './operations/start-and-memory.ts';
import { threads } from './operations/threads.ts';
import { dearerThanRecorded, readRecorded, record } from './recorded.ts';
import { type Findings, renderFindings, renderOne } from './report.ts';
import { onStage } from './stage.ts';

const operations: readonly Operation[] = [
  apiCall,
  firstSight,
  refresh,
  codeFlow,
  passwordLogin,
  handshakes,
  certificateLogin,
  externalJwtLogin,
  loginStorm,
  threads,
  overloadedLogins,
  startAndMemory,
  endedSessions,
  scale,
  databaseSize,
  databaseCost,
  distantStandby,
  peers,
];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    peers: { type: 'boolean', default: false },
    sessions: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    markdown: { type: 'string' },
    profile: { type: 'string' },
    devices: { type: 'string' },
    check: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    instructions: { type: 'boolean', default: false },
  },
});

const print = (text: string) => process.stdout.write(`${text}\n`);
const wanted = [...(values.only ?? []), ...(values.peers ? [peers.name] : [])];
const only = wanted.length === 0 ? operations.map(({ name }) => name) : wanted;
const unknown = only.find((name) => !operations.some((operation) => operation.name === name));
if (unknown !== undefined) {
  process.stderr.write(
    `There is no operation ${unknown}. There are: ${operations.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(2);
}

const machine = [
  `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  `${process.platform} ${process.arch}, Node ${process.versions.node}, OpenSSL ${process.versions.openssl}`,
].join('; ');
print(`${machine}\n`);

const findings: Findings[] = [];
await onStage(
  {
    quick: values.quick,
    sessions: Number(values.sessions ?? (values.quick ? 20_000 : 1_000_000)),
    devices: Number(values.devices ?? (values.quick ? 200 : 2000)),
    countInstructions: countInstructions(),
    postgres: values.postgres,
    profile: values.profile,
  },
  async (stage) => {
    for (const operation of operations) {
      if (!only.includes(operation.name)) continue;
      const found = await operation.run(stage);
      findings.push(found);
      print(renderOne(found));
    }
  },
);
print(renderFindings(findings).split('\n## ')[0] ?? '');
if (values.markdown !== undefined) {
  writeFileSync(values.markdown, `${machine}\n\n${renderFindings(findings)}`);
}
const verdicts = findings.flatMap((one) => one.verdicts);
if (values.record) record(verdicts);
if (values.check) {
  const dearer = dearerThanRecorded(verdicts, readRecorded());
  for (const one of dearer) process.stderr.write(`dearer: ${one}\n`);
  if (dearer.length > 0) process.exitCode = 1;
  else print('No ratio is more than 15 per cent beyond the recorded one.');
}

function countInstructions() {
  if (!values.instructions) return undefined;
  const why = whyNoInstructions();
  if (why === null) return countWithPerf;
  print(`No instructions are counted: ${why}.\n`);
  return undefined;
}
