// Why a change of a module that decides may go unnoticed. A reason is for a text of a file and what may stand instead.

interface Reason {
  readonly file: string;
  /** How the text that was replaced begins. */
  readonly original: string;
  /** Whatever stands instead, unless it says what. */
  readonly replacement?: string;
  readonly why: string;
}

const reasons: readonly Reason[] = [
  {
    file: 'src/http/oidc/browser-binding.ts',
    original: "''",
    why: 'the same: no cookie at all, and a text that is none of ours, have no binding',
  },
  {
    file: 'src/oidc/redirect-uri.ts',
    original: '/^:[1-9][0-9]{0,4}$/',
    replacement: '/:[1-9][0-9]{0,4}$/',
    why: 'the same: what stands before the last colon makes the number below it none',
  },
];

export function reasonFor(file: string, original: string, replacement: string): string | undefined {
  return reasons.find(
    (reason) =>
      reason.file === file &&
      original.startsWith(reason.original) &&
      (reason.replacement ?? replacement) === replacement,
  )?.why;
}
