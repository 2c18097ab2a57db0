import type { Report } from './output.ts';

/**
 * Runs `work`, which may show how far it is: in one line of a terminal, which is empty again at its end; never in a pipe
 * or under `-j`.
 */
export async function showingProgress<T>(
  { ports: { stderr }, json }: Report,
  work: (show: (text: string) => void) => Promise<T>,
): Promise<T> {
  let isShown = false;
  const show = (text: string) => {
    if (json || stderr.isTTY !== true) return;
    isShown = true;
    stderr.write(`\r${text}\u001b[K`);
  };
  try {
    return await work(show);
  } finally {
    if (isShown) show('');
  }
}
