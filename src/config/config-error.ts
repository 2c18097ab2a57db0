export const fromVariable = 'environment variable ';

/** One mistake in the configuration, in words for the person who edits it. */
export interface Problem {
  /** A plain sentence without a final full stop. Never repeats a database URL. */
  readonly message: string;
  /** The file as it was named; for a value from an environment variable `fromVariable` and its name. */
  readonly file: string;
  /** From 1; null when the problem has no place in the file. */
  readonly line: number | null;
  readonly column: number | null;
  /** `web[0].options.idleTimeout`; empty for the file as a whole. */
  readonly path: string;
  /** The remedy; null when the message contains it. */
  readonly hint: string | null;
}

/** The configuration cannot be used. Contains every problem that was found, in the file's order. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const [first] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super(`the configuration cannot be used: ${first?.message ?? 'unknown'}${more}`);
    this.problems = problems;
  }
}

export type PathSegment = string | number;
export type ConfigPath = readonly PathSegment[];

/** `['web', 0, 'name']` as `web[0].name`. */
export function formatPath(path: ConfigPath): string {
  return path
    .map((segment) => {
      if (typeof segment === 'number') return `[${segment}]`;
      return /^[\w-]+$/.test(segment) ? `.${segment}` : `.${JSON.stringify(segment)}`;
    })
    .join('')
    .replace(/^\./, '');
}
