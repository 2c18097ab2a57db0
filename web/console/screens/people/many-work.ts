// Work for many people: as the API takes it, and as a command.

import type { BulkAction } from '../../../../src/model/bulk-actions.ts';
import type { Selection } from '../../lists/picking.tsx';
import { timeOfLocal } from '../../parts/local-time.ts';
import { quoted } from '../../session/api.ts';

export type Kind = 'policy' | 'attributes' | BulkAction;

/** The filled-in form. */
export interface Work {
  readonly kind: Kind;
  readonly policy: string;
  /** With commas. */
  readonly add: string;
  readonly remove: string;
  /** As a date and time field has it; empty: until it is enabled. */
  readonly until: string;
  readonly hours: string;
  readonly endSessions: boolean;
}

export const noWork: Work = {
  kind: 'policy',
  policy: '',
  add: '',
  remove: '',
  until: '',
  hours: '24',
  endSessions: false,
};

interface Asked {
  /** Beside the selection. */
  readonly body: object;
  readonly command: readonly string[];
}

/** The body of `identities/bulk` and the words after `overlay-auth`. */
export function askedOf(selection: Selection, work: Work): Asked {
  const filter = 'filter' in selection ? selection.filter : `id in [${selection.ids.map(quoted).join(', ')}]`;
  const { body, options } = workOf(work);
  const command = 'change' in body ? ['update', 'identity'] : ['identity', 'each', work.kind];
  return { body: { ...selection, ...body }, command: [...command, '--filter', filter, ...options] };
}

function workOf({ kind, policy, add, remove, until, hours, endSessions }: Work): {
  readonly body: { readonly change: object } | { readonly action: BulkAction };
  readonly options: readonly string[];
} {
  switch (kind) {
    case 'policy':
      return { body: { change: { authPolicyId: policy } }, options: ['--auth-policy', policy] };
    case 'attributes': {
      const [addRoleAttributes, removeRoleAttributes] = [listed(add), listed(remove)];
      return {
        body: {
          change: {
            ...(addRoleAttributes.length > 0 && { addRoleAttributes }),
            ...(removeRoleAttributes.length > 0 && { removeRoleAttributes }),
          },
        },
        options: [
          ...(addRoleAttributes.length > 0 ? ['--add-role-attributes', addRoleAttributes.join(',')] : []),
          ...(removeRoleAttributes.length > 0
            ? ['--remove-role-attributes', removeRoleAttributes.join(',')]
            : []),
        ],
      };
    }
    case 'disable': {
      const time = timeOfLocal(until);
      if (time === null) return { body: { action: kind }, options: [] };
      return { body: { action: kind, until: time } as { action: BulkAction }, options: ['--until', time] };
    }
    case 'invite': {
      const expiresIn = `${hours}h`;
      return {
        body: { action: kind, expiresIn, endSessions } as { action: BulkAction },
        options: ['--expires', expiresIn, ...(endSessions ? ['--end-sessions'] : [])],
      };
    }
    default:
      return { body: { action: kind }, options: [] };
  }
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
