// A browser or program in the words that people know from their own computer.

const on = document.documentElement.lang === 'de' ? 'unter' : 'on';

/** Such as `Firefox on Linux`; null when it said nothing about itself. */
export function programText(said: {
  readonly program: string | null;
  readonly operatingSystem: string | null;
}): string | null {
  const { program, operatingSystem } = said;
  return program === null || operatingSystem === null
    ? (program ?? operatingSystem)
    : `${program} ${on} ${operatingSystem}`;
}
