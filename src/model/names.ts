// The forms of names, and when two are one. Applications show names and some trust them, so `ROOT` beside `root`, or
// `root` with a Cyrillic o, must not be another person. See docs/decisions/names.md.

import { inNormalForm } from '../platform/formats/normal-form.ts';
import type { StoredName } from './ids.ts';

declare const form: unique symbol;
type InForm<Form extends string> = string & { readonly [form]: Form };

/** The form that all spellings of a user name share. Only `usernameKey` makes one, and a login is found by nothing else. */
export type UsernameKey = InForm<'user name'>;
/** A key of `nameKeys`. */
export type NameKey = InForm<'key'>;

/** A text in the form of names: normal form C, spaces of one kind (RFC 8266 section 2.1). It may be a part of one. */
export function partOfName(text: string): string {
  return inNormalForm(text, 'NFC').replaceAll(/\p{Zs}/gu, ' ');
}

/** A name, role attribute or address, as a person or a provider wrote it, in the form that is stored: to compare it. */
export function typedName(text: string): StoredName {
  return partOfName(text).trim() as StoredName;
}

/**
 * The one form under which a user name is stored for look-up, so that all spellings of a name share one authenticator
 * and one failure counter: width mapping, lower case, NFC (RFC 8265 3.3, UsernameCaseMapped).
 * @returns undefined for what cannot be a user name: empty, longer than 100 characters, leading or trailing space,
 * control, format (zero-width, direction), unassigned or other invisible characters, with which two names look alike
 */
export function usernameKey(username: string): UsernameKey | undefined {
  const key = foldedName(username);
  if (key.length === 0 || key.length > 100 || key !== key.trim()) return undefined;
  return /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(key) ? undefined : (key as UsernameKey);
}

/** A user name as it is stored. */
export interface UserName {
  /** To be shown. */
  readonly username: StoredName;
  /** Unique. */
  readonly usernameKey: UsernameKey;
}

/** @returns undefined for what cannot be a user name */
export function userName(text: string): UserName | undefined {
  const key = usernameKey(text);
  return key && { username: typedName(text), usernameKey: key };
}

/**
 * A name in the form that all of its spellings share: width mapping, lower case, NFC (RFC 8265 3.3, UsernameCaseMapped).
 */
export function foldedName(name: string): string {
  return inNormalForm(inNormalForm(name, 'NFKC').toLowerCase(), 'NFC');
}

/**
 * Under which keys a name is taken: its folded form, and what it looks like if it has letters of other scripts that look
 * like those of ASCII. Two names with a key in common pass for one another.
 * @returns one key for a name in ASCII, at most three for any
 */
export function nameKeys(name: string): readonly NameKey[] {
  if (/^[\x20-\x7e]*$/.test(name)) return [plain(name.toLowerCase())];
  const letters = inNormalForm(name, 'NFKC').replaceAll(
    anyLookalike,
    (letter) => lookalikes.get(letter) ?? letter,
  );
  // A bar may be read as a capital I or as a small l.
  const readings = new Set([name, ...['i', 'l'].map((bar) => letters.replaceAll(aBar, bar))]);
  return [...new Set([...readings].map((reading) => plain(foldedName(reading))))];
}

/** Without what is not seen, or hardly: joiners, spaces beyond one, the dot over İ, the form of σ at the end of a word. */
function plain(folded: string): NameKey {
  const visible = folded.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').replaceAll('i\u0307', 'i');
  return visible.replaceAll('ς', 'σ').replaceAll(/\s+/g, ' ').trim() as NameKey;
}

const aBar = '|';

/**
 * Letters and digits outside ASCII by the one of ASCII that they look like (confusables.txt of Unicode Technical Standard
 * 39; those that NFKC maps already are left out). Scripts that run from right to left are written as escapes.
 */
const alike: Readonly<Record<string, string>> = {
  '2': 'ƧϨᒿꙄꛯꝚ',
  '3': 'ƷȜЗӠⳌꝪꞫ𑣊𖼻',
  '4': 'Ꮞ𑢯',
  '5': 'Ƽ𑢻',
  '6': 'бᏮⳒ𑣕',
  '7': '𐓒𑣆',
  '8': 'Ȣȣ৪੪𐌚\u{1e8cb}',
  '9': '৭੧୨൭ⳊꝮ𑢬𑣌𑣖',
  A: 'ΑАᎪᗅꓮ𐊠𖽀',
  B: 'ΒВᏴᗷꓐꞴ𐊂𐊡𐌁',
  C: 'СᏟⲤꓚ𐊢𐌂𐐕𐔜𑣩𑣲',
  D: 'Ꭰᗞᗪꓓ',
  E: 'ΕЕᎬⴹꓰ𐊆𑢦𑢮',
  F: 'ϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂',
  G: 'ԌᏀᏳꓖ',
  H: 'ΗНᎻᕼⲎꓧ𐋏',
  [aBar]: 'ӏƖǀΙІӀᛁⲒⵏꓲ𐊊𐌉𐌠𖼨\u05d5\u05df\u0627\u0661\u06f1\u07ca\u{1e8c7}',
  J: 'ͿЈᎫᒍꓙꞲ',
  K: 'ΚКᏦᛕⲔꓗ𐔘',
  L: 'ᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖',
  M: 'ΜϺМᎷᗰᛖⲘꓟ𐊰𐌑',
  N: 'ΝⲚꓠ𐔓',
  O: 'ΟОՕ০ଠ୦ዐⲞⵔ〇ꓳ𐊒𐊫𐐄𐓂𐔖𑓐𑢵𑣠\u07c0',
  P: 'ΡРᏢᑭⲢꓑ𐊕',
  Q: 'ⵕ',
  R: 'ƦᎡᏒᖇꓣ𐒴𖼵',
  S: 'ЅՏᏕᏚꓢ𐊖𐐠𖼺',
  T: 'ΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊',
  U: 'Սሀᑌꓴ𐓎𑢸𖽂',
  V: 'ѴᏙᐯⴸꓦꛟ𐔝𑢠𖼈\u0667\u06f7',
  W: 'ԜᎳᏔꓪ𑣦𑣯',
  X: 'ΧХᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧𑣬',
  Y: 'ΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃',
  Z: 'ΖᏃꓜ𐋵𑢩𑣥',
  a: 'ɑαа',
  b: 'ƄЬᏏᖯ',
  c: 'сᴄⲥꮯ𐐽',
  d: 'ԁᏧᑯꓒ',
  e: 'еҽꬲ',
  f: 'քẝꞙꬵ',
  g: 'ƍɡցᶃ',
  h: 'һհᏂ',
  i: 'ıɩɪιіᎥꙇꭵ𑣃',
  j: 'ϳј',
  n: 'ոռ',
  o: 'οσоօ०੦૦௦౦೦ഠ൦๐໐ဝ၀ჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5',
  p: 'ρрⲣ',
  q: 'ԛգզ',
  r: 'гᴦⲅꭇꭈꮁ',
  s: 'ƽѕꜱꮪ𐑈𑣁',
  u: 'ʋυսᴜꞟꭎꭒ𐓶𑣘',
  v: 'νѵᴠꮩ𑜆𑣀\u05d8',
  w: 'ɯѡԝաᴡꮃ𑜊𑜎𑜏',
  x: 'хᕁᕽ',
  y: 'ɣʏγуүყᶌỿꭚ𑣜',
  z: 'ᴢꮓ𑣄',
};

const lookalikes: ReadonlyMap<string, string> = new Map(
  Object.entries(alike).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);
const anyLookalike = new RegExp(`[${[...lookalikes.keys()].join('')}]`, 'gu');
