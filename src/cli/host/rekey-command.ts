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
import { openKeyRing } from '../../tokens/key-ring.ts';
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
  const current = { ...readKeyFile(keyFile, { passphrase }), text: readText(keyFile) };
  const next = keyIn(nextKeyFile(keyFile));
  if (next === null) {
    // The new key of a key file that is not that of the database would be taken for begun work.
    await openKeyRing({ keys: store.keys, vault: host.foundations.vault, clock });
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
  keepKey(keyFile, current, previous);
  const { fingerprint: found } = readKeyFile(keyFile, { passphrase });
  if (found !== current.fingerprint && found !== next.fingerprint)
    throw new CliError(
      `${keyFile} was replaced by another key meanwhile, ${found}. Everything is sealed under ${next.fingerprint} in ${nextKeyFile(keyFile)}, and the former key is in ${previousKeyFile(keyFile)}.`,
      {
        code: 'key_replaced',
        next: 'run this command again: it puts the new key in place and keeps the others',
      },
    );
  giveName(nextKeyFile(keyFile), keyFile);
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

/** Before the next key becomes the key: the one that it replaces is kept, and so is the one before that. */
function keepKey(
  keyFile: string,
  current: MasterKey & { readonly text: string },
  previous: MasterKey | null,
): void {
  const kept = previousKeyFile(keyFile);
  // Interrupted after it was kept.
  if (previous?.fingerprint === current.fingerprint) return;
  if (previous !== null) renameSync(kept, `${kept}-${previous.fingerprint}`);
  // On the disk before the file that contains it is replaced.
  writeWhole(kept, current.text, statSync(keyFile).mode & 0o777);
}
