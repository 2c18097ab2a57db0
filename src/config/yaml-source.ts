import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ConfigPath, PathSegment } from './config-error.ts';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A parsed YAML file that still knows the position of each value. */
export interface YamlSource {
  /** Plain values; `undefined` when there are `faults`. */
  readonly value: unknown;
  /** Mistakes in the YAML syntax. */
  readonly faults: readonly (Place & { readonly message: string; readonly hint: string | null })[];
  /** Whether the file itself has a value at this path. */
  has(path: ConfigPath): boolean;
  /** The position of the value at this path, or of its nearest existing ancestor. */
  placeOfValue(path: ConfigPath): Place;
  /** The position of the last key of this path, or of its nearest existing ancestor. */
  placeOfKey(path: ConfigPath): Place;
}

const largestFile = 1024 * 1024;

/**
 * Parses one YAML 1.2 document. Stricter than YAML: keys must be text, non-standard tags and several documents in one
 * file are faults, and aliases cannot multiply.
 * @param most characters; by default 1 MiB
 */
export function parseYamlSource(text: string, most = largestFile): YamlSource {
  const lines = new LineCounter();
  if (text.length > most) return unusable({ line: 1, column: 1 }, 'the file is larger than 1 MiB');
  let document: ReturnType<typeof parseDocument>;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  } catch (error) {
    // The parser is recursive: thousands of nesting levels exhaust the stack.
    return unusable({ line: 1, column: 1 }, `the file cannot be parsed: ${messageOf(error)}`);
  }
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const root = document.contents;
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    ...placeAt(pos[0]),
    message: faultMessage(code, message),
    hint: faultHint(code, text.slice(pos[0] - 1, pos[1] + 1)),
  }));
  if (root === null && faults.length === 0) return unusable({ line: 1, column: 1 }, 'the file is empty');

  let value: unknown;
  if (faults.length === 0) {
    try {
      value = document.toJS();
    } catch (error) {
      return unusable(
        { line: 1, column: 1 },
        `the aliases in the file cannot be resolved: ${messageOf(error)}`,
      );
    }
  }

  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  /** The nodes along the path as far as it exists: the root, then one entry (key and value) for each segment. */
  const walk = (path: ConfigPath): { key: unknown; value: unknown }[] => {
    const steps: { key: unknown; value: unknown }[] = [{ key: root, value: root }];
    for (const segment of path) {
      const step = stepInto(resolve(steps.at(-1)?.value), segment);
      if (step === undefined) break;
      steps.push(step);
    }
    return steps;
  };
  const placeOf = (node: unknown): Place | undefined => {
    const range = (node as Partial<Node> | null | undefined)?.range;
    return range ? placeAt(range[0]) : undefined;
  };
  const placeIn = (path: ConfigPath, order: readonly ['key' | 'value', 'key' | 'value']): Place => {
    const last = walk(path).at(-1);
    return placeOf(last?.[order[0]]) ?? placeOf(last?.[order[1]]) ?? { line: 1, column: 1 };
  };
  return {
    value,
    faults,
    has: (path) => walk(path).length === path.length + 1,
    placeOfValue: (path) => placeIn(path, ['value', 'key']),
    placeOfKey: (path) => placeIn(path, ['key', 'value']),
  };
}

function stepInto(node: unknown, segment: PathSegment): { key: unknown; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === String(segment));
    return pair && { key: pair.key, value: pair.value };
  }
  const item = isSeq(node) ? node.items[Number(segment)] : undefined;
  return item === undefined ? undefined : { key: item, value: item };
}

function unusable(place: Place, message: string): YamlSource {
  return {
    value: undefined,
    faults: [{ ...place, message, hint: null }],
    has: () => false,
    placeOfValue: () => place,
    placeOfKey: () => place,
  };
}

function faultMessage(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key appears twice in the same map';
  if (code === 'NON_STRING_KEY') return 'a key must be text';
  if (code === 'MULTIPLE_DOCS') return 'the file contains several documents; only one is read';
  if (code === 'TAG_RESOLVE_FAILED') return 'tags (a word with ! in front) have no meaning in this file';
  return `the file is not valid YAML: ${message.replaceAll(/\s+/g, ' ')}`;
}

function faultHint(code: string, around: string): string | null {
  if (around.includes('\t') || code === 'TAB_AS_INDENT') return 'Indent with spaces, not with tabs.';
  if (code === 'UNEXPECTED_TOKEN' && /[[\]:]/.test(around))
    return 'Put a value that contains [ or ] in quotes, for example "[::1]:1280".';
  return null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
