import type { DeviceLogin } from '../../model/device-login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { DeviceLoginStore, NewDeviceLogin } from '../contracts/device-logins.ts';
import { type Database, insertOr, integer, reader } from './codec.ts';
import { affects, first, type Intent } from './intent.ts';

export const deviceLoginIntents = { beginDeviceLogin, settleDeviceLogin } as const;

export function deviceLoginStore({ find, writing }: Database<typeof deviceLoginIntents>): DeviceLoginStore {
  return {
    ...writing({ begin: 'beginDeviceLogin', settle: 'settleDeviceLogin' }),
    find: (id) => find(deviceLoginOf, 'SELECT * FROM device_logins WHERE id = ?', id),
    findWaiting(by, now) {
      const [column, value] =
        'userCodeHash' in by ? ['user_code_hash', by.userCodeHash] : ['code_challenge', by.codeChallenge];
      const sql = `SELECT * FROM device_logins WHERE ${column} = ? AND state = 'waiting' AND expires_at > ?`;
      return find(deviceLoginOf, sql, value, now);
    },
  };
}

const deviceLoginOf = reader<DeviceLogin>()(
  'id codeChallenge clientId scopes:json droppedScopes:json issuer ipAddress createdAt expiresAt state sealedCode?',
);

function* beginDeviceLogin(login: NewDeviceLogin, most: number): Intent<'begun' | 'full' | 'taken'> {
  const sql = 'SELECT count(*) AS live FROM device_logins WHERE expires_at > ?';
  const live = yield* first(sql, login.createdAt);
  if (live !== undefined && integer(live, 'live') >= most) return 'full';
  const end = 'ON CONFLICT (user_code_hash) DO NOTHING RETURNING id';
  const begun = yield* insertOr('device_logins', { ...login, state: 'waiting' }, end);
  return begun === undefined ? 'taken' : 'begun';
}

function settleDeviceLogin(id: string, sealedCode: string | null, now: Millis): Intent<boolean> {
  return affects`UPDATE device_logins SET state = ${sealedCode === null ? 'denied' : 'approved'},
     sealed_code = ${sealedCode} WHERE id = ${id} AND state = 'waiting' AND expires_at > ${now}
     RETURNING id`;
}
