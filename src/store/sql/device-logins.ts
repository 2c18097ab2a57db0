import type { DeviceLogin } from '../../model/device-login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { DeviceLoginStore, NewDeviceLogin } from '../contracts/device-logins.ts';
import { type Database, integer, text, textOrNull } from './codec.ts';
import { first, type Intent, type SqlRow } from './intent.ts';

export const deviceLoginIntents = { beginDeviceLogin, settleDeviceLogin } as const;

export function deviceLoginStore({ write, find }: Database<typeof deviceLoginIntents>): DeviceLoginStore {
  return {
    begin: ({ scopes, ...login }, most) =>
      write('beginDeviceLogin', { ...login, scopes: JSON.stringify(scopes), most }),
    find: (id) => find(deviceLoginOf, 'SELECT * FROM device_logins WHERE id = ?', id),
    findWaiting(by, now) {
      const [column, value] =
        'userCodeHash' in by ? ['user_code_hash', by.userCodeHash] : ['code_challenge', by.codeChallenge];
      const sql = `SELECT * FROM device_logins WHERE ${column} = ? AND state = 'waiting' AND expires_at > ?`;
      return find(deviceLoginOf, sql, value, now);
    },
    settle: (id, sealedCode, now) => write('settleDeviceLogin', { id, sealedCode, now }),
  };
}

function deviceLoginOf(row: SqlRow): DeviceLogin {
  return {
    id: text(row, 'id'),
    codeChallenge: text(row, 'code_challenge'),
    clientId: text(row, 'client_id'),
    scopes: JSON.parse(text(row, 'scopes')) as readonly string[],
    issuer: text(row, 'issuer'),
    ipAddress: text(row, 'ip_address'),
    createdAt: integer(row, 'created_at'),
    expiresAt: integer(row, 'expires_at'),
    state: text(row, 'state') as DeviceLogin['state'],
    sealedCode: textOrNull(row, 'sealed_code'),
  };
}

function* beginDeviceLogin(
  login: Omit<NewDeviceLogin, 'scopes'> & { readonly scopes: string; readonly most: number },
): Intent<'begun' | 'full' | 'taken'> {
  const live = yield* first(
    'SELECT count(*) AS live FROM device_logins WHERE expires_at > ?',
    login.createdAt,
  );
  if (live !== undefined && integer(live, 'live') >= login.most) return 'full';
  const begun = yield* first(
    `INSERT INTO device_logins (id, user_code_hash, code_challenge, client_id, scopes, issuer, ip_address, created_at,
       expires_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting') ON CONFLICT (user_code_hash) DO NOTHING RETURNING id`,
    login.id,
    login.userCodeHash,
    login.codeChallenge,
    login.clientId,
    login.scopes,
    login.issuer,
    login.ipAddress,
    login.createdAt,
    login.expiresAt,
  );
  return begun === undefined ? 'taken' : 'begun';
}

function* settleDeviceLogin(args: {
  readonly id: string;
  readonly sealedCode: string | null;
  readonly now: Millis;
}): Intent<boolean> {
  const settled = yield* first(
    `UPDATE device_logins SET state = ?, sealed_code = ? WHERE id = ? AND state = 'waiting' AND expires_at > ?
     RETURNING id`,
    args.sealedCode === null ? 'denied' : 'approved',
    args.sealedCode,
    args.id,
    args.now,
  );
  return settled !== undefined;
}
