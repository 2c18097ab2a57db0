// When two names are one. Applications show names and some trust them, so `ROOT` beside `root`, or `root` with a Cyrillic
// o, must not be another person. See docs/decisions/names.md.

import { inNormalForm } from '../platform/formats/normal-form.ts';

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
export function nameKeys(name: string): readonly string[] {
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
function plain(folded: string): string {
  const visible = folded.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').replaceAll('i\u0307', 'i');
  return visible.replaceAll('ς', 'σ').replaceAll(/\s+/g, ' ').trim();
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
