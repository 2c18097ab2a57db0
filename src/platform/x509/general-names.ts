import { MalformedInput } from '../formats/malformed-input.ts';
import {
  childrenOf,
  contextTag,
  type DerElement,
  derFields,
  derTag,
  elementsOf,
  readAscii,
  readDer,
} from './der.ts';
import { type DistinguishedName, readDistinguishedName } from './distinguished-name.ts';

/** A name in a certificate, or in a name constraint; `other` is any form that is not understood here. */
export type GeneralName =
  | { readonly form: 'email' | 'dns' | 'uri'; readonly text: string }
  /** In a certificate: an address. In a constraint: an address and its mask. */
  | { readonly form: 'ip'; readonly bytes: Buffer }
  | { readonly form: 'directory'; readonly name: DistinguishedName }
  | { readonly form: 'other'; readonly tag: number };

export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
}

const textForms: ReadonlyMap<number, 'email' | 'dns' | 'uri'> = new Map([
  [contextTag(1, 'primitive'), 'email'],
  [contextTag(2, 'primitive'), 'dns'],
  [contextTag(6, 'primitive'), 'uri'],
]);
const otherForms: ReadonlySet<number> = new Set([
  contextTag(0),
  contextTag(3),
  contextTag(5),
  contextTag(8, 'primitive'),
]);

/** The value of the extension subjectAltName. @throws MalformedInput @see RFC 5280 section 4.2.1.6 */
export function readAlternativeNames(value: Buffer): GeneralName[] {
  const names = childrenOf(readDer(value), derTag.sequence).map(readGeneralName);
  if (names.length === 0) throw new MalformedInput('no alternative name');
  for (const name of names)
    if (name.form === 'ip' && name.bytes.length !== 4 && name.bytes.length !== 16)
      throw new MalformedInput('IP address');
  return names;
}

/** The value of the extension nameConstraints. @throws MalformedInput @see RFC 5280 section 4.2.1.10 */
export function readNameConstraints(value: Buffer): NameConstraints {
  const fields = derFields(childrenOf(readDer(value), derTag.sequence));
  const permitted = readSubtrees(fields.takeIf(contextTag(0)));
  const excluded = readSubtrees(fields.takeIf(contextTag(1)));
  fields.done();
  if (permitted.length + excluded.length === 0) throw new MalformedInput('no name constraint');
  return { permitted, excluded };
}

function readSubtrees(element: DerElement | undefined): GeneralName[] {
  if (element === undefined) return [];
  return elementsOf(element.content).map((subtree) => {
    // A minimum and a maximum depth could follow, but RFC 5280 allows neither.
    const [base, ...depths] = childrenOf(subtree, derTag.sequence);
    if (base === undefined || depths.length > 0) throw new MalformedInput('name constraint');
    const name = readGeneralName(base);
    if (name.form === 'ip' && !isAddressAndMask(name.bytes)) throw new MalformedInput('name constraint');
    return name;
  });
}

function readGeneralName(element: DerElement): GeneralName {
  const form = textForms.get(element.tag);
  if (form !== undefined) return { form, text: readName(element.content) };
  if (element.tag === contextTag(7, 'primitive')) return { form: 'ip', bytes: element.content };
  if (element.tag === contextTag(4)) {
    const [name, ...rest] = elementsOf(element.content);
    if (rest.length > 0) throw new MalformedInput('directory name');
    return { form: 'directory', name: readDistinguishedName(name) };
  }
  if (otherForms.has(element.tag)) return { form: 'other', tag: element.tag };
  throw new MalformedInput('name of an unknown form');
}

// A zero byte ends a text for some parsers. No name needs one, or any other control character.
function readName(content: Buffer): string {
  const text = readAscii(content);
  if (content.some((byte) => byte < 0x20 || byte === 0x7f))
    throw new MalformedInput('control character in a name');
  return text;
}

function isAddressAndMask(bytes: Buffer): boolean {
  if (bytes.length !== 8 && bytes.length !== 32) return false;
  const mask = bytes.subarray(bytes.length / 2).toString('hex');
  const bits = [...mask].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
  return /^1*0*$/.test(bits);
}
