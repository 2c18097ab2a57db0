import { existsSync, renameSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { rekeyDatabase } from '../../controller/rekey-database.ts';
import { isOnline } from '../../model/node.ts';
import { SECOND } from '../../platform/clock.ts';
import { readText } from '../../platform/read-file.ts';
import type { MasterKey } from '../../platform/secrets/key-file-format.ts';
import { nextKeyFile, previousKeyFile } from '../../platform/secrets/key-files.ts';
import { type KeyVault, keyVault, vaultKey } from '../../platform/secrets/key-vault.ts';
import { keyPassphrase, readKeyFile, writeKeyFile } from '../../platform/secrets/master-key.ts';
import { giveName, writeWhole } from '../../platform/whole-file.ts';
import { CliError, notice, printResult, type Report } from '../terminal/output.ts';
import type { ConfigOptions } from './load-config.ts';
import { onlyOne } from './only-one.ts';
import { type Host, withHost } from './open-host.ts';
import { nodesThatFail } from './rotation/dependents.ts';

/** Controllers notice changes by others within a quarter of a second, on PostgreSQL within two seconds. */
const untilNoticed = 3 * SECOND;

/** `keys rekey` @throws CliError another one runs, or a key file cannot be used */
export async function rekey(report: Report, options: ConfigOptions): Promise<void> {
  await withHost(report, options, async (host) => {
    const { keyFile } = host.foundations.config.secrets;
    using _lock = onlyOne(keyFile);
    await rekeyUnderLock(report, host, keyFile);
  });
}

async function rekeyUnderLock(report: Report, host: Host, keyFile: string): Promise<void> {
  const { store, clock, config } = host.foundations;
  const passphrase = keyPassphrase(report.ports.env);
  const keyIn = (file: string) => (existsSync(file) ? readKeyFile(file, { passphrase }) : null);
  const current = readKeyFile(keyFile, { passphrase });
  const next = keyIn(nextKeyFile(keyFile));
  if (next === null) {
    const made = writeKeyFile(nextKeyFile(keyFile), passphrase);
    if (hasOtherHosts(config)) {
      printResult(
        report,
        { fingerprint: made.fingerprint, keyFile: nextKeyFile(keyFile), resealed: 0 },
        () =>
          `Made the new key ${made.fingerprint} in ${nextKeyFile(keyFile)}; nothing is sealed under it yet.`,
      );
      notice(
        report,
        'next: copy that file to the folder of the key file on every node, then run this command again',
      );
      return;
    }
    return rekeyUnderLock(report, host, keyFile);
  }
  const previous = keyIn(previousKeyFile(keyFile));
  const older = [current, previous].flatMap((key) => (key === null ? [] : [vaultKey(key.bytes)]));
  const vault = keyVault(vaultKey(next.bytes), () => ({ newer: [], older }));
  if (hasOtherHosts(config)) await requireKeyOnAllNodes(host, vault, { key: next, keyFile });
  const resealed = await rekeyDatabase({ store, vault, clock }, async () => {
    const nodes = await store.nodes.listAll();
    if (nodes.some((node) => isOnline(node, clock.now()))) await wait(untilNoticed);
  });
  putInPlace(keyFile, current, previous);
  host.audit.record({ event: 'secrets.rekeyed', fingerprint: next.fingerprint, resealed }, null);
  printResult(
    report,
    { fingerprint: next.fingerprint, keyFile, resealed },
    () => `Resealed ${resealed} secrets under the key ${next.fingerprint}, which is in ${keyFile} now.`,
  );
  notice(report, `Back it up separately from the database. Older backups need ${previousKeyFile(keyFile)}.`);
  if (hasOtherHosts(config)) notice(report, 'next: run this command on the hosts of the other nodes too');
}

/**
 * A node without the key could no longer open anything.
 * @throws CliError names the nodes that lack it
 */
async function requireKeyOnAllNodes(
  host: Host,
  vault: KeyVault,
  { key: { fingerprint }, keyFile }: { key: MasterKey; keyFile: string },
): Promise<void> {
  const [id] = vault.keyIds() as [string];
  const names = await nodesThatFail(host, ({ keyIds }) => keyIds.includes(id));
  if (names.length === 0) return;
  const list = names.join(', ');
  throw new CliError(
    `${list} ${names.length === 1 ? 'does' : 'do'} not have the key ${fingerprint} yet, so nothing is sealed under it.`,
    {
      code: 'key_missing',
      next: `copy ${nextKeyFile(keyFile)} to the folder of the key file on ${list}, then run this command again`,
    },
  );
}

function hasOtherHosts({ db }: Config): boolean {
  return db.engine === 'postgres';
}

/** The next key becomes the key. The one it replaces is kept, and so is the one before that. */
function putInPlace(keyFile: string, current: MasterKey, previous: MasterKey | null): void {
  const kept = previousKeyFile(keyFile);
  // Works too if it was interrupted between the two steps below.
  if (previous?.fingerprint !== current.fingerprint) {
    if (previous !== null) renameSync(kept, `${kept}-${previous.fingerprint}`);
    // On the disk before the key that it contains is replaced.
    writeWhole(kept, readText(keyFile), statSync(keyFile).mode & 0o777);
  }
  giveName(nextKeyFile(keyFile), keyFile);
}
