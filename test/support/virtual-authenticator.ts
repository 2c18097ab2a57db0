// Authenticators of a real browser that need not be touched (WebAuthn domain of the Chrome DevTools Protocol).

import type { CDPSession } from 'playwright-core';
import type { Visitor } from './browser.ts';

export interface AuthenticatorKind {
  /** `internal`: part of the device. `usb`: a security key. */
  readonly transport: 'internal' | 'usb';
  /** Whether its passkeys say themselves whose they are. */
  readonly hasResidentKey: boolean;
  /** Whether it can know its owner by PIN, finger or face. */
  readonly hasUserVerification: boolean;
}

export interface VirtualAuthenticator {
  credentials(): Promise<readonly Credential[]>;
  /** Puts a copy of a credential of another authenticator on this one. */
  copy(credential: Credential): Promise<void>;
  /** False: its owner is not there, and every request waits. */
  setPresent(isPresent: boolean): Promise<void>;
  /** False: PIN, finger or face are those of another person. */
  setVerified(isVerified: boolean): Promise<void>;
  /** The owner takes it away. */
  remove(): Promise<void>;
}

export type Credential = Awaited<ReturnType<typeof credentialsOf>>[number];

export const platformAuthenticator: AuthenticatorKind = {
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
};

/** A key from before there were PINs on such keys: for the second step only. */
export const securityKey: AuthenticatorKind = {
  transport: 'usb',
  hasResidentKey: false,
  hasUserVerification: false,
};

/** Gives the open page of a visitor an authenticator, for as long as the page is there. */
export async function plugIn(
  { context, page }: Pick<Visitor, 'context' | 'page'>,
  kind: AuthenticatorKind = platformAuthenticator,
): Promise<VirtualAuthenticator> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ...kind,
      isUserVerified: kind.hasUserVerification,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: () => credentialsOf(session, authenticatorId),
    async copy(credential) {
      await session.send('WebAuthn.addCredential', { authenticatorId, credential });
    },
    async setPresent(enabled) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    async setVerified(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    },
  };
}

async function credentialsOf(session: CDPSession, authenticatorId: string) {
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
  return credentials;
}
