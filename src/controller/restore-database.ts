// Makes a database safe to use after it was restored from a backup: see docs/decisions/restoring-a-backup.md.

import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { isOnline } from '../model/node.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { previousKeyFile } from '../platform/secrets/key-files.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { SealBroken } from '../platform/secrets/sealed-box.ts';
import { timeStepAt } from '../platform/secrets/totp-code.ts';
import type { Withdrawn } from '../store/contracts/restores.ts';
import type { Store } from '../store/contracts/store.ts';
import { refuseNewer, SchemaError } from '../store/migrations/migrate.ts';
import { checkSqlite } from '../store/sqlite/backup.ts';
import { openSqliteStore, sqliteSchemaVersion } from '../store/sqlite/open.ts';
import { copySqliteBackup, LogOfAnother, replaceSqlite } from '../store/sqlite/restore.ts';
import { openKeyRing } from '../tokens/key-ring.ts';
import { openServerSecrets } from '../tokens/server-secrets.ts';
import {
  claimDatabase,
  databaseName,
  hasDatabase,
  NoDatabase,
  openStore,
  refuseNewerDatabase,
  sqliteFile,
} from './database.ts';
import { rekeyDatabase } from './rekey-database.ts';

export interface RestoreNeeds {
  readonly config: Config;
  readonly vault: KeyVault;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Restored {
  readonly restoreId: string;
  readonly withdrawn: Withdrawn;
}

/** The backup cannot replace the database; the message is a sentence for the operator. Nothing has changed. */
export class BackupUnusable extends Error {
  override readonly name = 'BackupUnusable';
}

/** Controllers run on the restored database; the message is a sentence for the operator. */
export class NodesRunning extends Error {
  override readonly name = 'NodesRunning';
}

/**
 * Replaces an SQLite database with a backup, migrated to this release and with everything withdrawn that was ever
 * issued. The backup stays as it is; the replaced database is kept beside it.
 * @returns also where the replaced database is, null when there was none
 * @throws AlreadyRunning     a controller runs on the database
 * @throws UnsupportedDatabase the database is not SQLite
 * @throws BackupUnusable     missing, damaged, from a newer release or another program, or sealed under another key
 */
export async function restoreDatabase(
  needs: RestoreNeeds,
  backup: string,
): Promise<Restored & { readonly replaced: string | null }> {
  const path = sqliteFile(needs.config, 'restore');
  const found = statSync(backup, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) throw new BackupUnusable(`There is no file ${backup}.`);
  if (existsSync(path) && realpathSync(path) === realpathSync(backup))
    throw new BackupUnusable(`${backup} is the database itself, not a backup of it.`);
  using _claim = claimDatabase(needs.config);
  using working = copyOf(backup, path);
  const restored = await prepareCopy(needs, working.partial, backup);
  const aside = `${path}.replaced-${new Date(needs.clock.now()).toISOString().replace(/[:.]/g, '-')}`;
  const hadOne = replaceSqlite(working.partial, path, aside);
  return { ...restored, replaced: hadOne ? aside : null };
}

function copyOf(backup: string, path: string): ReturnType<typeof copySqliteBackup> {
  try {
    return copySqliteBackup(backup, path);
  } catch (error) {
    if (!(error instanceof LogOfAnother)) throw error;
    throw new BackupUnusable(`${error.message}.`, { cause: error });
  }
}

async function prepareCopy(needs: RestoreNeeds, working: string, backup: string): Promise<Restored> {
  try {
    const findings = checkSqlite(working);
    if (findings.length > 0) throw new BackupUnusable(`${backup} is damaged: ${findings.join('; ')}.`);
    const store = await openSqliteStore({ path: working });
    try {
      // A newer release may issue things that this one does not know, and would not withdraw.
      refuseNewer(sqliteSchemaVersion(working));
      return await withdrawEverythingIssued(needs, store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof SchemaError)
      throw new BackupUnusable(`${backup} cannot be used: ${error.message}.`, { cause: error });
    if (error instanceof SealBroken)
      throw new BackupUnusable(
        `${backup} was sealed with another key-encryption key: ${keyToPutBack(needs.config.secrets.keyFile)}`,
        { cause: error },
      );
    if (error instanceof Error && 'errcode' in error)
      throw new BackupUnusable(`${backup} cannot be read as a database: ${error.message}.`, { cause: error });
    throw error;
  }
}

/** `keys rekey` keeps every key. One copied in place of the previous key must not destroy that. */
function keyToPutBack(keyFile: string): string {
  const previous = previousKeyFile(keyFile);
  const advice = `put back the key file that belongs to it, or copy it to ${previous}, and restore again.`;
  const older = readdirSync(dirname(keyFile)).filter((name) => name.startsWith(`${basename(previous)}-`));
  if (older.length === 0) return advice;
  return `${advice} Beside it are older keys (${older.join(', ')}); before you replace ${basename(previous)}, rename it, because other backups need it.`;
}

/**
 * Does for a database that other tools have restored what `restoreDatabase` does for a backup. For every engine.
 * @throws AlreadyRunning, NodesRunning   stop them first: their memory predates the restore
 * @throws NoDatabase, SealBroken, SchemaError (a newer release has changed the database)
 */
export async function afterForeignRestore(needs: RestoreNeeds): Promise<Restored> {
  const name = databaseName(needs.config);
  if (!(await hasDatabase(needs.config))) throw new NoDatabase(`There is no database at ${name}.`);
  using _claim = claimDatabase(needs.config);
  const store = await openStore(needs.config, { isPatient: true });
  try {
    await refuseNewerDatabase(needs.config);
    const nodes = await store.nodes.listAll();
    const running = nodes.filter((node) => isOnline(node, needs.clock.now()));
    if (running.length > 0) {
      const names = running.map(({ name }) => name).join(', ');
      throw new NodesRunning(`controllers run on this database: ${names}; stop them first`);
    }
    return await withdrawEverythingIssued(needs, store);
  } finally {
    await store.close();
  }
}

/**
 * Seals what is left under today's key, if the backup is older.
 * @throws SealBroken a key is missing. If some secrets open, the rest is found out at the end: run it again with that key
 */
async function withdrawEverythingIssued(needs: RestoreNeeds, store: Store): Promise<Restored> {
  const { clock, random, vault } = needs;
  const { keys } = store;
  await openServerSecrets({ keys, vault, random });
  await openKeyRing({ keys, vault, clock });
  const now = clock.now();
  const restoreId = random.id();
  // A code may be used one step early, from an authenticator whose clock is ahead.
  const totpStep = timeStepAt(now) + 1;
  const withdrawn = await store.restores.withdrawEverythingIssued({ id: restoreId, totpStep, now });
  // Immediately, so that the database always says which key-encryption key it belongs to.
  await openServerSecrets({ keys, vault, random });
  // From here on the key of the backup may be deleted.
  await rekeyDatabase({ store, vault, clock }, async () => {});
  return { restoreId, withdrawn };
}
