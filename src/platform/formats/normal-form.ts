/** In UTF-16 units. Every name, user name and attribute whose form matters is shorter, however it is spelled. */
const longest = 1024;

/**
 * A text in a normal form of Unicode. A longer one stays as it is and has to be refused for its length: the order of
 * combining marks takes time that grows with the square of their number, a second for a body of 64 KiB.
 */
export function inNormalForm(text: string, form: 'NFC' | 'NFKC'): string {
  return text.length > longest ? text : text.normalize(form);
}
