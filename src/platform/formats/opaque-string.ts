import { MalformedInput } from './malformed-input.ts';

// Assigned by nobody, or by everybody for himself: their normal form may change with the next Unicode version.
// Surrogates here are lone ones, which have no bytes that could be hashed.
const REFUSED = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}]/u;
// Characters nobody sees, such as U+200B and U+202E: typed by accident, and not typed again.
const INVISIBLE =
  /(?!\p{Join_Control}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/u;
const NON_ASCII_SPACE = /(?! )\p{Zs}/gu;

/**
 * One form for a password whatever keyboard typed it: spaces become U+0020, then Unicode normal form C. Case
 * stays, nothing is cut. To be applied where a password is set and where it is checked.
 *
 * The OpaqueString profile, with one liberty: joiners, variation selectors and tag characters are accepted,
 * because keyboards write them inside emoji.
 * @throws MalformedInput empty, or holds control, private, unassigned or invisible characters
 * @see RFC 8265 section 4.2
 */
export function opaqueString(text: string): string {
  if (text === '') throw new MalformedInput('empty');
  if (REFUSED.test(text)) throw new MalformedInput('control or unassigned character');
  if (INVISIBLE.test(text)) throw new MalformedInput('invisible character');
  return text.replace(NON_ASCII_SPACE, ' ').normalize('NFC');
}
