interface Element {
  readonly tag: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * When a certificate expires (RFC 5280 section 4.1.2.5), RFC 3339; null if that cannot be read. @param pem one
 * certificate
 */
export function notAfter(pem: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(pem.replaceAll(/-----[^-]+-----|\s/g, '')), (one) =>
      one.charCodeAt(0),
    );
    const [certificate] = elements(bytes, 0, bytes.length);
    const [tbs] = certificate === undefined ? [] : elements(bytes, certificate.begin, certificate.end);
    const members = tbs === undefined ? [] : elements(bytes, tbs.begin, tbs.end);
    // The version is optional and explicitly tagged. Serial number, algorithm and issuer come before the validity.
    const validity = members[members[0]?.tag === 0xa0 ? 4 : 3];
    const [, end] = validity === undefined ? [] : elements(bytes, validity.begin, validity.end);
    return end === undefined
      ? null
      : timeOf(end.tag, String.fromCharCode(...bytes.slice(end.begin, end.end)));
  } catch {
    return null;
  }
}

/** The successive elements in a range of DER (X.690 section 8.1). */
function elements(bytes: Uint8Array, from: number, to: number): readonly Element[] {
  const found: Element[] = [];
  for (let at = from; at < to; ) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? 0;
    let begin = at + 2;
    if (length >= 0x80) {
      const octets = bytes.slice(begin, begin + (length & 0x7f));
      begin += octets.length;
      length = octets.reduce((sum, octet) => sum * 256 + octet, 0);
    }
    at = begin + length;
    found.push({ tag, begin, end: at });
  }
  return found;
}

/** UTCTime has a two-digit year, from 1950 to 2049; GeneralizedTime has four digits. */
function timeOf(tag: number, text: string): string | null {
  const digits = tag === 0x17 ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
}

/**
 * What a file contains, PEM. Programs also write certificates and revocation lists in DER: a sequence of more than 127
 * bytes (X.690 section 8.1).
 * @param label of the PEM of a file in DER
 * @throws the file contains neither
 */
export async function pemIn(file: File, label: string): Promise<string> {
  const text = await file.text();
  if (text.includes('-----BEGIN ')) return text;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x30 || (bytes[1] ?? 0) <= 0x80) throw new TypeError('neither PEM nor DER');
  const base64 = btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(''));
  return `-----BEGIN ${label}-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
}
