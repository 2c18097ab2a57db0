// Which of several representations a client wants (RFC 9110 section 12.5.1).

export const jsonType = 'application/json';
export const htmlType = 'text/html';
const JSON_OR_HTML: readonly string[] = [jsonType, htmlType];

/** Longer fields are not looked at; no browser or library sends one. */
const LONGEST = 2048;

/**
 * The best of the offered media types, or null when the client accepts none of them.
 * The highest quality wins, then the more specific range, then the earlier offer. An absent, empty, oversized
 * or wholly unreadable field accepts everything; an unreadable element is passed over.
 * @param offered lower-case `type/subtype`, in the server's order of preference
 */
export function chooseMediaType(accept: string | undefined, offered: readonly string[]): string | null {
  const first = offered[0] ?? null;
  if (accept === undefined || accept === '*/*' || accept === first) return first;
  if (accept.length > LONGEST) return first;
  const ranges = parseAccept(accept);
  if (ranges.length === 0) return first;

  let best: string | null = null;
  let bestQuality = 0;
  let bestSpecificity = 0;
  for (const type of offered) {
    const match = mostSpecific(ranges, type);
    if (match === undefined || match.quality === 0) continue;
    const better =
      match.quality > bestQuality || (match.quality === bestQuality && match.specificity > bestSpecificity);
    if (better) {
      best = type;
      bestQuality = match.quality;
      bestSpecificity = match.specificity;
    }
  }
  return best;
}

/**
 * Whether a client that accepts nothing of what there is gets a refusal. A JSON document is sent all the same, which
 * RFC 9110 12.4.1 allows: generic clients ask for more special names of it, and proxies hand on what a browser sent.
 * @param offered as `chooseMediaType`
 */
export function isUnacceptable(accept: string | undefined, offered: readonly string[]): boolean {
  return chooseMediaType(accept, offered) === null && !offered.includes(jsonType);
}

/** Whether the client prefers a page to JSON, as browsers do when somebody navigates. */
export function wantsHtml(accept: string | undefined): boolean {
  return chooseMediaType(accept, JSON_OR_HTML) === htmlType;
}

interface MediaRange {
  readonly range: string;
  readonly quality: number;
  /** 3 `type/subtype`, 2 `type/*`, 1 any. */
  readonly specificity: number;
}

const ELEMENT = /^([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)((?:[ \t]*;[ \t]*[^;]*)*)$/;
const QUALITY = /;[ \t]*q=([^;]*)/i;
const QVALUE = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function parseAccept(accept: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (const element of accept.split(',')) {
    const parts = ELEMENT.exec(element.trim());
    if (parts === null) continue;
    const range = (parts[1] ?? '').toLowerCase();
    const qvalue = QUALITY.exec(parts[2] ?? '')?.[1]?.trim();
    if (qvalue !== undefined && !QVALUE.test(qvalue)) continue;
    if (range.startsWith('*/') && range !== '*/*') continue;
    ranges.push({
      range,
      quality: qvalue === undefined ? 1 : Number(qvalue),
      specificity: range === '*/*' ? 1 : range.endsWith('/*') ? 2 : 3,
    });
  }
  return ranges;
}

function mostSpecific(ranges: readonly MediaRange[], type: string): MediaRange | undefined {
  let found: MediaRange | undefined;
  for (const candidate of ranges) {
    const matches =
      candidate.range === type ||
      candidate.specificity === 1 ||
      (candidate.specificity === 2 && type.startsWith(candidate.range.slice(0, -1)));
    if (matches && candidate.specificity > (found?.specificity ?? 0)) found = candidate;
  }
  return found;
}
