#!/usr/bin/env node
// The entry point. Nothing is imported before the version is known to be recent enough to run the rest.
import { existsSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `error: overlay-auth needs Node 24.7 or newer; this is ${process.version}.\n` +
      'next: install a newer Node from https://nodejs.org, or use node_modules/.bin/node of a clone after `npm ci`.\n',
  );
  process.exitCode = 1;
} else {
  // Loading the program takes longer than the rest of a start: `listenForSignals` begins only then, and the file of the
  // configuration is read after it.
  if (['run', 'quickstart'].includes(process.argv[2] ?? '')) process.on('SIGHUP', () => undefined);
  // Half of these threads may look up names. With Node's four, two names whose servers are silent would keep all others
  // waiting, that of the database too.
  process.env.UV_THREADPOOL_SIZE ??= '16';
  // Node's default is a folder in the shared temporary directory, where another user could place code for us. So could
  // one in a folder that Node made with a umask that lets others write.
  try {
    // Throws for a user without a name, as in a container, if HOME is not set.
    const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    const cache = process.env.NODE_COMPILE_CACHE ?? join(caches, 'overlay-auth', 'compile');
    // One by one: a recursive mkdir never ends below a folder like /proc, and neither does that of the cache itself.
    for (const folder of [caches, dirname(cache), cache])
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    enableCompileCache(cache);
  } catch {
    // Where nothing can be written, there is no cache.
  }
  const { runProgram } = await import('./cli/program.ts');
  const { systemPorts } = await import('./cli/terminal/ports.ts');
  process.exitCode = await runProgram(process.argv.slice(2), systemPorts());
}
