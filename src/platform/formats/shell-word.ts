/** A word that a shell takes as it is: quoted where it has to be, so that a command can be typed as printed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
