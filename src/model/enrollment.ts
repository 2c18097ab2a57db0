/**
 * How an existing identity enrolls with a token: `ott` with a certificate that this service issues, `ottca` with one
 * that a third-party authority issued, `updb` with a password.
 */
export const tokenMethods = ['ott', 'ottca', 'updb'] as const;
export type TokenMethod = (typeof tokenMethods)[number];

/** `ca` and `token` also create the identity, from a third-party authority's certificate or an external JWT. */
export const enrollMethods = [...tokenMethods, 'ca', 'token'] as const;
export type EnrollMethod = (typeof enrollMethods)[number];

/** Everything that decision records and audit events call an enrollment, including choosing a password with a link. */
export type EnrollmentKind = EnrollMethod | 'invitation';
