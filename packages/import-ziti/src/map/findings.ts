// What the report says about single entities: what differs from the source, and what was left out.

import { AuthError } from '../../../../src/errors/auth-error.ts';

/** Kinds as the report names them. Imported ones have the names of the command line. */
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
  /** The name that people know it by. */
  readonly name: string;
}

/** An entity was imported, but differs from the source in some respect. */
export type Deviation = Subject & { readonly field: string; readonly what: string };

/** An entity, or a part of one, was not imported. */
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

/** The value in our form, or why one of our rules refuses it. */
export function accepted<Value>(read: () => Value): { readonly value: Value } | { readonly refusal: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const [problem] = error.fields;
    return { refusal: problem === undefined ? error.message : problem.reason };
  }
}
