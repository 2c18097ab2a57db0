import type { ClientInfo, EnvInfo, SdkInfo } from '../../model/client-info.ts';
import { text } from './codec.ts';
import { type Intent, run, type SqlRow } from './intent.ts';

/** Stores what a client reported, replacing earlier reports. Writes nothing if it is the same. */
export function* keepClientInfo(identityId: string, info: ClientInfo | undefined): Intent<void> {
  if (info === undefined) return;
  yield* run(
    `INSERT INTO client_info (identity_id, env_info, sdk_info) VALUES (?, ?, ?)
     ON CONFLICT (identity_id) DO UPDATE SET env_info = excluded.env_info, sdk_info = excluded.sdk_info
     WHERE client_info.env_info <> excluded.env_info OR client_info.sdk_info <> excluded.sdk_info`,
    identityId,
    JSON.stringify(info.envInfo),
    JSON.stringify(info.sdkInfo),
  );
}

export function clientInfoOf(row: SqlRow): ClientInfo {
  return {
    envInfo: JSON.parse(text(row, 'env_info')) as EnvInfo,
    sdkInfo: JSON.parse(text(row, 'sdk_info')) as SdkInfo,
  };
}

export const findClientInfoSql = 'SELECT * FROM client_info WHERE identity_id = ?';
