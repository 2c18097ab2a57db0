import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Command } from 'commander';
import { systemPorts } from '../../src/cli/ports.ts';
import { createProgram } from '../../src/cli/program.ts';

const text = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');

/** The whole command line, whose commands only say that they were reached. */
function harmlessProgram(reached: (path: string) => void): Command {
  const program = createProgram(systemPorts());
  const walk = (command: Command, path: string): void => {
    if (isLeaf(command)) command.action(() => reached(path));
    for (const child of command.commands) walk(child, `${path} ${child.name()}`.trim());
  };
  walk(program, '');
  return program;
}

/** Something that can be typed as it is; `login` and `explain` can, although they have commands of their own. */
function isLeaf(command: Command): boolean {
  return command.parent !== null && (command.commands.length === 0 || command.registeredArguments.length > 0);
}

function allPaths(command: Command, path = ''): readonly string[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  return [
    ...(isLeaf(command) ? [path] : []),
    ...visible.flatMap((child) => allPaths(child, `${path} ${child.name()}`.trim())),
  ];
}

/** Lines of code blocks and inline code that begin with the program, without it and without a comment. */
function examples(): readonly string[] {
  const lines = [...text.matchAll(/^overlay-auth (.+)$/gm)].map(([, line = '']) =>
    line.replace(/ +#.*$/, ''),
  );
  const inline = [...text.matchAll(/`overlay-auth ([^`]+)`/g)].map(([, line = '']) =>
    line.replace(/ [<>|].*$/, ''),
  );
  return [...lines, ...inline];
}

function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('every example of the document can be typed, and every command has one', async () => {
  const reached = new Set<string>();
  for (const example of examples()) {
    if (example === '--help') continue;
    let path: string | undefined;
    const program = harmlessProgram((name) => {
      path = name;
    });
    await assert.doesNotReject(
      program.parseAsync(wordsOf(example), { from: 'user' }),
      `overlay-auth ${example}`,
    );
    assert.ok(path !== undefined, `overlay-auth ${example} reaches no command`);
    reached.add(path);
  }
  const missing = allPaths(createProgram(systemPorts())).filter((path) => !reached.has(path));
  assert.deepEqual(missing, []);
});
