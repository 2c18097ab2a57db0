import type { CliOutput } from '../ports.ts';

/** What we write besides ASCII, but for QR codes and the words of others. */
const plain: Readonly<Record<string, string>> = {
  '\u2713': '+',
  '\u2717': 'x',
  '\u2013': '-',
  '\u2026': '...',
  '\u00b7': '-',
};

/**
 * The output as it is, or for a terminal whose locale was set to another encoding than UTF-8 with marks of ASCII.
 * Files and pipes get UTF-8 in any case, and so does a terminal of which nothing is said.
 * @see POSIX.1-2024, section 8.2: the order of the variables
 */
export function forLocale(output: CliOutput, env: Readonly<Record<string, string | undefined>>): CliOutput {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (output.isTTY !== true || locale === '' || /utf-?8/i.test(locale)) return output;
  return {
    isTTY: true,
    ...(output.columns === undefined ? {} : { columns: output.columns }),
    write: (text) =>
      output.write(text.replace(/[\u2713\u2717\u2013\u2026\u00b7]/g, (mark) => plain[mark] ?? mark)),
  };
}
