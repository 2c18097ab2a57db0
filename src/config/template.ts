import { stringify } from 'yaml';
import { describedFile, type SettingNode } from './described-file.ts';
import type { GivenSettings } from './settings.ts';

type Values = { readonly [key: string]: unknown };

const heading = `# Configuration of the overlay authentication service.
#
#   overlay-auth config validate FILE        checks this file and says what is wrong, with line and column
#   overlay-auth config show --origin FILE   prints every value in force and where it comes from
#   overlay-auth config schema               prints the JSON Schema of this file, for editors
#
# Relative paths are relative to this file's folder. Durations are written like 30m, 24h or 7d.
`;

/**
 * Writes a configuration file with every setting and its meaning. `loadConfig` reads it without warnings or
 * adjustments; every value in it is a default or one of the given ones. Settings that few need are comments.
 * @param given what has no default, in the shape of the file; paths may be relative to the file's folder
 */
export function renderControllerConfig(given: GivenSettings): string {
  const sections = Object.entries(describedFile().properties ?? {}).map(([key, node]) =>
    settingLines(key, node, { given: given[key as keyof GivenSettings], isComment: false })
      .map(printed)
      .join('\n'),
  );
  return `${heading}${sections.join('\n\n')}\n`;
}

interface Line {
  readonly indent: number;
  /** A note explains what follows it; a comment would be a setting without its #. */
  readonly kind: 'set' | 'comment' | 'note';
  readonly text: string;
  readonly explanation: string;
}

const widest = 104;
const columnOfExplanation = 35;
const longestExplanation = 80;
const longestSetting = 45;

function printed({ indent, kind, text, explanation }: Line): string {
  const line = `${' '.repeat(indent)}${kind === 'set' ? '' : '# '}${text}`;
  return explanation === '' ? line : `${line.padEnd(columnOfExplanation - 1)} # ${explanation}`;
}

/** Behind the setting if it is short enough, otherwise above it. */
function explained(kind: 'set' | 'comment', text: string, explanation: string): readonly Line[] {
  if (explanation.length <= longestExplanation && text.length <= longestSetting)
    return [{ indent: 0, kind, text, explanation }];
  const notes = explanation.match(new RegExp(`\\S.{0,${widest - 1}}(?= |$)`, 'g')) ?? [];
  return [
    ...notes.map((note) => ({ indent: 0, kind: 'note', text: note, explanation: '' }) as const),
    { indent: 0, kind, text, explanation: '' },
  ];
}

interface Shown {
  /** The value in the file; undefined: none. */
  readonly given: unknown;
  readonly isComment: boolean;
}

/** A setting with everything inside. It is a comment if it has neither a given value nor a default. */
function settingLines(key: string, node: SettingNode, { given, isComment }: Shown): readonly Line[] {
  const { description: sentence = '' } = node;
  const { rare, example } = node.setting ?? {};
  if (node.properties !== undefined) {
    const hasNone = isComment || (given === undefined && node.default === undefined);
    return sectionLines(key, sentence, memberLines(node, { given, isComment: hasNone }));
  }
  if (node.items?.properties !== undefined || node.items?.oneOf !== undefined) {
    const entries = given as readonly Values[] | undefined;
    return entries === undefined ? [] : sectionLines(key, sentence, entryLines(node.items, entries));
  }
  const isSet = !isComment && (given !== undefined || (node.default !== undefined && rare !== true));
  const value = given ?? (isSet ? undefined : (node.const ?? example)) ?? node.default;
  if (value === undefined) return [];
  return explained(isSet ? 'set' : 'comment', `${key}: ${valueText(value)}`, sentence);
}

function memberLines(node: SettingNode, { given, isComment }: Shown): readonly Line[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    settingLines(key, child, { given: (given as Values | undefined)?.[key], isComment }),
  );
}

function sectionLines(key: string, sentence: string, inside: readonly Line[]): readonly Line[] {
  if (inside.length === 0) return [];
  if (inside.some(({ kind }) => kind === 'set'))
    return [
      ...explained('set', `${key}:`, sentence),
      ...inside.map((line) => ({ ...line, indent: line.indent + 2 })),
    ];
  return [...explained('comment', `${key}:`, sentence), ...inside.map(insideComment)];
}

function insideComment(line: Line): Line {
  return { ...line, kind: 'comment', text: `  ${line.kind === 'note' ? '# ' : ''}${line.text}` };
}

/** The first entry with all its settings, the others with those that are given, then the remaining kinds as comments. */
function entryLines(node: SettingNode, [first = {}, ...others]: readonly Values[]): readonly Line[] {
  if (node.oneOf === undefined)
    return [first, ...others].flatMap((given, index) =>
      index === 0
        ? asEntry(memberLines(node, { given, isComment: false }))
        : stringify([given])
            .trimEnd()
            .split('\n')
            .map((text) => ({ indent: 0, kind: 'set', text, explanation: '' })),
    );
  const bindings = [first, ...others].map(({ binding }) => binding);
  return [
    ...bindings.map(
      (binding): Line => ({ indent: 0, kind: 'set', text: `- binding: ${binding}`, explanation: '' }),
    ),
    ...node.oneOf
      .filter(
        ({ properties }) =>
          properties?.binding?.const !== undefined && !bindings.includes(properties.binding.const),
      )
      .flatMap((choice) => asEntry(memberLines(choice, { given: undefined, isComment: true }))),
  ];
}

/** The lines of a map as an entry of a list. */
function asEntry([first, ...lines]: readonly Line[]): readonly Line[] {
  if (first === undefined) return [];
  return [
    { ...first, text: `- ${first.text}` },
    ...lines.map((line) =>
      first.kind === 'comment' ? insideComment(line) : { ...line, indent: line.indent + 2 },
    ),
  ];
}

/** Texts in quotes, except words. */
function valueText(value: unknown): string {
  const isWord = typeof value !== 'string' || /^[\w.-]+$/.test(value);
  const options = { lineWidth: 0, collectionStyle: 'flow', flowCollectionPadding: false } as const;
  return stringify(value, isWord ? options : { ...options, defaultStringType: 'QUOTE_DOUBLE' }).trimEnd();
}
