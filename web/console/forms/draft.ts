// What a form will change: only the fields that differ from what was read. So two people who change different fields of
// one entity do not undo each other's work.

/** What a person reads of each field. */
export type Labels<Draft> = { readonly [Name in keyof Draft & string]: string };

/** The fields that somebody has changed. */
export function changesOf<Draft extends object>(read: Draft, draft: Draft): Partial<Draft> {
  const changed = Object.entries(draft).filter(([name, value]) => !isSame(read[name as keyof Draft], value));
  return Object.fromEntries(changed) as Partial<Draft>;
}

export function isEmpty(changes: object): boolean {
  return Object.keys(changes).length === 0;
}

/** A person's changes on top of the current state. Objects are merged member by member. */
export function rebased<Value>(before: Value, mine: Value, now: Value): Value {
  if (isSame(before, mine)) return now;
  if (!isRecord(before) || !isRecord(mine) || !isRecord(now)) return mine;
  const names = Object.keys({ ...now, ...mine });
  const members = names.map((name) => [name, rebased(before[name], mine[name], now[name])] as const);
  // Sound because each member is one of the three, which have the same type.
  return Object.fromEntries(members) as Value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are equal, ignoring the order of members. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** The option for each field, or for each of its members. */
export type Flags<Draft> = { readonly [Name in keyof Draft]?: string | Readonly<Record<string, string>> };

/**
 * Command line options for changes, as the help describes them: a flag and its opposite, lists with commas, pairs one
 * by one, and an empty text for none.
 * @param flags by field; a field without a flag has no option
 * @returns null when there is no option for a change
 */
export function optionsFor<Draft extends object>(
  changes: Partial<Draft>,
  flags: Flags<Draft>,
): readonly string[] | null {
  const words: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const flag = flags[name as keyof Draft];
    const typed =
      flag === undefined ? null : typeof flag === 'string' ? wordsFor(flag, value) : nested(flag, value);
    if (typed === null) return null;
    words.push(...typed);
  }
  return words;
}

/** A rule with several members, each with its own option. Members at their default are omitted. */
function nested(flags: Readonly<Record<string, string>>, value: unknown): readonly string[] | null {
  if (typeof value !== 'object' || value === null) return null;
  const members = Object.entries(value).filter(([, member]) => member !== '' && member !== 0);
  return members.flatMap(([name, member]) =>
    flags[name] === undefined ? [] : (wordsFor(flags[name], member) ?? []),
  );
}

function wordsFor(flag: string, value: unknown): readonly string[] | null {
  if (typeof value === 'boolean') return [value ? flag : flag.replace('--', '--no-')];
  if (Array.isArray(value)) return [flag, value.join(',')];
  if (typeof value !== 'object' || value === null) return [flag, String(value ?? '')];
  const pairs = Object.entries(value);
  // No option removes all of them.
  if (pairs.length === 0) return null;
  return pairs.flatMap(([name, each]) => [flag, `${name}=${String(each ?? '')}`]);
}
