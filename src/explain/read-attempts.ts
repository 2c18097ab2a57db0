// Reads decision records: all of them, or those of one reference id with the reason in plain words. Audit events, too.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { LanguageTag } from '../model/languages.ts';
import { budgetOf, type ListQuery, type ListReader, newestFirst, type Page } from '../model/list-query.ts';
import type { LoginAttempt } from '../model/login-attempt.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import { type Clock, HOUR } from '../platform/clock.ts';
import { shellWord } from '../platform/formats/shell-word.ts';
import type { AuditEventStore, ListedAuditEvent } from '../store/contracts/audit-events.ts';
import type { ListedAttempt, LoginAttemptStore } from '../store/contracts/login-attempts.ts';
import type { Explanation } from './explanation.ts';
import { german } from './reasons-de.ts';
import { english } from './reasons-en.ts';

export interface ReadAttemptsNeeds {
  readonly store: { readonly loginAttempts: LoginAttemptStore };
  /** Writes the records of this node that are still to be written, and its audit events: readers want the newest. */
  readonly attempts: { flush(): Promise<void> };
}

/** Newest first, unless another order is requested. */
export async function listLoginAttempts(
  needs: ReadAttemptsNeeds,
  query: ListQuery,
): Promise<Page<ListedAttempt>> {
  await needs.attempts.flush();
  return needs.store.loginAttempts.list(newestFirst(query));
}

const hoursOfDay = 24;

/**
 * The last 24 hours by UTC hours, oldest first, including the current one.
 * @returns `from`: the start of the hour
 */
export async function attemptsByHour(needs: ReadAttemptsNeeds & { clock: Clock }, reader: ListReader) {
  await needs.attempts.flush();
  const last = Math.floor(needs.clock.now() / HOUR) * HOUR;
  const first = last - (hoursOfDay - 1) * HOUR;
  const counts = await needs.store.loginAttempts.countByHour(first, budgetOf(reader));
  return Array.from({ length: hoursOfDay }, (_, at) => {
    const from = first + at * HOUR;
    const of = (outcome: LoginAttempt['outcome']) =>
      counts.find((count) => count.from === from && count.outcome === outcome)?.count ?? 0;
    return { from, passed: of('passed'), refused: of('refused') };
  });
}

/** The steps of the request with this reference id, in order. @throws AuthError not_found */
export async function findLoginAttempts(
  needs: ReadAttemptsNeeds,
  reference: string,
): Promise<readonly ListedAttempt[]> {
  await needs.attempts.flush();
  const items = await needs.store.loginAttempts.findByReference(asWritten(reference));
  if (items.length === 0)
    throw new AuthError('not_found', {
      description:
        'There is no refused request with this reference id: it is too old, or it was one of very many requests of one kind',
    });
  return items;
}

const explanations: Readonly<Record<LanguageTag, typeof english>> = { en: english, de: german };

/**
 * Null for a step that passed.
 * @param name of the identity; null: unknown
 */
export function explanationOf(
  { reason, name }: Pick<LoginAttempt, 'reason'> & { name: string | null },
  language: LanguageTag,
): (Explanation & { readonly command: string | null }) | null {
  if (reason === null) return null;
  return { ...explanations[language][reason], command: commandFor(reason, name) };
}

/** The command that helps at once, with `NAME` for the identity. Other reasons need thought first. */
const commands: Readonly<Partial<Record<RefusalReason, string>>> = {
  locked: 'identity unlock NAME',
  'identity-disabled': 'identity enable NAME',
  'unknown-user': 'list authenticators',
  'wrong-password': 'identity set-password NAME',
  'password-change-required': 'update identity NAME --no-password-must-change',
  'ca-not-verified': 'ca verify CA --cert FILE',
  'ca-auth-off': 'update ca CA --auth',
  'passkey-cloned': 'identity passkeys NAME',
  'enrollment-token-unknown': 'create enrollment ott NAME',
  'invitation-unknown': 'invite NAME',
  'invitation-expired': 'invite NAME --expires 72h',
  'enrollment-expired': 'list enrollments',
  'wrong-code': 'identity reset-mfa NAME',
  'unknown-client': 'list oidc-clients',
  'setup-link-dead': 'admin setup-link',
  'not-permitted': 'whoami',
  'server-unavailable': 'status',
};

/** As it can be typed, for the command line only; null where there is none, or it is about an unknown identity. */
function commandFor(reason: RefusalReason | null, name: string | null): string | null {
  const command = reason === null ? undefined : commands[reason];
  if (command === undefined || (name === null && command.includes('NAME'))) return null;
  return `overlay-auth ${command.replace('NAME', () => shellWord(name ?? ''))}`;
}

/** People read reference ids out over the telephone: case does not matter, and O and I mean the digits 0 and 1. */
function asWritten(reference: string): string {
  return reference.toUpperCase().replaceAll('-', '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

export interface ReadAuditEventsNeeds extends Pick<ReadAttemptsNeeds, 'attempts'> {
  readonly store: { readonly auditEvents: Pick<AuditEventStore, 'find' | 'list'> };
}

/** Newest first, unless another order is requested. */
export async function listAuditEvents(
  needs: ReadAuditEventsNeeds,
  query: ListQuery,
): Promise<Page<ListedAuditEvent>> {
  await needs.attempts.flush();
  return needs.store.auditEvents.list(newestFirst(query));
}

/** @throws AuthError not_found */
export async function getAuditEvent(needs: ReadAuditEventsNeeds, id: string): Promise<ListedAuditEvent> {
  await needs.attempts.flush();
  return existing(await needs.store.auditEvents.find(id));
}
