/** The name under which commander hands over an option: `--external-id <id>` is `externalId`. */
export function optionName(flags: string): string {
  const long = /--(?:no-)?([a-z0-9-]+)/.exec(flags)?.[1] ?? '';
  return long.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
