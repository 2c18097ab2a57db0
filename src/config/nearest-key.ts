/**
 * The candidate that is the fewest edits away, ignoring case, hyphens and underscores, if one edit, or two in five
 * characters of the longer one, lead to it: it is probably what was meant.
 */
export function nearestKey(key: string, candidates: readonly string[]): string | undefined {
  const [nearest] = ranked(key, candidates);
  if (nearest === undefined) return undefined;
  const { candidate, distance } = nearest;
  const most = Math.max(1, 0.4 * Math.max(plain(key).length, plain(candidate).length));
  return distance <= most ? candidate : undefined;
}

/** The nearest choice, if much of it fits. Never `none`, because that turns a protection off. */
export function nearChoice(typed: string, choices: readonly string[]): string | undefined {
  const [nearest] = ranked(
    typed,
    choices.filter((choice) => choice !== 'none'),
  );
  if (nearest === undefined) return undefined;
  const { candidate, distance } = nearest;
  return distance <= 0.6 * Math.max(typed.length, candidate.length) ? candidate : undefined;
}

const plain = (text: string) => text.slice(0, 64).toLowerCase().replaceAll(/[-_]/g, '');

function ranked(key: string, candidates: readonly string[]) {
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(plain(key), plain(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), one row at a time. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, char] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (char === other ? 0 : 1);
      const isSwap = index > 0 && char === to[column - 1] && from[index - 1] === other;
      const swapped = isSwap ? (before[column - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
