// Names and values as a field shows them, one pair a line: `name=value`.

type Pairs = Readonly<Record<string, unknown>>;

export function pairsText(pairs: Pairs): string {
  return Object.entries(pairs)
    .map(([name, value]) => lineOf(name, value))
    .join('\n');
}

/** @param before what was there: the pair of an unchanged line stays as it is, with the type of its value */
export function pairsIn(text: string, before: Pairs): Pairs {
  const unchanged = new Map(Object.entries(before).map((pair) => [lineOf(...pair), pair]));
  const lines = text.split('\n').filter((line) => line.indexOf('=') > 0);
  return Object.fromEntries(lines.map((line) => unchanged.get(line) ?? pairOf(line)));
}

/** A text of several lines is written as in JSON. */
function lineOf(name: string, value: unknown): string {
  const isLong = typeof value === 'string' && hasLines(value);
  return `${name}=${isLong ? JSON.stringify(value) : String(value ?? '')}`;
}

function pairOf(line: string): [name: string, value: string] {
  const end = line.indexOf('=');
  return [line.slice(0, end).trim(), valueIn(line.slice(end + 1).trim())];
}

function valueIn(typed: string): string {
  if (!/^".*"$/.test(typed)) return typed;
  try {
    const value: unknown = JSON.parse(typed);
    return typeof value === 'string' && hasLines(value) ? value : typed;
  } catch {
    return typed;
  }
}

function hasLines(text: string): boolean {
  return /[\r\n]/.test(text);
}
