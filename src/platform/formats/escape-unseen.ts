// Beyond what JSON escapes anyway: DEL and C1 controls (U+009B starts terminal sequences), line and paragraph
// separators, and the marks that reorder displayed text (Unicode TR 36 section 2.5).
const unseenCharacters = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g;

/**
 * Escapes what a piece of JSON may contain and nobody sees, so that it can neither control a terminal nor show text in
 * another order. It still parses to the same values.
 */
export function escapeUnseen(json: string): string {
  return json.replace(unseenCharacters, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
