// Every intent by its name. The writer thread looks them up here, since functions do not cross threads.

import type { SessionEndReason } from '../../model/api-session.ts';
import type { Millis } from '../../platform/clock.ts';
import { endSession, endSessionsOf, renewSession, rotateRefreshToken } from './api-sessions.ts';
import { clearAttempts, releaseAttempts, reserveAttempt } from './attempts.ts';
import { createAuthPolicy, deleteAuthPolicy, replaceAuthPolicy, updateAuthPolicy } from './auth-policies.ts';
import { extendLogin, recordFactor, recordPrimaryLogin, redeemCode } from './auth-requests.ts';
import {
  createCertificate,
  createPassword,
  deleteAuthenticator,
  rehashPassword,
  updatePassword,
} from './authenticators.ts';
import { createCa, deleteCa, updateCa, verifyCa } from './cas.ts';
import { keepSuccessor, promoteSuccessor, requestExtension } from './certificate-extension.ts';
import { createConfigType, deleteConfigType, updateConfigType } from './config-types.ts';
import {
  createEnrollment,
  createIdentityToEnroll,
  deleteEnrollment,
  enrollIdentity,
  redeemEnrollment,
  renewEnrollment,
} from './enrollments.ts';
import { deleteExpired } from './expiry.ts';
import {
  createExternalJwtSigner,
  deleteExternalJwtSigner,
  updateExternalJwtSigner,
} from './external-jwt-signers.ts';
import { createIdentity, deleteIdentity, updateIdentity } from './identities.ts';
import { keepServerSecret, rotateSigningKey } from './keys.ts';
import { addPassed, openLegacySession, recordActivity } from './legacy-sessions.ts';
import { appendLoginAttempts, deleteLoginAttempts } from './login-attempts.ts';
import { announceNode, leaveNode } from './nodes.ts';
import { withdrawEverythingIssued } from './restores.ts';
import { deleteRevocation, revoke } from './revocations.ts';
import { addSessionCertificate, revokeSessionCertificate } from './session-certificates.ts';
import { createSetupLink, redeemSetupLink } from './setup-links.ts';
import {
  abandonTotp,
  burnRecoveryCode,
  burnTotpStep,
  removeTotp,
  replaceRecoveryCodes,
  startTotp,
  verifyTotp,
} from './totp.ts';

export const intents = {
  recordPrimaryLogin,
  recordFactor,
  extendLogin,
  redeemCode,
  reserveAttempt,
  clearAttempts,
  releaseAttempts,
  createAuthPolicy,
  replaceAuthPolicy,
  updateAuthPolicy,
  deleteAuthPolicy,
  createExternalJwtSigner,
  updateExternalJwtSigner,
  deleteExternalJwtSigner,
  createCa,
  updateCa,
  verifyCa,
  deleteCa,
  createConfigType,
  updateConfigType,
  deleteConfigType,
  revoke,
  deleteRevocation,
  startTotp,
  verifyTotp,
  abandonTotp,
  burnTotpStep,
  burnRecoveryCode,
  replaceRecoveryCodes,
  removeTotp,
  appendLoginAttempts,
  deleteLoginAttempts,
  rotateRefreshToken,
  renewSession,
  openLegacySession,
  addPassed,
  recordActivity,
  endSession: (args: { id: string; reason: SessionEndReason; now: Millis }) =>
    endSession(args.id, args.reason, args.now),
  endSessionsOf: (args: {
    identityId: string;
    reason: SessionEndReason;
    now: Millis;
    except: string | null;
  }) => endSessionsOf(args.identityId, args.reason, args.now, args.except),
  createIdentity,
  updateIdentity,
  deleteIdentity,
  createPassword,
  createCertificate,
  updatePassword,
  rehashPassword,
  deleteAuthenticator,
  addSessionCertificate,
  revokeSessionCertificate,
  requestExtension,
  keepSuccessor,
  promoteSuccessor,
  rotateSigningKey,
  keepServerSecret,
  createSetupLink,
  redeemSetupLink,
  createEnrollment,
  createIdentityToEnroll,
  renewEnrollment,
  redeemEnrollment,
  enrollIdentity,
  deleteEnrollment,
  announceNode,
  leaveNode,
  deleteExpired,
  withdrawEverythingIssued,
} as const;

export type IntentName = keyof typeof intents;
export type IntentArgs<Name extends IntentName> = Parameters<(typeof intents)[Name]>[0];
export type IntentOutcome<Name extends IntentName> =
  ReturnType<(typeof intents)[Name]> extends Generator<unknown, infer Outcome, never> ? Outcome : never;
