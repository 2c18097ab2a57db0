// Which names a constraint covers (RFC 5280 section 4.2.1.10). A name that cannot be parsed as its form requires is
// covered by every exclusion and by no permission: a spelling must not be a way around.

import { isWithin } from './distinguished-name.ts';
import type { GeneralName, NameConstraints } from './path-certificate.ts';

type Form = GeneralName['form'];
type Side = 'permitted' | 'excluded';

/** The first name that the constraints forbid, or undefined. */
export function forbiddenName(
  names: readonly GeneralName[],
  constraints: NameConstraints,
): GeneralName | undefined {
  return names.find((name) => {
    if (constraints.excluded.some((base) => sameForm(base, name) && covers(base, name, 'excluded')))
      return true;
    // A permission for one form says nothing about names of other forms.
    const permitted = constraints.permitted.filter((base) => sameForm(base, name));
    return permitted.length > 0 && !permitted.some((base) => covers(base, name, 'permitted'));
  });
}

function sameForm(base: GeneralName, name: GeneralName): boolean {
  if (base.form === 'other' && name.form === 'other') return base.tag === name.tag;
  return base.form === name.form;
}

function covers(base: GeneralName, name: GeneralName, side: Side): boolean {
  if (base.form === 'directory' && name.form === 'directory') return isWithin(name.name, base.name);
  if (base.form === 'ip' && name.form === 'ip') return coversAddress(base.bytes, name.bytes);
  if (isText(base) && isText(name)) {
    const verdict = textRules[name.form](base.text, name.text, side);
    return verdict ?? side === 'excluded';
  }
  // Unknown forms are rejected rather than guessed.
  return side === 'excluded';
}

function isText(name: GeneralName): name is GeneralName & { readonly form: 'dns' | 'email' | 'uri' } {
  return name.form === 'dns' || name.form === 'email' || name.form === 'uri';
}

/** Undefined when the name or the constraint cannot be parsed. */
type TextRule = (base: string, name: string, side: Side) => boolean | undefined;

const textRules: Readonly<Record<Extract<Form, 'dns' | 'email' | 'uri'>, TextRule>> = {
  dns: coversDnsName,
  email: coversMailbox,
  uri: coversUri,
};

const labelPattern = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?';
const hostPattern = new RegExp(`^${labelPattern}(?:\\.${labelPattern})*$`);
const dnsNamePattern = new RegExp(`^(?:\\*\\.)?${labelPattern}(?:\\.${labelPattern})*$`);
const hostBasePattern = new RegExp(`^\\.?${labelPattern}(?:\\.${labelPattern})*$`);
const ipv4Pattern = /^\d+(?:\.\d+){3}$/;

// Any number of labels may come before it; a leading dot requires at least one.
function coversDnsName(base: string, name: string, side: Side): boolean | undefined {
  const host = name.toLowerCase();
  const domain = base.toLowerCase();
  if (!dnsNamePattern.test(host)) return undefined;
  if (domain === '') return true;
  if (!hostBasePattern.test(domain)) return undefined;
  if (host === domain || host.endsWith(dotted(domain))) return true;
  // A wildcard covers excluded names below its domain.
  return side === 'excluded' && host.startsWith('*.') && dotted(domain).endsWith(host.slice(1));
}

// One mailbox, all of one host, or (leading dot) all hosts below a domain. A local part keeps its case.
function coversMailbox(base: string, name: string): boolean | undefined {
  const mailbox = readMailbox(name);
  if (mailbox === undefined) return undefined;
  if (base === '') return true;
  if (!base.includes('@')) return coversHost(base, mailbox.host);
  const wanted = readMailbox(base);
  if (wanted === undefined) return undefined;
  return wanted.local === mailbox.local && wanted.host === mailbox.host;
}

function readMailbox(text: string): { local: string; host: string } | undefined {
  const match = /^([A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+)@([^@]+)$/.exec(text);
  if (match === null) return undefined;
  const [, local = '', host = ''] = match;
  return hostPattern.test(host.toLowerCase()) ? { local, host: host.toLowerCase() } : undefined;
}

// Only the host counts, which must be a name. A constraint without a leading dot means that one host.
function coversUri(base: string, name: string): boolean | undefined {
  const match = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#@\\]*@)?([^/?#@:\\[\]]+)(?::\d*)?(?:[/?#]|$)/.exec(
    name,
  );
  const host = match?.[1]?.toLowerCase();
  if (host === undefined || !hostPattern.test(host) || ipv4Pattern.test(host)) return undefined;
  return base === '' || coversHost(base, host);
}

function coversHost(base: string, host: string): boolean | undefined {
  const domain = base.toLowerCase();
  if (!hostBasePattern.test(domain)) return undefined;
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain;
}

function dotted(domain: string): string {
  return domain.startsWith('.') ? domain : `.${domain}`;
}

function coversAddress(base: Buffer, address: Buffer): boolean {
  if (base.length !== address.length * 2) return false;
  const mask = base.subarray(address.length);
  return address.every((byte, index) => {
    const bits = mask[index] ?? 0xff;
    return (byte & bits) === ((base[index] ?? 0) & bits);
  });
}
