// A file system of its own that a test can fill.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  remove(): void;
}

/** A file system of this size, or null if this process may not mount one. */
export function smallDisk(size: string): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  return {
    folder,
    remove() {
      // A log may still have its file open.
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Fills it completely. @returns frees the space again */
export function fill(folder: string): () => void {
  const file = join(folder, 'filler');
  const open = openSync(file, 'w');
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(open, page);
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'ENOSPC');
  }
  closeSync(open);
  return () => rmSync(file);
}
