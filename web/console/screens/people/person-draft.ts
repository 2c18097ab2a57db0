import { optionsFor } from '../../forms/draft.ts';
import type { IdentityDetail, Permission } from '../../types.ts';

/** What of a person a form changes. Whether they are disabled is not part of it: that ends sessions. */
export interface PersonDraft {
  readonly name: string;
  readonly type: IdentityDetail['typeId'];
  readonly externalId: string | null;
  readonly authPolicyId: string;
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
  readonly passwordMustChange: boolean;
  readonly roleAttributes: readonly string[];
  readonly tags: IdentityDetail['tags'];
}

export const newPerson: PersonDraft = {
  name: '',
  type: 'User',
  externalId: null,
  authPolicyId: 'default',
  isAdmin: false,
  permissions: [],
  passwordMustChange: false,
  roleAttributes: [],
  tags: {},
};

export function draftOf(person: IdentityDetail): PersonDraft {
  const { name, typeId, externalId, authPolicyId, isAdmin, permissions, roleAttributes, tags } = person;
  const { passwordMustChange } = person;
  const rights = { isAdmin, permissions, passwordMustChange };
  return { name, type: typeId, externalId, authPolicyId, ...rights, roleAttributes, tags };
}

/** As `overlay-auth create|update identity --help` lists them. */
const flags = {
  name: '--name',
  type: '--type',
  externalId: '--external-id',
  authPolicyId: '--auth-policy',
  isAdmin: '--admin',
  permissions: '--permission',
  passwordMustChange: '--password-must-change',
  roleAttributes: '--role-attributes',
  tags: '--tag',
} as const;

export function updateCommand(id: string, changes: Partial<PersonDraft>): readonly string[] | null {
  const options = optionsFor<PersonDraft>(changes, flags);
  return options === null ? null : ['update', 'identity', id, ...options];
}

/** What is as in any new identity is left out. */
export function createCommand({ name, ...draft }: PersonDraft): readonly string[] | null {
  const usual: Readonly<Record<string, unknown>> = { ...newPerson, type: 'Default' };
  const chosen = Object.entries(draft).filter(
    ([field, value]) => JSON.stringify(usual[field]) !== JSON.stringify(value),
  );
  const options = optionsFor<Partial<PersonDraft>>(Object.fromEntries(chosen), flags);
  return options === null ? null : ['create', 'identity', name, ...options];
}
