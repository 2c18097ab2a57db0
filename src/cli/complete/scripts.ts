import type { Work } from '../terminal/command.ts';

/** The shells that completion supports. */
export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** `completion SHELL`: a script for the shell, which asks `overlay-auth complete` for the possible words. */
export const completion: Work<unknown, readonly [Shell]> = async ({ ports }, _options, [shell]) => {
  ports.stdout.write(scripts[shell]);
};

// `complete` prints one word per line. They are quoted here, because a name may contain spaces.
const scripts: Readonly<Record<Shell, string>> = {
  bash: `_overlay_auth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" word
  local -a before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ "$word" == ":files" ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    printf -v word '%q' "$word"
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" complete -- "\${before[@]}" "\${current//[\\\\\\"\\']/}" 2>/dev/null)
}
complete -F _overlay_auth overlay-auth
`,
  zsh: `#compdef overlay-auth
_overlay_auth() {
  local -a found
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)words[CURRENT]}" 2>/dev/null)}")
  if [[ "$found[1]" == ":files" ]]; then
    _files
  elif [[ -n "$found[1]" ]]; then
    compadd -- "\${found[@]}"
  fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _overlay_auth overlay-auth
`,
  fish: `function __overlay_auth_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    if test "$found[1]" = ":files"
        __fish_complete_path "$current"
    else
        printf '%s\\n' $found
    end
end
complete -c overlay-auth -f -a '(__overlay_auth_complete)'
`,
};
