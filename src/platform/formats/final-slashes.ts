/**
 * Without slashes at its end, by which the address of one provider may be written in two ways. Providers and strangers
 * send such texts: `/\/+$/` alone would begin again at each slash of a long run.
 */
export function withoutFinalSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}
