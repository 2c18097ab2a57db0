import type { Millis } from '../platform/clock.ts';
import type { ClientProgram } from './client-info.ts';
import type { IdentityId } from './ids.ts';

/** That an identity has logged in to an application with a program: for the first time, and for the last. */
export interface LastLogin extends ClientProgram {
  readonly id: string;
  readonly identityId: IdentityId;
  /** Empty: by the legacy mechanism. */
  readonly clientId: string;
  /** From where the last one came. */
  readonly ipAddress: string;
  readonly firstAt: Millis;
  /** Up to a minute earlier than the last one. */
  readonly lastAt: Millis;
}

/** A program with which an identity that has logged in before logs in for the first time. */
export interface NewProgram extends ClientProgram {
  /** From where the person logged in. */
  readonly ipAddress: string;
  /** How many other programs were new within the hour before. */
  readonly newWithinHour: number;
}
