import type { Command } from 'commander';

/** A shell script that completes command names and options; file names where nothing else fits. */
export function completionScript(program: Command, shell: 'bash' | 'zsh'): string {
  const name = program.name();
  const lines = commandPaths(program, '').map(
    ({ path, words }) => `    ${JSON.stringify(path)}) words=${JSON.stringify(words.join(' '))} ;;`,
  );
  const body = `_overlay_auth() {
  local path="" word words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ "$word" == -* ]] || path="$path $word"
  done
  # Names that the person typed follow the command: the longest path that is known counts.
  while :; do
    case "$path" in
${lines.join('\n')}
    esac
    [[ -n "$words" || -z "$path" ]] && break
    path="\${path% *}"
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _overlay_auth ${name}
`;
  return shell === 'bash' ? body : `autoload -U +X bashcompinit && bashcompinit\n${body}`;
}

interface PathWords {
  /** Command names from the program down, each with a space before it. */
  readonly path: string;
  readonly words: readonly string[];
}

function commandPaths(command: Command, path: string): readonly PathWords[] {
  const commands = command.commands.map((child) => child.name());
  const options = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '');
  const own = { path, words: [...commands, ...options, '--help'].filter((word) => word !== '') };
  const children = command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].flatMap((name) => commandPaths(child, `${path} ${name}`)),
  );
  return [own, ...children];
}
