import type { Millis } from '../platform/clock.ts';
import type { RequestOrigin } from './audit-event.ts';
import type { AttemptStep } from './login.ts';
import type { RefusalReason } from './refusal-reason.ts';

/** One check of a login: its subject and its finding. Never contains a secret. */
export interface AttemptCheck {
  /** A short name, such as `password` or `policy`. */
  readonly check: string;
  /** `seen`: a fact that nothing was decided by. */
  readonly verdict: 'passed' | 'failed' | 'seen';
  /** The finding of the check, in words for an administrator; null if there is nothing to add. */
  readonly saw: string | null;
}

/** The mechanism of an attempt; `request`: none, because the request was refused before any step of a login. */
export const attemptMechanisms = ['oidc', 'legacy', 'enrollment', 'request'] as const;

/** The decision record of one step of a login. */
export interface LoginAttempt {
  /** The reference id that the answer showed. */
  readonly reference: string;
  readonly at: Millis;
  readonly step: AttemptStep | 'request';
  readonly mechanism: (typeof attemptMechanisms)[number];
  readonly outcome: 'passed' | 'refused';
  /** Null when it passed. */
  readonly reason: RefusalReason | null;
  readonly identityId: string | null;
  /** Whom the caller claimed to be: user name, or the mark of an unknown one; certificate subject; claim. Shortened. */
  readonly subject: string | null;
  readonly ipAddress: string;
  readonly issuer: string;
  readonly checks: readonly AttemptCheck[];
}

/** The mechanism that a step of a login belongs to, and the request that brought it. */
export interface StepOrigin {
  readonly mechanism: Exclude<LoginAttempt['mechanism'], 'request'>;
  readonly origin: RequestOrigin;
}

/** Collects the checks of one step while it is decided. */
export interface AttemptRecorder {
  passed(check: string, saw?: string): void;
  /** @returns null, which a step returns when its factor was not passed */
  failed(check: string, reason: RefusalReason, saw?: string): null;
  /** Notes a fact that nothing is decided by. */
  seen(check: string, saw: string): void;
  /** Adds who it turned out to be, as soon as that is known. */
  about(who: { readonly identityId?: string; readonly subject?: string }): void;
  /** Hands the record over. Called once; a step without a failed check has passed. */
  conclude(): void;
}

/** The record of a refused request, for administrators, under its reference id. Never contains a secret. */
export type RefusedRequest = Pick<LoginAttempt, 'identityId' | 'subject' | 'checks'> & {
  readonly reason: RefusalReason;
};

/** Takes decision records; bounded, and never delays an answer. */
export interface AttemptLog {
  begin(
    step: AttemptStep,
    mechanism: Exclude<LoginAttempt['mechanism'], 'request'>,
    origin: RequestOrigin,
  ): AttemptRecorder;
  /** Records a refused request, unless one of its steps was recorded as refused. */
  refused(refusal: RefusedRequest, origin: RequestOrigin): void;
}
