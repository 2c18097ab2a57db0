// One PostgreSQL server for all test processes of a run. It syncs nothing: what survives a crash is tested on servers
// that tests start for themselves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const keeperScript = fileURLToPath(new URL('../test/support/postgres-keeper.ts', import.meta.url));

/** Starts the server when it is first asked for. */
export function sharedPostgres() {
  let running;
  return {
    /** @returns what the keeper of the server says about it */
    get() {
      running ??= start();
      return running.then(({ said }) => said);
    },
    async close() {
      if (running === undefined) return;
      const { keeper } = await running;
      const ended = once(keeper, 'exit');
      keeper.stdin.end();
      await ended;
    },
  };
}

async function start() {
  const keeper = spawn(process.execPath, [keeperScript, JSON.stringify({ unsynced: true })], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of its own: what interrupts the tests must not interrupt the tidying up.
    detached: true,
  });
  const [line] = await Promise.race([
    once(createInterface({ input: keeper.stdout }), 'line'),
    once(keeper, 'exit').then(() => {
      throw new Error('the PostgreSQL server of the tests could not be started; its reason stands above');
    }),
  ]);
  return { keeper, said: JSON.parse(line) };
}
