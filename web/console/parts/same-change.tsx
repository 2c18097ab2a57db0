import { CopyButton } from '../../parts/keep.tsx';
import { addressOf, type Change } from '../session/api.ts';
import { texts } from '../texts/texts.ts';

export interface SameChangeProps {
  /** The words after `overlay-auth`. Each is quoted if a shell requires it. */
  readonly command: readonly string[] | null;
  /** The caller removes secrets from the body. */
  readonly change: Change;
}

/** Shows the command and API call of a form, for people who want to do the same with a program. */
export function SameChange({ command, change: { method, path, body, version } }: SameChangeProps) {
  const typed = command === null ? null : ['overlay-auth', ...command].map(shellQuoted).join(' ');
  const condition = version == null ? '' : `\nIf-Match: ${version}`;
  const call = `${method} ${addressOf(path)}${condition}${body === undefined ? '' : `\n${JSON.stringify(body, null, 2)}`}`;
  return (
    <details className="same">
      <summary>{texts.same.title}</summary>
      {typed !== null && <Sample label={texts.same.command} text={typed} />}
      <Sample label={texts.same.call} text={call} />
    </details>
  );
}

/** A text to copy and use elsewhere. */
export function Sample({ label, text }: { label: string; text: string }) {
  return (
    <figure>
      <figcaption>
        {label} <CopyButton text={text} />
      </figcaption>
      <pre>{text}</pre>
    </figure>
  );
}

/** A word quoted for a POSIX shell: strangers choose names, and an administrator will paste this. */
function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
