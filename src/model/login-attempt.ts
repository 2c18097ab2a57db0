import type { Millis } from '../platform/clock.ts';
import type { RequestOrigin } from './audit-event.ts';
import type { AttemptStep, LoginProgress, PrimaryMethod } from './login.ts';
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

export interface StepToDecide extends StepOrigin {
  readonly step: AttemptStep;
}

/** The step that opened a login or session of OpenID Connect, to which a later refusal belongs. */
export function openingStep({ passed }: Pick<LoginProgress, 'passed'>, origin: RequestOrigin): StepToDecide {
  return { step: passed[0] as PrimaryMethod, mechanism: 'oidc', origin };
}

/** The result of a step; `unrecorded`: it went on with what was proven before, which is no step of its own. */
export interface StepResult {
  readonly verdict: 'passed' | 'refused' | 'unrecorded';
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
}

/** The record of a refused request, for administrators, under its reference id. Never contains a secret. */
export type RefusedRequest = Pick<LoginAttempt, 'identityId' | 'subject' | 'checks'> & {
  readonly reason: RefusalReason;
};

/** Takes decision records; bounded, and never delays an answer. */
export interface AttemptLog {
  /**
   * Decides a step and records the decision. One that returns passed, and of which no check failed, has
   * passed. A refusal of which no check says why is recorded with its code. An error that is no refusal (`isRefusal`)
   * decides nothing and leaves no record, nor does a throttled step of which no check failed.
   * @throws every error of `decide`
   */
  decide<Result extends StepResult>(
    step: StepToDecide,
    decide: (attempt: AttemptRecorder) => Promise<Result>,
  ): Promise<Result>;
  /** Records a step that one check refuses. */
  refuse(
    step: StepToDecide,
    who: { readonly identityId?: string },
    ...why: Parameters<AttemptRecorder['failed']>
  ): void;
  /** Records a refused request, unless one of its steps was recorded as refused. */
  refused(refusal: RefusedRequest, origin: RequestOrigin): void;
}
