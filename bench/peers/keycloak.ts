// Keycloak, a process of its own below this one, which is asked what it uses and ends it.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerCommands, processorMicros, type Usage } from '../child-channel.ts';

const [, , port = '', cert = '', key = '', folder = ''] = process.argv;
// The leader of a group, because its program is a script that starts Java.
const script = spawn(
  join(folder, 'bin', 'kc.sh'),
  [
    ...['start', '--optimized', '--import-realm', '--log-level=warn', '--http-host=127.0.0.1'],
    ...[`--hostname=https://localhost:${port}`, `--https-port=${port}`],
    ...[`--https-certificate-file=${cert}`, `--https-certificate-key-file=${key}`],
  ],
  { stdio: ['ignore', 'inherit', 'inherit'], detached: true },
);
const { pid } = script;
if (pid === undefined) throw new Error('Keycloak cannot be started');
script.once('exit', () => process.exit());
process.once('exit', () => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
});

answerCommands({
  usage(): Usage {
    const java = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${java}/status`, 'utf8'))?.[1];
    return {
      cpuMicros: processorMicros(`/proc/${java}/stat`),
      mainThreadMicros: 0,
      residentBytes: Number(resident) * 1024,
      writerMicros: 0,
    };
  },
});
