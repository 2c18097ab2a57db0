import type { EntityDescriptor } from './descriptor.ts';

const abbreviations: Readonly<Record<string, string>> = { api: 'API', ca: 'CA', jwt: 'JWT' };

/** The entity as a sentence names it: `auth policy`, `ext JWT signer`, `CA`. */
export function entityNoun({ name }: Pick<EntityDescriptor, 'name'>): string {
  return name
    .split('-')
    .map((word) => abbreviations[word] ?? word)
    .join(' ');
}
