import { stringify } from 'yaml';
import type { Adjustment } from './adjustments.ts';
import type { Config } from './config.ts';
import { type ConfigPath, formatPath, type Problem } from './config-error.ts';
import { type FileValue, toFileShape } from './file-shape.ts';
import { describeOrigin, type Origins } from './origins.ts';

// The output of the commands `config validate`, `config show` and `config schema`.

export { jsonSchema } from './described-file.ts';

/**
 * All problems, one paragraph each: `file:line:column: path: message`, then the hint. Ends with a newline.
 * @param outcome the consequence for the command
 */
export function renderProblems(problems: readonly Problem[], outcome = 'nothing was started'): string {
  const paragraphs = problems.map(({ file, line, column, path, message, hint }) => {
    const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
    const head = [place, ...(path === '' ? [] : [path]), `${message}.`].join(': ');
    return printable(hint === null ? head : `${head}\n    ${hint}`);
  });
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return `${paragraphs.join('\n')}\n${count}; ${outcome}.\n`;
}

/** One sentence for the log: the setting, its old and new value, and the reason. */
export function renderAdjustment({ path, oldValue, newValue, reason }: Adjustment): string {
  return `${path} was changed from ${oldValue} to ${newValue}: ${reason}`;
}

/**
 * The effective configuration as YAML in the shape of the file. It contains paths of secrets but no secrets; a
 * database password is masked.
 * @param options.origin adds to each value, as a comment, where it comes from
 */
export function renderShow(config: Config, origins: Origins, options: { readonly origin: boolean }): string {
  const comment = (path: ConfigPath): string => {
    const origin = options.origin ? origins.get(formatPath(path)) : undefined;
    return origin === undefined ? '' : printable(`  # ${describeOrigin(origin)}`);
  };
  return `${yamlLines(toFileShape(config), [], comment).join('\n')}\n`;
}

/** Block style throughout, so that each value has its own line with room for a comment. */
function yamlLines(value: FileValue, path: ConfigPath, comment: (path: ConfigPath) => string): string[] {
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, child]: [string, FileValue]): string[] => {
    const childPath = [...path, isList ? Number(key) : key];
    const isLeaf = typeof child !== 'object' || Object.keys(child).length === 0;
    const lines = isLeaf
      ? [`${scalarText(child)}${comment(childPath)}`]
      : yamlLines(child, childPath, comment);
    if (isList) return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`);
    return isLeaf ? [`${key}: ${lines[0] ?? ''}`] : [`${key}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function scalarText(value: FileValue): string {
  // A JSON string is a YAML string too, and stays on one line.
  if (typeof value === 'string' && /[\p{C}\p{Zl}\p{Zp}]/u.test(value)) return JSON.stringify(value);
  return stringify(value, { lineWidth: 0 }).trimEnd();
}

/** Text for a terminal or a log line: escapes all characters that could move the cursor or begin another line. */
function printable(text: string): string {
  return text.replaceAll(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
