// Sentences that the source passes to a function or gives to a name, for tests that look each of them up.

import { globSync, readFileSync } from 'node:fs';

/** A literal of the source; values are `{1}`, `{2}` …. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/**
 * The literals in one argument of each call, or in what is given to a name.
 * @param where matches up to the `(` of the call, or up to what is given
 * @param argument which argument counts from the end if negative; null: all up to the end of the statement or member
 */
export function textsOf(folder: string, where: RegExp, argument: number | null): readonly SourceText[] {
  return globSync(`src/${folder}/**/*.ts`)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const source = readFileSync(file, 'utf8');
      return [...source.matchAll(where)].flatMap(({ index, 0: found }) => {
        const parts = partsFrom(source, index + found.length);
        const chosen = argument === null ? parts.slice(0, 1) : parts.slice(argument).slice(0, 1);
        return chosen.flatMap((part) => literalsIn(part)).map((text) => ({ file, text }));
      });
    });
}

/** Parts between commas, until the bracket closes or the statement ends. */
function partsFrom(source: string, start: number): readonly string[] {
  const parts: string[] = [];
  let [depth, from, at] = [0, start, start];
  for (; at < source.length; at += 1) {
    const sign = source.charAt(at);
    if (`'"\``.includes(sign)) at = endOfLiteral(source, at);
    else if (source.startsWith('//', at)) at = source.indexOf('\n', at);
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]};'.includes(sign) && depth === 0) break;
    else if (')]}'.includes(sign)) depth -= 1;
    else if (sign === ',' && depth === 0) {
      parts.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, source.slice(from, at)].filter((part) => part.trim() !== '');
}

/** The index of the sign that ends the literal at `start`. */
function endOfLiteral(source: string, start: number): number {
  const quote = source.charAt(start);
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (quote === '`' && source.startsWith('${', at)) at = endOfValue(source, at + 2);
    else if (source[at] === quote) return at;
  }
  return source.length;
}

function endOfValue(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const sign = source.charAt(at);
    if (`'"\``.includes(sign)) at = endOfLiteral(source, at);
    else if (sign === '{') depth += 1;
    else if (sign === '}' && depth === 0) return at;
    else if (sign === '}') depth -= 1;
  }
  return source.length;
}

function literalsIn(part: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < part.length; at += 1) {
    if (!`'"\``.includes(part.charAt(at))) continue;
    const end = endOfLiteral(part, at);
    // A literal in an index or a comparison is no sentence.
    const isCompared =
      /(===|!==|\[|\()\s*$/.test(part.slice(0, at)) || /^\s*(===|!==)/.test(part.slice(end + 1));
    if (!isCompared) found.push(templateOf(part.slice(at + 1, end)));
    at = end;
  }
  return found;
}

function templateOf(literal: string): string {
  let [text, number] = ['', 0];
  for (let at = 0; at < literal.length; at += 1) {
    if (literal[at] === '\\') {
      at += 1;
      text += literal.charAt(at);
    } else if (literal.startsWith('${', at)) {
      number += 1;
      text += `{${number}}`;
      at = endOfValue(literal, at + 2);
    } else text += literal.charAt(at);
  }
  return text;
}
