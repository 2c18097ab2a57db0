// Replaces the certificate of an authenticator by its successor, in two steps: a client that never received the new one
// still has the old one.

import type { AuthenticatorStore, KeepSuccessor, PromoteSuccessor } from '../contracts/authenticators.ts';
import { endSessionsOfAuthenticator } from './api-sessions.ts';
import { type Database, integer, text } from './codec.ts';
import type { ById } from './intent.ts';
import { affects, first, type Intent } from './intent.ts';

export const certificateExtensionIntents = { requestExtension, keepSuccessor, promoteSuccessor } as const;

type CertificateExtension = Pick<
  AuthenticatorStore,
  'requestExtension' | 'keepSuccessor' | 'promoteSuccessor'
>;

export function certificateExtensionStore({
  write,
}: Database<typeof certificateExtensionIntents>): CertificateExtension {
  return {
    requestExtension: (id, rollKey, now) => write('requestExtension', { id, rollKey, now }),
    keepSuccessor: (keep) => write('keepSuccessor', keep),
    promoteSuccessor: (promote) => write('promoteSuccessor', promote),
  };
}

function requestExtension({ id, rollKey, now }: ById & { readonly rollKey: boolean }): Intent<boolean> {
  // A successor fetched earlier may have the very key that has to go.
  const withdrawn = rollKey ? ', successor_pem = NULL, successor_thumbprint = NULL' : '';
  return affects(
    `UPDATE authenticators SET is_extend_requested = 1, is_key_roll_requested = ?, updated_at = ?${withdrawn}
     WHERE id = ? AND method = 'cert' RETURNING id`,
    rollKey ? 1 : 0,
    now,
    id,
  );
}

function keepSuccessor(keep: KeepSuccessor): Intent<boolean> {
  return affects(
    `UPDATE authenticators SET successor_pem = ?, successor_thumbprint = ?
     WHERE id = ? AND method = 'cert' AND thumbprint = ? AND is_key_roll_requested <= ? RETURNING id`,
    keep.certPem,
    keep.thumbprint,
    keep.id,
    keep.currentThumbprint,
    keep.hasNewKey ? 1 : 0,
  );
}

function* promoteSuccessor(args: PromoteSuccessor): Intent<boolean> {
  const before = yield* first('SELECT is_key_roll_requested FROM authenticators WHERE id = ?', args.id);
  const row = yield* first(
    `UPDATE authenticators SET cert_pem = successor_pem, thumbprint = successor_thumbprint,
       successor_pem = NULL, successor_thumbprint = NULL, is_extend_requested = 0, is_key_roll_requested = 0,
       updated_at = ?
     WHERE id = ? AND method = 'cert' AND successor_thumbprint = ? RETURNING identity_id`,
    args.now,
    args.id,
    args.thumbprint,
  );
  if (row === undefined) return false;
  if (before !== undefined && integer(before, 'is_key_roll_requested') === 1) {
    const { id: authenticatorId, now, exceptSession: except } = args;
    yield* endSessionsOfAuthenticator({ identityId: text(row, 'identity_id'), authenticatorId, now, except });
  }
  return true;
}
