// A person's first access, or access again: the link of an invitation, and the token for a device.

import { type Change, make, read } from '../../session/api.ts';
import type { Enrollment } from '../../types.ts';

export interface Invited {
  /** Missing if the link is in a mail only. */
  readonly url?: string;
  readonly sentTo?: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

export interface EnrollmentWish {
  readonly method: Enrollment['method'];
  readonly caId?: string;
  readonly username?: string;
}

export function invitationOf(
  id: string,
  hours: string,
  wish: { readonly endSessions?: boolean; readonly send?: boolean } = {},
): Change {
  const { endSessions = false, send = false } = wish;
  return {
    method: 'POST',
    path: `identities/${id}/invitation`,
    body: { expiresIn: `${hours}h`, endSessions, ...(send && { send }) },
  };
}

export function enrollmentOf(identityId: string, wish: EnrollmentWish): Change {
  return { method: 'POST', path: 'enrollments', body: { identityId, ...wish } };
}

/** Makes an enrollment and reads what to give to the device. @throws Refusal, Unreachable */
export async function enroll(identityId: string, wish: EnrollmentWish): Promise<Enrollment> {
  const { id } = await make<{ readonly id: string }>(enrollmentOf(identityId, wish));
  return read<Enrollment>(`enrollments/${id}`);
}
