import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Command } from 'commander';
import { clientCommands } from '../../src/cli/client/commands.ts';
import { hostCommands } from '../../src/cli/host/commands.ts';
import { ownCommands } from '../../src/cli/own-commands.ts';
import { createProgram, examples } from '../../src/cli/program.ts';
import { systemPorts } from '../../src/cli/terminal/ports.ts';
import { commandLine } from '../support/command-line.ts';

const text = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');

/** The whole command line, with commands that only report that they were reached. */
function harmlessProgram(reached: (path: string) => void): Command {
  const program = createProgram(systemPorts());
  const walk = (command: Command, path: string): void => {
    if (isLeaf(command)) command.action(() => reached(path));
    for (const child of command.commands) walk(child, `${path} ${child.name()}`.trim());
  };
  walk(program, '');
  return program;
}

/** Something that can be typed as it stands; `login`, `explain` and `export` can, although they have subcommands. */
function isLeaf(command: Command): boolean {
  return (
    command.parent !== null &&
    (command.commands.length === 0 || command.registeredArguments.length > 0 || command.options.length > 0)
  );
}

const withAliases = (command: Command) => [command.name(), ...command.aliases()].join('|');

function allPaths(command: Command, nameOf = (child: Command) => child.name(), path = ''): readonly string[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  return [
    ...(isLeaf(command) ? [path] : []),
    ...visible.flatMap((child) => allPaths(child, nameOf, `${path} ${nameOf(child)}`.trim())),
  ];
}

/** Lines of code blocks and inline code that begin with the program's name, without it and without a comment. */
function documented(): readonly string[] {
  const lines = [...text.matchAll(/^overlay-auth (.+)$/gm)].map(([, line = '']) =>
    line.replace(/ +#.*$/, '').replace(/ > \S+$/, ''),
  );
  const inline = [...text.matchAll(/`overlay-auth ([^`]+)`/g)].map(([, line = '']) =>
    line.replace(/ [<>|].*$/, ''),
  );
  return [...lines, ...inline];
}

function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('the document has examples of every command, which its help shows', () => {
  const lines = examples().map((line) => line.split(' '));
  const without = allPaths(createProgram(systemPorts()), withAliases).filter(
    (path) =>
      !lines.some((words) =>
        path.split(' ').every((names, at) => names.split('|').includes(words[at] ?? '')),
      ),
  );
  assert.deepEqual(without, [], 'write an example of each into docs/command-line.md');
});

// A row that no heading reaches could not be typed, and nothing else would say so.
test('every row of the tables of commands can be typed', () => {
  const rows = Object.keys({ ...hostCommands, ...clientCommands, ...ownCommands });
  const missing = rows.filter((row) => {
    let command: Command | undefined = createProgram(systemPorts());
    for (const word of row.split(' ')) command = command?.commands.find((child) => child.name() === word);
    return command === undefined;
  });
  assert.deepEqual(missing, [], 'name each, or its group, at a heading of src/cli/program.ts');
});

test('help shows them, also of a group of commands', async () => {
  await using cli = commandLine();
  for (const [args, example] of [
    [['identity', 'disable', '--help'], 'overlay-auth identity disable ada --minutes 30'],
    [['help', 'create'], 'overlay-auth create identity ada --updb'],
    [
      ['list', 'identity', '-h'],
      "overlay-auth list identities 'name icontains \"ad\"' --sort 'name desc' --limit 20",
    ],
    [['login', '-h'], 'overlay-auth login https://localhost:1280 -u ada'],
  ] as const) {
    const { stdout } = await cli.exits(0, args);
    assert.ok(stdout.includes(`\nExamples:\n`) && stdout.includes(`  ${example}\n`), stdout);
  }
});

test('every example of the document can be typed, and every command has one', async () => {
  const reached = new Set<string>();
  for (const example of documented()) {
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
  assert.deepEqual(missing, [], 'write an example of each into docs/command-line.md');
});
