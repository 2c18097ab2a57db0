import { optionsFor } from '../../forms/draft.ts';
import type { IdentityDetail, Permission } from '../../types.ts';

/** What every form about a person sets. */
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

/** Of a person that there is, also whether they are kept out. */
export interface EditedPerson extends PersonDraft {
  readonly disabled: boolean;
  /** Null: until somebody enables them. */
  readonly disabledUntil: string | null;
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

export function draftOf(person: IdentityDetail): EditedPerson {
  const { name, typeId, externalId, authPolicyId, isAdmin, permissions, roleAttributes, tags } = person;
  const { passwordMustChange, disabled, disabledUntil } = person;
  const rights = { isAdmin, permissions, passwordMustChange };
  return {
    name,
    type: typeId,
    externalId,
    authPolicyId,
    ...rights,
    roleAttributes,
    tags,
    disabled,
    disabledUntil,
  };
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
  disabled: '--disabled',
  disabledUntil: '--disabled-until',
} as const;

export function updateCommand(id: string, changes: Partial<EditedPerson>): readonly string[] | null {
  const options = optionsFor<EditedPerson>(changes, flags);
  return options === null ? null : ['update', 'identity', id, ...options];
}

/** Omits values at their default. */
export function createCommand({ name, ...draft }: PersonDraft): readonly string[] | null {
  const usual: Readonly<Record<string, unknown>> = { ...newPerson, type: 'Default' };
  const chosen = Object.entries(draft).filter(
    ([field, value]) => JSON.stringify(usual[field]) !== JSON.stringify(value),
  );
  const options = optionsFor<Partial<PersonDraft>>(Object.fromEntries(chosen), flags);
  return options === null ? null : ['create', 'identity', name, ...options];
}
