import { inNormalForm } from '../formats/normal-form.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import { childrenOf, type DerElement, derTag, readObjectIdentifier, readText } from './der.ts';

export interface DistinguishedName {
  /** Each part normalized, so that equal parts have equal texts. @see RFC 5280 section 7.1 */
  readonly parts: readonly string[];
  /** The whole name, normalized; empty for the empty name. */
  readonly key: string;
  readonly commonNames: readonly string[];
  /** From the attribute emailAddress, which contained mail addresses before there were alternative names. */
  readonly emails: readonly string[];
}

const commonNameOid = '2.5.4.3';
const emailAddressOid = '1.2.840.113549.1.9.1';

/** @throws MalformedInput */
export function readDistinguishedName(element: DerElement | undefined): DistinguishedName {
  const commonNames: string[] = [];
  const emails: string[] = [];
  const parts = childrenOf(element, derTag.sequence).map((part) => {
    const attributes = childrenOf(part, derTag.set).map((attribute) => {
      const [type, value, ...rest] = childrenOf(attribute, derTag.sequence);
      if (value === undefined || rest.length > 0) throw new MalformedInput('distinguished name');
      const oid = readObjectIdentifier(type);
      const text = readText(value);
      if (text !== undefined && oid === commonNameOid) commonNames.push(text);
      if (text !== undefined && oid === emailAddressOid) emails.push(text);
      return `${oid}=${text === undefined ? `#${value.whole.toString('hex')}` : `"${comparable(text)}"`}`;
    });
    if (attributes.length === 0) throw new MalformedInput('distinguished name');
    return attributes.sort().join('+');
  });
  return { parts, key: parts.join(','), commonNames, emails };
}

/** Whether a name is in the subtree below `base`, or is `base`. @see RFC 5280 section 4.2.1.10 */
export function isWithin(name: DistinguishedName, base: DistinguishedName): boolean {
  return base.parts.every((part, index) => part === name.parts[index]);
}

// Letter case and runs of spaces make no difference (RFC 4518). Quoted so that no value can imitate two.
function comparable(text: string): string {
  return inNormalForm(text, 'NFKC').toLowerCase().trim().replace(/\s+/g, ' ').replace(/["\\]/g, '\\$&');
}
