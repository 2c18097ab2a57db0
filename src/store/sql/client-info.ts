import type { ClientInfo } from '../../model/client-info.ts';
import type { Intent } from './intent.ts';
import { excluded, insertOr, reader } from './rows.ts';

/** Stores what a client reported, replacing earlier reports. Writes nothing if it is the same. */
export function* keepClientInfo(identityId: string, info: ClientInfo | undefined): Intent<void> {
  if (info === undefined) return;
  yield* insertOr(
    'client_info',
    { identityId, ...info },
    `ON CONFLICT (identity_id) DO UPDATE SET ${excluded('env_info', 'sdk_info')}
     WHERE client_info.env_info <> excluded.env_info OR client_info.sdk_info <> excluded.sdk_info`,
  );
}

export const clientInfoOf = reader<ClientInfo>()('envInfo:json sdkInfo:json');

export const findClientInfoSql = 'SELECT * FROM client_info WHERE identity_id = ?';
