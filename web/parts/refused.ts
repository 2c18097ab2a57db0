import { ProtocolError, Refusal } from '@overlay-auth/client';

/** Whether a sign-in failed and another one may help. An unavailable server says nothing about that. */
export function isRefused(error: unknown): boolean {
  if (error instanceof Refusal) return error.status < 500 && error.status !== 429;
  return error instanceof ProtocolError;
}
