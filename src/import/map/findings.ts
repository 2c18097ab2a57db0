// What the report says of single entities: what is not as it was, and what was left out.

import { AuthError } from '../../errors/auth-error.ts';

/** Kinds as the report calls them; those that are imported have the names of the command line. */
export type ReportedKind =
  | 'auth-policy'
  | 'ext-jwt-signer'
  | 'ca'
  | 'config-type'
  | 'identity'
  | 'authenticator'
  | 'totp'
  | 'enrollment';

export interface Subject {
  readonly kind: ReportedKind;
  readonly id: string;
  /** What people know it by. */
  readonly name: string;
}

/** An entity was taken, and is not in every respect what it was. */
export type Deviation = Subject & { readonly field: string; readonly what: string };

/** An entity, or something of one, was not taken. */
export type LeftOut = Subject & { readonly reason: string };

/** Collects findings while entities are mapped. */
export interface Findings {
  deviates(subject: Subject, field: string, what: string): void;
  leftOut(subject: Subject, reason: string): void;
}

export function collectFindings(): Findings & {
  readonly deviations: readonly Deviation[];
  readonly left: readonly LeftOut[];
} {
  const deviations: Deviation[] = [];
  const left: LeftOut[] = [];
  return {
    deviations,
    left,
    deviates: (subject, field, what) => deviations.push({ ...subject, field, what }),
    leftOut: (subject, reason) => left.push({ ...subject, reason }),
  };
}

/** The value in our form, or why a rule of ours refuses it. */
export function accepted<Value>(read: () => Value): { readonly value: Value } | { readonly refusal: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const [problem] = error.fields;
    return { refusal: problem === undefined ? error.message : problem.reason };
  }
}
